import Foundation
import Persisting
import Synchronization

/// What the cases write. Each step has rows of its own, which its tag tells.
final class Item: PersistingModel {
    var id: Int64?
    var tag = 0
    var text = ""
    var data: Data?

    private static let alive = Atomic(0)
    /// How many objects of the class there are.
    static var count: Int { alive.load(ordering: .relaxed) }

    required init() {
        super.init()
        Self.alive.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    override class var indexes: [Index] { [Index("tag")] }

    convenience init(_ tag: Int, _ text: String = "new", data: Data? = nil) {
        self.init()
        (self.tag, self.text, self.data) = (tag, text, data)
    }

    /// What must be as before after a call that failed.
    var state: [String] { ["\(isPersisted)", "\(id ?? -1)", "\(changedKeys.sorted())", text] }
}

internal import CSystemSQLite

/// An object on its way through C: the one way in which a closure is handed to SQLite together with a destructor.
///
/// ``retained()`` gives SQLite its pointer, `releaseBox` is the destructor that goes with it, and ``object(at:)`` is
/// what a callback finds its object with. Hooks, for which SQLite has no destructor, stand in ``Hooks``.
protocol Boxed: AnyObject {}

extension Boxed {
    /// A pointer that keeps the object until `releaseBox` is called with it.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// The object behind a pointer that ``retained()`` has made from one of this class.
    static func object(at pointer: UnsafeMutableRawPointer) -> Self {
        Unmanaged<Self>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// A Swift value on its way through C. What each connection hands to SQLite when it is opened has a class of its own,
/// since the runtime has to make a generic one when it is first used.
final class Box<Value>: Boxed {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// The value behind a pointer that ``retained()`` has made from a box of this type.
    static func value(at pointer: UnsafeMutableRawPointer) -> Value { object(at: pointer).value }
}

/// SQLite's destructor for a pointer that ``Boxed/retained()`` has made.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    guard let pointer else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
}

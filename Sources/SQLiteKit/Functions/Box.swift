internal import CSystemSQLite

/// A Swift value on its way through C: the one way in which a closure is handed to SQLite together with a destructor.
///
/// ``retained()`` gives SQLite its pointer, `releaseBox` is the destructor that goes with it, and
/// ``value(at:)`` is what a callback finds its value with. Hooks, for which SQLite has no destructor, stand in
/// ``Hooks``.
final class Box<Value> {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// A pointer that keeps the box until `releaseBox` is called with it.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// The value behind a pointer that ``retained()`` has made from a box of this type.
    static func value(at pointer: UnsafeMutableRawPointer) -> Value {
        Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().value
    }
}

/// SQLite's destructor for a pointer that ``Box/retained()`` has made.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    guard let pointer else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
}

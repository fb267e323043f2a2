internal import CSystemSQLite
internal import Foundation

extension PreUpdate {
    /// Whether the value of a column is another after an update.
    func isChanged(at index: Int) -> Bool {
        var pointers: (old: OpaquePointer?, new: OpaquePointer?)
        guard calls.old(handle, Int32(clamping: index), &pointers.old) == SQLITE_OK,
            calls.new(handle, Int32(clamping: index), &pointers.new) == SQLITE_OK
        else { return true }
        let (old, new) = (ColumnContent(pointers.old), ColumnContent(pointers.new))
        guard old.storageClass == new.storageClass, old.count == new.count else { return true }
        switch old.storageClass {
        case .null: return false
        case .integer, .real: return old.bits != new.bits
        case .text, .blob:
            guard old.count > 0 else { return false }
            guard let lhs = UnsafeRawPointer(bitPattern: UInt(old.bits)),
                let rhs = UnsafeRawPointer(bitPattern: UInt(new.bits))
            else { return true }
            return memcmp(lhs, rhs, old.count) != 0
        }
    }
}

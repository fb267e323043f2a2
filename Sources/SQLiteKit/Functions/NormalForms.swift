internal import Foundation

/// Functions that make of a stored value the one that a Swift type would store for it, for the SQL function
/// `sqlitekit_normal`: SQL knows a type by its number here.
///
/// There is one for each type that is stored as JSON, so that they are kept forever.
package enum NormalForms {
    // A function has nothing but its type: not `@Sendable`, for which the type would have to say so.
    package typealias Form = (SQLiteValue) throws -> SQLiteValue

    private static let lock = NSLock()
    // Both are guarded by `lock`.
    nonisolated(unsafe) private static var numbers: [ObjectIdentifier: Int] = [:]
    nonisolated(unsafe) private static var forms: [Form] = []

    /// The number of a type.
    ///
    /// - Parameter form: Reads a stored value as the type, and stores it again.
    package static func number(of type: Any.Type, _ form: @escaping Form) -> Int {
        lock.withLock {
            let next = forms.count
            let number = numbers[ObjectIdentifier(type), default: next]
            if number == next {
                numbers[ObjectIdentifier(type)] = next
                forms.append(form)
            }
            return number
        }
    }

    /// The function of a type.
    static func form(_ number: Int64) -> Form? {
        lock.withLock { Int(exactly: number).flatMap { forms.indices.contains($0) ? forms[$0] : nil } }
    }
}

extension Database {
    /// `sqlitekit_normal` and `sqlitekit_float`, by which values that are read as the same are the same.
    func addNormalForms() throws(SQLiteError) {
        try addFunction("sqlitekit_normal", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) {
                let number = try arguments.stored(at: 1).int64(at: 0)
                guard let form = NormalForms.form(number) else {
                    throw SQLiteError(.error, "sqlitekit_normal takes the number of a type, and \(number) is none")
                }
                return form
            }
            guard let stored = try? arguments.stored(at: 0).value(at: 0) else { return nil }
            // What can't be read as the type is like nothing else.
            return (try? form(stored)) ?? stored
        }
        try addFunction("sqlitekit_float", argumentCount: 1, [.deterministic, .innocuous]) { arguments in
            let stored = try arguments.stored(at: 0)
            switch arguments.storageClass(at: 0) {
            case .real, .integer: return Double(Float(stored.double(at: 0)))
            case .text, .blob, .null: return try stored.value(at: 0)
            }
        }
    }
}

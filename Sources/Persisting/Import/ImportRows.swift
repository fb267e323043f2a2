internal import Foundation

/// The rows of a file that is imported, one after the other.
protocol ImportRows: AnyObject {
    /// The values of the row that was read last, by the class's columns, where it has one.
    var values: PlainArray<ImportValue> { get }
    /// The columns of which the row has a value.
    var present: ColumnSet { get }
    /// The line on which the row begins.
    var line: Int { get }
    /// The place after the row.
    var position: ImportPosition { get }
    var buffer: ImportBuffer { get }
    /// Reads the next row.
    ///
    /// - Returns: False at the end.
    /// - Throws: ``ImportProblem``; the next call reads on after the row, unless the import ends.
    func next() throws -> Bool
    /// Whether the file may have values of bit fields and computed aliases of a class.
    ///
    /// - Parameter member: The place of the class among those that share the table; 0 for the imported one.
    func hasVirtualKeys(_ member: Int) -> Bool
    /// The place of the row's class among those that share the table, or what ``ImportKinds`` gives in place of it.
    var member: Int { get }
    /// The keys of the row's class.
    var keys: ImportKeys { get }
    /// What the file calls a column of the row's class.
    func name(of column: Int) -> String
    /// The names that the file has and no class knows.
    var ignored: [String] { get }
    /// What the row has for the closures that store a part of it. A key that it lacks is missing here.
    ///
    /// - Throws: ``ImportProblem``.
    func relationshipValues() throws -> [RelationshipValue]
}

/// What a row of a file has for one of the class's relationships; nil for a null.
typealias RelationshipValue = (attribute: RemoteMapping.Attribute, value: Any?)

extension ImportRows {
    /// The kind that the row has; empty where it has none.
    var kind: String { present.contains(keys.kindIndex) ? values[keys.kindIndex].text : "" }
}

/// What an import does about names of the file that the class doesn't have.
public enum UnknownKeys: Sendable, Hashable {
    /// They are ignored, and listed in ``ImportReport/ignoredKeys``.
    case ignore
    /// They are errors: a field of a CSV text throws ``PersistenceError/Code/unknownKey``, and an object of JSON with
    /// such a key fails.
    case fail
}

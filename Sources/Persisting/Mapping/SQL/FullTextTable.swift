internal import Foundation

/// A full-text index of a class, as its table has it.
struct FullTextTable: Sendable {
    /// The name by which the class lists it.
    let name: String
    /// The index's table, not quoted.
    let table: String
    /// The columns, in the order of the index.
    let columns: [Int]
    let declaration: FullTextDeclaration
    let mapping: Mapping

    /// Whether the rows' numbers in the index are the class's key, and the index has no texts of its own.
    let isByKey: Bool

    /// The index's table as SQL finds it.
    var sql: String { Self.sql(of: table, mapping) }

    /// The table that has the texts of an index that isn't by key.
    var textsTable: String { table + "_texts" }

    /// Whether a name needs no quotes. A digit may begin one that isn't used alone.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0)
            }
    }

    static func sql(of table: String, _ mapping: Mapping) -> String {
        // As the class's own table is found.
        let prefix = mapping.sql.table.dropLast(mapping.sql.name.count)
        return prefix + SQLText.identifier(table)
    }

    init(_ name: String, _ declaration: FullTextDeclaration, _ mapping: Mapping) throws {
        func invalid(_ message: String, key: String? = nil) -> PersistenceError {
            PersistenceError(
                .invalidModel, "the full-text index \(name) \(message)", model: mapping.modelName, key: key)
        }
        guard Self.isName(name) else { throw invalid("needs a name of letters, digits and underscores") }
        let keys = try declaration.keys()
        guard !keys.isEmpty else { throw invalid("has no properties") }
        guard Set(keys).count == keys.count else { throw invalid("has a property twice") }
        columns = try keys.map { key in
            let index = try mapping.index(ofKey: key)
            guard ["text", "any"].contains(mapping.operands[index].kind.rawValue), index != mapping.rowID else {
                throw invalid(
                    "has a property that is stored as \(mapping.operands[index].kind): texts alone have words", key: key
                )
            }
            return index
        }
        guard declaration.weights.count <= keys.count, declaration.weights.allSatisfy(\.isFinite) else {
            throw invalid(
                "has \(declaration.weights.count) weights, for \(keys.count) properties, or one without an end")
        }
        guard declaration.prefixes.allSatisfy({ (1...999).contains($0) }) else {
            throw invalid("has a prefix of less than one letter, or of more than 999")
        }
        guard !mapping.key.isEmpty, mapping.rowID == nil else { throw invalid("needs a class with a primary key") }
        (self.name, self.declaration, self.mapping) = (name, declaration, mapping)
        table = "\(mapping.tableName)_\(name)"
        isByKey = try mapping.definition.hasRowIDKey
    }

}

extension FullTextDeclaration {
    /// The expression that ranks a row, in the words of the index's option: the best row has the least value.
    var rank: String {
        // FTS5 reads no exponent.
        let weights = weights.map { weight in
            "\(weight)".contains("e") ? String(format: "%.20f", weight) : "\(weight)"
        }
        return "\(function ?? "bm25")(\(weights.joined(separator: ", ")))"
    }

    /// Whether both are one index.
    func isSame(as other: FullTextDeclaration) -> Bool {
        guard tokenizer == other.tokenizer, prefixes == other.prefixes, let keys = try? keys() else { return false }
        return keys == (try? other.keys())
    }
}

extension Mapping {
    /// The full-text indexes that the class lists.
    func fullTextTables() throws -> [FullTextTable] {
        let tables = try modelType.fullTextIndexes.elements.map { try FullTextTable($0.name, $0.declaration, self) }
        for (place, table) in tables.enumerated()
        where tables[..<place].contains(where: { isSameName($0.name, table.name) }) {
            throw PersistenceError(
                .invalidModel, "fullTextIndexes has two of the name \(table.name): give one another", model: modelName)
        }
        return tables
    }

    /// A full-text index of the class.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` where the class doesn't list it.
    func fullTextTable(_ declaration: FullTextDeclaration) throws -> FullTextTable {
        let elements = modelType.fullTextIndexes.elements
        guard let element = elements.first(where: { $0.declaration.isSame(as: declaration) }) else {
            let keys = try declaration.keys().joined(separator: ", ")
            throw PersistenceError(
                .invalidModel,
                "the full-text index of \(keys) isn't listed in \(declaration.model()).fullTextIndexes, so that its table "
                    + "has none", model: modelName)
        }
        return try FullTextTable(element.name, element.declaration, self)
    }
}

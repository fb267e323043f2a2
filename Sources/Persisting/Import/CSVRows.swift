internal import Foundation

/// The rows of a CSV text.
final class CSVRows: ImportRows {
    let buffer: ImportBuffer
    private let format: CSVFormat
    private let reader: CSVReader
    /// The names of the fields.
    private let header: [String]
    /// How the rows of each class are read.
    private let layouts: [Layout]
    @exclusivity(unchecked) private var layout: Layout
    private let kinds: ImportKinds?
    /// The field of the kind.
    private let kindField: Int?
    @exclusivity(unchecked) private(set) var member = 0
    let ignored: [String]
    /// How many fields of the header the row has.
    @exclusivity(unchecked) private var known: Int
    /// Whether the row may be of a class that none of its fields belongs to.
    private let checksFields: Bool
    let values: PlainArray<ImportValue>
    @exclusivity(unchecked) private(set) var present: ColumnSet

    /// How the rows of a class are read.
    private final class Layout {
        let keys: ImportKeys
        /// The column of each field; -1 for one that is ignored.
        let columns: ContiguousArray<Int>
        let allPresent: ColumnSet
        /// The relationships that fields have the values of.
        let relationships: [(field: Int, attribute: RemoteMapping.Attribute)]
        /// The fields of other classes' properties.
        fileprivate(set) var others: [Int] = []

        init(_ keys: ImportKeys, _ columns: [Int], _ relationships: [(field: Int, attribute: RemoteMapping.Attribute)])
        {
            self.keys = keys
            self.relationships = relationships
            self.columns = ContiguousArray(columns)
            allPresent = ColumnSet(columns.filter { $0 >= 0 })
        }

        /// Whether the class has a property or a relationship for a field.
        func knows(_ field: Int) -> Bool { columns[field] >= 0 || relationships.contains { $0.field == field } }
    }

    var keys: ImportKeys { layout.keys }
    var line: Int { reader.line }
    var position: ImportPosition { ImportPosition(offset: buffer.offset, line: reader.lineAfterRow) }

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - buffer: The text from its beginning.
    ///   - position: Where to go on after the header.
    ///   - rest: Gives the text from there, unless that is the beginning.
    /// - Throws: ``PersistenceError/Code/invalidFormat``, ``PersistenceError/Code/unknownKey``.
    init(
        _ buffer: ImportBuffer, _ format: CSVFormat, _ target: ImportTarget, _ unknownKeys: UnknownKeys,
        at position: ImportPosition, resuming rest: () throws -> ImportBuffer
    ) throws {
        let keys = target.keys
        let separator = try format.separatorBytes()
        var reader = CSVReader(buffer, separator: separator)
        header = try format.names(from: reader, in: buffer, model: keys.mapping.modelName)
        kinds = target.kinds
        let layouts = try (kinds?.members ?? [keys]).map { [header] keys in
            Layout(keys, try Self.columns(header, format, keys), try Self.relationships(header, format, keys))
        }
        (self.layouts, layout) = (layouts, layouts[0])
        for layout in layouts {
            layout.others = header.indices.filter { field in
                !layout.knows(field) && layouts.contains { $0.knows(field) }
            }
        }
        checksFields = layouts.contains { $0.allPresent.isEmpty }
        let isUnknown = header.indices.filter { field in !layouts.contains { $0.knows(field) } }
        ignored = isUnknown.map { [header] in header[$0] }.filter { !$0.isEmpty && !keys.isOfGenerated($0) }
        try Self.check(header, isUnknown.count, ignored, unknownKeys, keys)
        kindField = kinds == nil ? nil : layout.columns.firstIndex(of: keys.kindIndex)
        present = layout.allPresent
        known = header.count
        values = PlainArray(repeating: .null, count: layouts.map(\.keys.count).max() ?? 0)
        self.format = format
        // Both may read from one handle: the header has been read by now.
        self.buffer = position.offset > 0 ? try rest() : buffer
        if position.offset > 0 { reader = CSVReader(self.buffer, separator: separator, line: position.line) }
        self.reader = reader
    }

    private static func columns(_ header: [String], _ format: CSVFormat, _ keys: ImportKeys) throws -> [Int] {
        let renamed = format.renamed
        var isGiven = false
        if case .absent = format.header { isGiven = true }
        // One of another class that shares the table, or of a relationship.
        func isOther(_ property: String) -> Bool {
            keys.mapping.isOfOtherClass(property) || keys.relationships.contains { $0.remoteKey == property }
        }
        var taken: [Int: String] = [:]
        return try header.map { name in
            let column =
                if let property = renamed[name] {
                    isOther(property) ? nil : try keys.column(ofProperty: property)
                } else {
                    keys.column(ofField: name, isGiven: isGiven)
                }
            guard let column else { return -1 }
            if let other = taken.updateValue(name, forKey: column), !keys.areNamesOfOne(other, name) {
                throw PersistenceError(
                    .invalidFormat,
                    "the names \"\(other)\" and \"\(name)\" are the same property, \(keys.property(of: column))",
                    model: keys.mapping.modelName)
            }
            return column
        }
    }

    /// The fields that have the values of relationships.
    private static func relationships(
        _ header: [String], _ format: CSVFormat, _ keys: ImportKeys
    ) throws -> [(field: Int, attribute: RemoteMapping.Attribute)] {
        let renamed = format.renamed
        return try keys.relationships.compactMap { attribute in
            let fields = header.indices.filter { (renamed[header[$0]] ?? header[$0]) == attribute.remoteKey }
            guard let field = fields.first else { return nil }
            if let other = fields.dropFirst().first {
                throw PersistenceError(
                    .invalidFormat,
                    "the names \"\(header[field])\" and \"\(header[other])\" are the same relationship, "
                        + attribute.remoteKey, model: keys.mapping.modelName)
            }
            return (field, attribute)
        }
    }

    /// Throws where no field is known, or one isn't that must be.
    private static func check(
        _ header: [String], _ unknownCount: Int, _ ignored: [String], _ unknownKeys: UnknownKeys, _ keys: ImportKeys
    ) throws {
        func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
        let names = (0..<keys.count).compactMap { keys.names[$0] } + keys.relationships.map(\.remoteKey)
        let known = names.joined(separator: ", ")
        let hint = keys.remote.attributes.isEmpty ? "" : ", as its remoteMapping says"
        guard unknownCount < header.count else {
            throw PersistenceError(
                .invalidFormat,
                "none of the fields \(list(header)) is one of the class's: \(known)\(hint); the separator may be another "
                    + "one", model: keys.mapping.modelName)
        }
        if unknownKeys == .fail, let first = ignored.first {
            throw PersistenceError(
                .unknownKey,
                "the header has \(list(ignored)), which the class doesn't have: its fields are \(known)\(hint). Correct "
                    + "the header, rename the field by CSVFormat, or pass unknownKeys: .ignore",
                model: keys.mapping.modelName, key: first)
        }
    }

    func next() throws -> Bool {
        guard try reader.next() else { return false }
        let count = reader.fieldCount
        if count != header.count { try format.check(reader, header.count) }
        let known = min(count, header.count)
        if let kinds { try takeKind(kinds, known) }
        let columns = layout.columns
        for place in 0..<known {
            let column = columns[place]
            guard column >= 0 else { continue }
            values[column] = value(place)
        }
        if known != self.known {
            self.known = known
            present = known == columns.count ? layout.allPresent : ColumnSet(columns[..<known].filter { $0 >= 0 })
        }
        if checksFields || known < header.count { try checkFields(known) }
        return true
    }

    /// Throws if none of the row's fields is known: nothing would come in but defaults.
    private func checkFields(_ known: Int) throws {
        guard member != ImportKinds.skipped, present.isEmpty,
            !layout.relationships.contains(where: { $0.field < known })
        else { return }
        let names = header[..<known].map { "\"\($0)\"" }.joined(separator: ", ")
        throw ImportProblem(reason: "none of the row's fields \(names) is one of \(layout.keys.mapping.modelName)'s")
    }

    func relationshipValues() throws -> [RelationshipValue] {
        let known = min(reader.fieldCount, header.count)
        return try layout.relationships.filter { $0.field < known }.map { field, attribute in
            let value = value(field)
            if value.kind == .null { return (attribute, nil) }
            guard isUTF8(value.bytes) else { throw ImportProblem(reason: "the text of \(header[field]) isn't UTF-8") }
            return (attribute, value.text)
        }
    }

    @inline(__always)
    private func value(_ place: Int) -> ImportValue {
        let field = reader.fields[place]
        if field.count == 0, !field.isQuoted { return .null }
        return ImportValue(
            kind: .text, start: UnsafePointer(buffer.bytes + field.start), count: field.count,
            isString: field.isQuoted)
    }

    /// Finds of which class the row is.
    private func takeKind(_ kinds: ImportKinds, _ known: Int) throws {
        // Until the kind is known, errors name the imported class's columns.
        var next = layouts[0]
        member = 0
        defer {
            if layout !== next {
                layout = next
                self.known = -1
            }
        }
        if let kindField, kindField < known {
            let kind = value(kindField)
            values[next.keys.kindIndex] = kind
            if layout !== next {
                layout = next
                self.known = -1
            }
            member = try kinds.place(of: kind)
            if layouts.indices.contains(member) { next = layouts[member] }
        }
        if member == ImportKinds.skipped { return }
        for place in next.others where place < known && value(place).kind != .null {
            throw ImportProblem(
                reason: "\(header[place]) isn't a property of \(next.keys.mapping.modelName), and the row has a value")
        }
    }

    func hasVirtualKeys(_ member: Int) -> Bool {
        let layout = layouts[layouts.indices.contains(member) ? member : 0]
        return layout.columns.contains(where: layout.keys.isVirtual)
    }

    func name(of column: Int) -> String { layout.columns.firstIndex(of: column).map { header[$0] } ?? "" }
}

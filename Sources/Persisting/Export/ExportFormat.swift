/// How a class's rows are written: its columns, and the text around their values.
struct ExportFormat {
    /// What is selected, in order.
    private(set) var selected: [String] = []
    /// How a row is written; of a class with subclasses, for each class.
    private var texts: [RowText] = []
    private let kinds: Kinds?
    private var betweenRows: [UInt8] = []
    private var start: [UInt8] = []
    private var end: [UInt8] = []
    private let style: ExportColumn.Style
    private let mapping: Mapping

    /// The text around the values of a row.
    private struct RowText {
        /// The values, and the text before each; nil for an empty field, of a property that the row's class lacks.
        var columns: [ExportColumn?] = []
        var before: [[UInt8]] = []
        var after: [UInt8] = []
    }

    /// Which text the rows of a kind have.
    private final class Kinds {
        /// Where the rows have the kind.
        var position = 0
        /// The kind that was met last, and the place of its text. Rows of one follow each other as a rule.
        var last: (kind: String, text: Int)?
    }

    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that a format asks for, and
    ///   ``PersistenceError/Code/invalidFormat``.
    init(_ format: FileFormat, _ keys: FileKeys, _ mapping: Mapping) throws {
        self.mapping = mapping
        kinds = mapping.hasSubclasses ? Kinds() : nil
        switch format {
        case .csv(let format):
            let separator = try format.separatorBytes()
            // Numbers, truths and blobs as SQL writes them aren't quoted.
            guard !separator.allSatisfy("+-.0123456789EInfatyruelsX'ABCDF".utf8.contains) else {
                throw PersistenceError(
                    .invalidFormat,
                    "values have \"\(format.separator)\" in them, so fields can't be separated by it: take another",
                    model: mapping.modelName)
            }
            style = .csv(separator: separator)
            try setUp(format, separator, keys)
        case .json(let format):
            style = .json
            try setUp(format, keys)
        }
        if let kinds, let place = mapping.place {
            kinds.position = position(of: SQLText.identifier(place.kindColumnName))
        }
    }

    /// The properties, and what they are called.
    private static func names(_ keys: FileKeys, _ mapping: Mapping) -> [(name: String, key: String)] {
        let attributes = mapping.modelType.remoteMapping.attributes
        if keys == .remote, !attributes.isEmpty {
            return attributes.compactMap { attribute in
                attribute.property.flatMap { mapping.isOfOtherClass($0) ? nil : (attribute.remoteKey, $0) }
            }
        }
        let kind = mapping.place.map { place in
            (keys == .columns ? place.kindColumnName : place.table.kindKey, place.table.kindKey)
        }
        return mapping.columns.indices.filter { $0 != mapping.rowID }.map { index in
            (keys == .columns ? mapping.columns[index].name : mapping.columns[index].key, mapping.columns[index].key)
        } + [kind].compactMap { $0 }
    }

    /// The place of what is selected.
    private mutating func position(of sql: String) -> Int {
        if let position = selected.firstIndex(of: sql) { return position }
        selected.append(sql)
        return selected.count - 1
    }

    private mutating func column(_ key: String, _ mapping: Mapping) throws -> ExportColumn {
        var column = try ExportColumn(key, mapping)
        column.position = position(of: column.sql)
        return column
    }

    private mutating func setUp(_ format: CSVFormat, _ separator: [UInt8], _ keys: FileKeys) throws {
        let members = mapping.members
        var named = members.map { Self.names(keys, $0) }
        var header: [String] = []
        if case .absent(let names) = format.header {
            header = names
            for (place, member) in members.enumerated() {
                let known = Set(named[place].map(\.name))
                named[place] += names.filter { !known.contains($0) && member.isFileKey($0) }.map { ($0, $0) }
            }
            // It throws for a name that no class knows.
            for name in names where !named.joined().contains(where: { $0.name == name }) {
                _ = try ExportColumn(name, mapping)
            }
        } else {
            if case .renamed(let names) = format.header {
                let fields = names.sorted { $0.key < $1.key }
                named = named.map { $0.map { name, key in (fields.first { $0.value == key }?.key ?? name, key) } }
                for member in named {
                    let given = member.map(\.name).filter { names[$0] != nil }
                    try CSVFormat.checkDuplicates(given, mapping.modelName)
                }
            }
            for name in named.joined().map(\.name) where !header.contains(name) { header.append(name) }
        }
        // A row of one field that is NULL would be a blank line.
        let after = (header.count == 1 ? separator : []) + [0x0A]
        for (member, named) in zip(members, named) {
            let columns = try header.map { name in
                try named.first { $0.name == name }.map { try column($0.key, member) }
            }
            texts.append(
                RowText(
                    columns: columns, before: header.indices.map { $0 == 0 ? [] : separator }, after: after))
        }
        if case .absent = format.header { return }
        start = try Self.line(header, separator, after)
    }

    /// A line of CSV with the fields' names.
    private static func line(_ names: [String], _ separator: [UInt8], _ after: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = ByteWriter { bytes += $0 }
        for (place, name) in names.enumerated() {
            if place > 0 { writer.append(separator) }
            Array(name.utf8).withUnsafeBytes { writer.append(csv: $0, separator: separator) }
        }
        writer.append(after)
        try writer.flush()
        return bytes
    }

    private mutating func setUp(_ format: JSONFormat, _ keys: FileKeys) throws {
        for member in mapping.members {
            let remote = keys == .remote ? member.modelType.remoteMapping : .automatic
            let named = Self.names(keys, member)
            let all = try named.map { try column($0.key, member) }
            var tree = JSONTree()
            for (place, name) in named.map(\.name).enumerated() {
                tree.add(remote.attributes.isEmpty ? [name] : JSONPath(name).keys[...], place)
            }
            if let root = remote.root { tree = JSONTree(children: [(root, tree)]) }
            var row = RowText()
            var text: [UInt8] = []
            tree.write(to: &text) { place, text in
                row.before.append(text)
                row.columns.append(all[place])
                text = []
            }
            row.after = text + (format.isLines ? [0x0A] : [])
            texts.append(row)
        }
        if format.isLines { return }
        for key in format.path {
            start += [0x7B] + JSONTree.name(key)
            end.append(0x7D)
        }
        start.append(0x5B)
        betweenRows = Array(",\n".utf8)
        end = [0x5D] + end + [0x0A]
    }

    /// Writes what comes before the rows.
    func writeStart(to writer: ByteWriter) { writer.append(start) }

    /// Writes what comes after the rows.
    func writeEnd(to writer: ByteWriter) { writer.append(end) }

    /// Writes the row that a source stands on.
    @inline(__always)
    func writeRow<Source: ColumnSource>(
        _ source: borrowing Source, isFirst: Bool, to writer: ByteWriter
    ) throws {
        if !isFirst { writer.append(betweenRows) }
        let text = texts[kinds == nil ? 0 : try text(source)]
        for place in text.columns.indices {
            writer.append(text.before[place])
            if let column = text.columns[place] { try column.write(source, at: column.position, to: writer, style) }
        }
        writer.append(text.after)
    }

    /// The place of the text that a row's kind has.
    private func text<Source: ColumnSource>(_ source: borrowing Source) throws -> Int {
        guard let kinds, let place = mapping.place else { return 0 }
        let stored = try source.value(at: kinds.position)
        guard case .text(let kind) = stored else { throw mapping.unknownKind(stored, place) }
        if let last = kinds.last, last.kind == kind { return last.text }
        let member = try mapping.member(ofKind: kind)
        let text = mapping.members.firstIndex { $0 === member } ?? 0
        kinds.last = (kind, text)
        return text
    }
}

/// The keys of an object, and of the objects in it.
private struct JSONTree {
    var children: [(key: String, tree: JSONTree)] = []
    var column: Int?

    /// Adds a column; of two with one key the first counts.
    mutating func add(_ path: ArraySlice<String>, _ column: Int) {
        guard let key = path.first else {
            self.column = self.column ?? column
            return
        }
        let place = children.firstIndex { $0.key == key } ?? children.count
        if place == children.count { children.append((key, JSONTree())) }
        children[place].tree.add(path.dropFirst(), column)
    }

    /// A key, and its colon.
    static func name(_ key: String) -> [UInt8] {
        var name: [UInt8] = []
        let writer = ByteWriter { name += $0 }
        Array(key.utf8).withUnsafeBytes { writer.append(json: $0) }
        // Its closure throws nothing.
        try? writer.flush()
        return name + [0x3A]
    }

    /// Writes the text around the values. It recurs as deep as the class's mapping says.
    func write(to text: inout [UInt8], _ value: (Int, inout [UInt8]) -> Void) {
        text.append(0x7B)
        for (place, (key, tree)) in children.enumerated() {
            if place > 0 { text.append(0x2C) }
            text += Self.name(key)
            if let column = tree.column { value(column, &text) } else { tree.write(to: &text, value) }
        }
        text.append(0x7D)
    }
}

/// How a class's rows are written: its columns, and the text around their values.
struct ExportFormat {
    private(set) var columns: [ExportColumn] = []
    /// The text before each value.
    private var before: [[UInt8]] = []
    private var afterRow: [UInt8] = []
    private var betweenRows: [UInt8] = []
    private var start: [UInt8] = []
    private var end: [UInt8] = []
    private let style: ExportColumn.Style

    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that a format asks for, and
    ///   ``PersistenceError/Code/invalidFormat``.
    init(_ format: FileFormat, _ keys: FileKeys, _ mapping: Mapping) throws {
        switch format {
        case .csv(let format):
            let separator = try format.separatorBytes()
            style = .csv(separator: separator)
            try setUp(format, separator, Self.names(keys, mapping), mapping)
        case .json(let format):
            style = .json
            try setUp(format, keys, mapping)
        }
    }

    /// The properties, and what they are called.
    private static func names(_ keys: FileKeys, _ mapping: Mapping) -> [(name: String, key: String)] {
        let attributes = mapping.modelType.remoteMapping.attributes
        if keys == .remote, !attributes.isEmpty {
            return attributes.compactMap { attribute in attribute.property.map { (attribute.remoteKey, $0) } }
        }
        return mapping.columns.indices.filter { $0 != mapping.rowID }.map { index in
            (keys == .columns ? mapping.columns[index].name : mapping.columns[index].key, mapping.columns[index].key)
        }
    }

    private mutating func setUp(
        _ format: CSVFormat, _ separator: [UInt8], _ all: [(name: String, key: String)], _ mapping: Mapping
    ) throws {
        var named = all
        switch format.header {
        case .present: break
        case .renamed(let names):
            let fields = names.sorted { $0.key < $1.key }
            named = all.map { name, key in (fields.first { $0.value == key }?.key ?? name, key) }
        case .absent(let names):
            named = names.map { name in all.first { $0.name == name } ?? (name, name) }
        }
        columns = try named.map { try ExportColumn($0.key, mapping) }
        before = columns.indices.map { $0 == 0 ? [] : separator }
        // A row of one field that is NULL would be a blank line.
        afterRow = (columns.count == 1 ? separator : []) + [0x0A]
        if case .absent = format.header { return }
        var header: [UInt8] = []
        let writer = ByteWriter { header += $0 }
        for (place, name) in named.map(\.name).enumerated() {
            writer.append(before[place])
            Array(name.utf8).withUnsafeBytes { writer.append(csv: $0, separator: separator) }
        }
        writer.append(afterRow)
        try writer.flush()
        start = header
    }

    private mutating func setUp(_ format: JSONFormat, _ keys: FileKeys, _ mapping: Mapping) throws {
        let remote = keys == .remote ? mapping.modelType.remoteMapping : .automatic
        let named = Self.names(keys, mapping)
        let all = try named.map { try ExportColumn($0.key, mapping) }
        var tree = JSONTree()
        for (place, name) in named.map(\.name).enumerated() {
            tree.add(remote.attributes.isEmpty ? [name] : JSONPath(name).keys[...], place)
        }
        if let root = remote.root { tree = JSONTree(children: [(root, tree)]) }
        var text: [UInt8] = []
        tree.write(to: &text) { place, text in
            before.append(text)
            columns.append(all[place])
            text = []
        }
        afterRow = text + (format.isLines ? [0x0A] : [])
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
        for place in columns.indices {
            writer.append(before[place])
            try columns[place].write(source, at: place, to: writer, style)
        }
        writer.append(afterRow)
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

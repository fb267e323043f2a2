internal import Foundation

/// The rows of a file that is imported, one after the other.
protocol ImportRows: AnyObject {
    /// The values of the row that was read last, by the class's columns, where it has one.
    var values: PlainArray<ImportValue> { get }
    /// The columns of which the row has a value.
    var present: ColumnSet { get }
    /// Where the row begins, to ask for the line later, as long as the buffer forgets nothing.
    var mark: Int { get }
    /// The line of a row.
    func line(of mark: Int) -> Int
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
    /// The line on which the row begins.
    var line: Int { line(of: mark) }

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
    var mark: Int { reader.line }
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

    func line(of mark: Int) -> Int { mark }

    private static func columns(_ header: [String], _ format: CSVFormat, _ keys: ImportKeys) throws -> [Int] {
        var renamed: [String: String] = [:]
        if case .renamed(let names) = format.header { renamed = names }
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
            if let other = taken.updateValue(name, forKey: column) {
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
        var renamed: [String: String] = [:]
        if case .renamed(let names) = format.header { renamed = names }
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

/// The objects of a JSON text.
final class JSONRows: ImportRows {
    let buffer: ImportBuffer
    private let format: JSONFormat
    private let scanner: JSONScanner
    /// The keys of each class.
    private let members: [ImportKeys]
    private let kinds: ImportKinds?
    private let kindPaths: [[[UInt8]]]
    private(set) var keys: ImportKeys
    private(set) var member = 0
    private let unknownKeys: UnknownKeys
    /// A key of the object that no class knows, and one of another class's property.
    private var unknown: String?
    private var ofOtherClass: String?
    private let root: [UInt8]?
    private let reader: JSONEnvelope
    /// Whether the array has begun, and a value of it has been read.
    private var (isInside, isAfterValue, isDone) = (false, false, false)
    private let lines: LineCount
    let values: PlainArray<ImportValue>
    @exclusivity(unchecked) private(set) var present = ColumnSet()
    /// The text of the object, where closures store a part of it.
    private var json: Data?
    private let keepsJSON: Bool

    /// Counts lines, when they are asked for.
    private final class LineCount {
        var before: Int
        /// Where the value begins that was read last.
        var start = 0

        init(_ line: Int) {
            before = line
        }

        /// Notes bytes that are forgotten.
        func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            before += Self.count(bytes)
            start = max(0, start - bytes.count)
        }

        static func count(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
            var count = 0
            for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
            return count
        }
    }

    /// - Parameter position: The place at which the buffer begins.
    init(
        _ buffer: ImportBuffer, _ format: JSONFormat, _ target: ImportTarget, _ unknownKeys: UnknownKeys,
        at position: ImportPosition
    ) {
        let keys = target.keys
        self.buffer = buffer
        self.format = format
        self.keys = keys
        self.unknownKeys = unknownKeys
        kinds = target.kinds
        members = kinds?.members ?? [keys]
        kindPaths = kinds == nil ? [] : keys.kindPaths
        keepsJSON = members.contains { !$0.relationships.isEmpty }
        root = keys.remote.root.map { Array($0.utf8) }
        scanner = JSONScanner(
            buffer, depth: (members.map(\.top.depth).max() ?? 0) + (keys.remote.root == nil ? 0 : 1),
            isLines: format.isLines)
        reader = JSONEnvelope(buffer, format.path)
        values = PlainArray(repeating: .null, count: members.map(\.count).max() ?? 0)
        let lines = LineCount(position.line)
        self.lines = lines
        buffer.willForget = { lines.add($0) }
        (isInside, isAfterValue) = (position.offset > 0, position.offset > 0)
    }

    func hasVirtualKeys(_ member: Int) -> Bool {
        members[members.indices.contains(member) ? member : 0].hasVirtualKeys
    }

    var ignored: [String] {
        var seen: Set<String> = []
        return members.flatMap(\.ignored).filter { seen.insert($0).inserted }
    }

    var mark: Int { lines.start }
    var position: ImportPosition { ImportPosition(offset: buffer.offset, line: line(at: buffer.position)) }

    func line(of mark: Int) -> Int { line(at: mark) }

    private func line(at place: Int) -> Int {
        lines.before + LineCount.count(UnsafeBufferPointer(start: buffer.bytes, count: min(place, buffer.count)))
    }

    func name(of column: Int) -> String { keys.names[column] ?? "" }

    func next() throws -> Bool {
        guard try findValue() else { return false }
        do {
            while true {
                lines.start = buffer.position
                if let end = try scanner.scan(from: buffer.position) {
                    buffer.position = end
                    break
                }
                _ = try buffer.readMore()
            }
            isAfterValue = true
        } catch let mistake as JSONScanner.Mistake {
            throw try problem(mistake)
        }
        try take()
        return true
    }

    private func nextByte() throws -> UInt8? { try buffer.nextByteOfJSON() }

    /// Goes to the beginning of the next value.
    ///
    /// - Returns: False at the end.
    private func findValue() throws -> Bool {
        if isDone { return false }
        if format.isLines {
            if isAfterValue, try !isAtEndOfLine() {
                let line = line(at: buffer.position)
                try skipLine()
                throw ImportProblem(reason: "there is more on the line than one value", line: line)
            }
            isAfterValue = false
            return try nextByte() != nil
        }
        if !isInside, try envelope({ try reader.open() }) == false {
            throw broken("the text is empty, where an array is expected")
        }
        guard let byte = try nextByte() else { throw broken("the array isn't closed") }
        if !isInside {
            isInside = true
            if byte != 0x5D { return true }
        } else if byte == 0x2C, isAfterValue {
            buffer.position += 1
            guard try nextByte() != nil else { throw broken("the array isn't closed") }
            isAfterValue = false
            return true
        } else if byte != 0x5D {
            throw broken("a comma or ] is missing after a value")
        }
        isDone = true
        buffer.position += 1
        try envelope { try reader.close() }
        return false
    }

    /// Reads what is around the array.
    private func envelope<T>(_ read: () throws -> T) throws -> T {
        do {
            return try read()
        } catch let mistake as JSONScanner.Mistake {
            throw ImportProblem(reason: mistake.reason, endsImport: true, line: line(at: mistake.position))
        }
    }

    /// Whether nothing else than blanks is on the line.
    private func isAtEndOfLine() throws -> Bool {
        while true {
            while buffer.position < buffer.count {
                let byte = buffer.bytes[buffer.position]
                if byte == 0x0A { return true }
                guard byte == 0x20 || byte == 0x0D || byte == 0x09 else { return false }
                buffer.position += 1
            }
            guard try buffer.readMore() else { return true }
        }
    }

    /// Skips the rest of the line.
    private func skipLine() throws {
        isAfterValue = false
        while true {
            while buffer.position < buffer.count {
                buffer.position += 1
                if buffer.bytes[buffer.position - 1] == 0x0A { return }
            }
            guard try buffer.readMore() else { return }
        }
    }

    private func broken(_ reason: String) -> ImportProblem {
        ImportProblem(reason: reason, endsImport: true, line: line(at: buffer.position))
    }

    private func problem(_ mistake: JSONScanner.Mistake) throws -> ImportProblem {
        // Where the next element of an array begins can't be known.
        let line = line(at: mistake.position)
        guard format.isLines else { return ImportProblem(reason: mistake.reason, endsImport: true, line: line) }
        buffer.position = min(mistake.position, buffer.count)
        try skipLine()
        return ImportProblem(reason: mistake.reason, line: line)
    }

    /// Finds the values of the object's columns.
    private func take() throws {
        present = ColumnSet()
        var object = 0
        if let root, scanner.nodes.count > 2, scanner.nodes[0].kind == .object, scanner.nodes[2].kind == .object,
            scanner.nodes[2].next == scanner.nodes.count, scanner.text(of: 1).elementsEqual(root)
        {
            object = 2
        }
        let node = scanner.nodes[object]
        guard node.kind == .object else { throw ImportProblem(reason: "the value isn't an object") }
        // Escapes are replaced in their place.
        if keepsJSON { json = Data(UnsafeBufferPointer(start: buffer.bytes + node.start, count: node.count)) }
        (unknown, ofOtherClass) = (nil, nil)
        if let kinds {
            (member, keys) = (0, members[0])
            let kind = kindPaths.lazy.compactMap { self.value(at: $0[...], of: object) }.first
            if let kind {
                set(keys.kindIndex, to: kind)
                member = try kinds.place(of: values[keys.kindIndex])
                if member == ImportKinds.skipped { return }
                if members.indices.contains(member) { keys = members[member] }
                present = ColumnSet()
            }
        }
        take(object, keys.top)
        if let ofOtherClass {
            throw ImportProblem(
                reason: "\(ofOtherClass) isn't a property of \(keys.mapping.modelName), and the object has a value")
        }
        if let unknown, unknownKeys == .fail {
            throw ImportProblem(reason: "the key \"\(unknown)\" isn't one of the class's: \(knownKeys)")
        }
        if present.isEmpty, let problem = unknownKeys(object) { throw problem }
    }

    /// The value that a path of keys leads to.
    private func value(at path: ArraySlice<[UInt8]>, of object: Int) -> Int? {
        guard let name = path.first else { return object }
        guard scanner.nodes[object].kind == .object, scanner.nodes[object].isOpen else { return nil }
        var place = object + 1
        while place < scanner.nodes[object].next {
            if scanner.text(of: place).elementsEqual(name) { return value(at: path.dropFirst(), of: place + 1) }
            place = scanner.next(after: place + 1)
        }
        return nil
    }

    /// The keys that the class has.
    private var knownKeys: String {
        keys.top.children.filter { !$0.isIgnored && !$0.isOfOtherClass }.map(\.path).joined(separator: ", ")
    }

    /// The problem of an object none of whose keys is known: nothing would come in but defaults.
    private func unknownKeys(_ object: Int) -> ImportProblem? {
        var names: [String] = []
        var place = object + 1
        while place < scanner.nodes[object].next, names.count < 5 {
            if let child = keys.top.child(scanner.text(of: place), expected: 0), !keys.top.children[child].isIgnored {
                return nil
            }
            names.append("\"\(String(decoding: scanner.text(of: place).prefix(50), as: UTF8.self))\"")
            place = max(place + 2, scanner.nodes[place + 1].next)
        }
        if names.isEmpty { return ImportProblem(reason: "the object has no keys; the class's are: \(knownKeys)") }
        return ImportProblem(
            reason: "none of the keys \(names.joined(separator: ", ")) is one of the class's: \(knownKeys)")
    }

    func relationshipValues() throws -> [RelationshipValue] {
        guard !keys.relationships.isEmpty, let json else { return [] }
        let object = try JSONSerialization.jsonObject(with: json)
        return keys.relationshipValues(in: object as? [String: Any] ?? [:])
    }

    private func take(_ object: Int, _ key: ImportKeys.Key) {
        var place = object + 1
        let end = scanner.nodes[object].next
        var expected = 0
        while place < end {
            let value = place + 1
            let kind = scanner.nodes[value].kind
            if let child = key.child(scanner.text(of: place), expected: expected) {
                expected = child + 1
                let child = key.children[child]
                if child.isIgnored { unknown = child.path }
                if child.isOfOtherClass, kind != .null { ofOtherClass = child.path }
                if let column = child.column { set(column, to: value) }
                if !child.children.isEmpty {
                    if kind == .object {
                        take(value, child)
                    } else if kind == .null {
                        for column in child.columns { set(column, to: value) }
                    }
                }
            } else {
                let name = scanner.text(of: place)
                let noted = keys.note(name, below: key, others: members)
                if noted?.isOfOtherClass == true {
                    if kind != .null { ofOtherClass = noted?.path }
                } else if unknownKeys == .fail {
                    unknown = noted?.path ?? String(decoding: name.prefix(50), as: UTF8.self)
                }
            }
            place = scanner.next(after: value)
        }
    }

    private func set(_ column: Int, to node: Int) {
        present.insert(column)
        let kind: ImportValue.Kind =
            switch scanner.nodes[node].kind {
            case .null: .null
            case .no: .no
            case .yes: .yes
            case .number: .number
            case .string: .text
            case .object, .array: .container
            }
        let text = kind == .text ? scanner.text(of: node) : nil
        let found = scanner.nodes[node]
        values[column] = ImportValue(
            kind: kind, start: text?.baseAddress ?? UnsafePointer(buffer.bytes + found.start),
            count: text?.count ?? found.count, isString: kind == .text)
    }
}

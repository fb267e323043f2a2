internal import Foundation

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
    @exclusivity(unchecked) private(set) var line: Int
    let values: PlainArray<ImportValue>
    @exclusivity(unchecked) private(set) var present = ColumnSet()
    /// The text of the object as the file has it, for closures that store a part of it, and for columns that get an
    /// object in which others look for their values: in the buffer, escapes are replaced in their place.
    private let original = PlainArray<UInt8>()
    /// Where the buffer has it.
    private var startOfOriginal = 0
    private let keepsOriginal: Bool

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
        keepsOriginal =
            kindPaths.contains { $0.count > 1 }
            || members.contains { !$0.relationships.isEmpty || $0.top.hasColumnsInsideOfOthers }
        root = keys.remote.root.map { Array($0.utf8) }
        (lines, line) = (LineCount(position.line), position.line)
        scanner = JSONScanner(
            buffer, lines, depth: (members.map(\.top.depth).max() ?? 0) + (keys.remote.root == nil ? 0 : 1),
            isLines: format.isLines)
        reader = JSONEnvelope(buffer, lines, format.path)
        values = PlainArray(repeating: .null, count: members.map(\.count).max() ?? 0)
        buffer.willForget = lines.forget
        (isInside, isAfterValue) = (position.offset > 0, position.offset > 0)
    }

    func hasVirtualKeys(_ member: Int) -> Bool {
        members[members.indices.contains(member) ? member : 0].hasVirtualKeys
    }

    var ignored: [String] {
        var seen: Set<String> = []
        return members.flatMap(\.ignored).filter { seen.insert($0).inserted }
    }

    var position: ImportPosition { ImportPosition(offset: buffer.offset, line: line(at: buffer.position)) }

    private func line(at place: Int) -> Int { lines.line(at: place, of: buffer) }

    func name(of column: Int) -> String { keys.names[column] ?? "" }

    func next() throws -> Bool {
        guard try findValue() else { return false }
        do {
            while true {
                line = line(at: buffer.position)
                if let end = try scanner.scan(from: buffer.position) {
                    try buffer.take(upTo: end, next: end)
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
            return try buffer.nextByteOfJSON() != nil
        }
        if !isInside, try envelope({ try reader.open() }) == false {
            throw broken("the text is empty, where an array is expected")
        }
        guard let byte = try buffer.nextByteOfJSON() else { throw broken("the array isn't closed") }
        if !isInside {
            isInside = true
            if byte != 0x5D { return true }
        } else if byte == 0x2C, isAfterValue {
            buffer.position += 1
            guard try buffer.nextByteOfJSON() != nil else { throw broken("the array isn't closed") }
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
        if keepsOriginal {
            original.replaceAll(with: UnsafeBufferPointer(start: buffer.bytes + node.start, count: node.count))
            startOfOriginal = node.start
        }
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
        guard !keys.relationships.isEmpty else { return [] }
        let object = try JSONSerialization.jsonObject(with: Data(original.elements))
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
        var start = text?.baseAddress ?? UnsafePointer(buffer.bytes + found.start)
        if kind == .container, let first = original.elements.baseAddress, keepsOriginal {
            start = first + (found.start - startOfOriginal)
        }
        values[column] = ImportValue(
            kind: kind, start: start, count: text?.count ?? found.count, isString: kind == .text)
    }
}

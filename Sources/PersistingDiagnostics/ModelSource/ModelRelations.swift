internal import SQLiteKit

/// The relations of a generated class, as Swift writes them.
struct ModelRelations {
    /// The declarations, by their names.
    private(set) var all: [(name: String, source: String)] = []
    /// The foreign keys that they declare.
    private(set) var foreignKeys: Set<Int> = []

    mutating func add(_ name: String, _ source: String, declaring key: DatabaseSchema.ForeignKey? = nil) {
        all.append((name, source))
        if let key { foreignKeys.insert(key.id) }
    }

    /// What the class has for them.
    var declarations: [String] {
        guard !all.isEmpty else { return [] }
        let properties = all.map { name, source in
            let start = "    static let \(SwiftSource.identifier(name)) = "
            guard start.count + source.count > 120, let open = source.firstIndex(of: "(") else {
                return "\(start)\(source)\n"
            }
            return "\(start)\(source[...open])\n        \(source[open...].dropFirst())\n"
        }.joined()
        let list = all.map { "\(SwiftSource.literal($0.name)): \(SwiftSource.identifier($0.name))" }
        let line = "    override class var relations: Relations { [\(list.joined(separator: ", "))] }"
        guard line.count > 120 else { return [properties + line] }
        let lines = list.map { "            \($0),\n" }.joined()
        return ["\(properties)    override class var relations: Relations {\n        [\n\(lines)        ]\n    }"]
    }
}

/// The classes of several tables, with the relations between them.
struct RelatedModels {
    private(set) var sources: [ModelSource]
    /// The names that static properties of a class have, by the class's place.
    private var taken: [Set<String>]

    init(_ sources: [ModelSource]) {
        self.sources = sources
        taken = sources.map { source in
            TakenNames.classMembers.union(source.properties.map(\.key)).union(source.fullText.declared.map(\.name))
        }
        for child in sources.indices {
            for key in sources[child].table.foreignKeys { relate(child, key) }
        }
    }

    /// Declares a foreign key as a relation of the child's class, and its inverse as one of the parent's. One that
    /// relations can't declare stays with its column.
    private mutating func relate(_ child: Int, _ key: DatabaseSchema.ForeignKey) {
        let source = sources[child]
        guard let parent = sources.firstIndex(where: { isSameName($0.table.name, key.parent) }),
            sources[parent].table.kind == .table,
            let own = source.properties(of: key.columns), !own.isEmpty,
            let other = sources[parent].properties(of: key.parentColumns), own.count == other.count,
            zip(own, other).allSatisfy({ $0.type == $1.type && $0.type != "SQLiteValue" }),
            sources[parent].isUnique(key.parentColumns),
            // A relation rejects what SQLite accepts until a parent goes.
            ![key.onDelete, key.onUpdate].contains(.setNull) || own.allSatisfy({ $0.initial == nil })
        else { return }
        let (childName, parentName) = (source.className, sources[parent].className)
        let toOne = name(toOneName(own, parentName), child)
        sources[child].relations.add(toOne, toOneSource(source, parent, key, own, other), declaring: key)
        let isOnlyOne = source.table.foreignKeys.count { isSameName($0.parent, key.parent) } == 1
        let plural = Self.plural(Self.lowerCamelCase(childName))
        let toMany = name(isOnlyOne ? plural : plural + "By" + toOne.prefix(1).uppercased() + toOne.dropFirst(), parent)
        sources[parent].relations.add(
            toMany, "ToMany(inverse: \(childName).\(SwiftSource.identifier(toOne)))")
    }

    private func toOneSource(
        _ source: ModelSource, _ parent: Int, _ key: DatabaseSchema.ForeignKey, _ own: [ModelSource.Property],
        _ other: [ModelSource.Property]
    ) -> String {
        func paths(_ properties: [ModelSource.Property], _ className: String, isList: Bool) -> String {
            let paths = properties.map { "\\\(className).\(SwiftSource.identifier($0.key))" }
            return isList ? "[\(paths.joined(separator: ", "))]" : paths.joined()
        }
        let className = sources[parent].className
        var arguments = [paths(own, source.className, isList: own.count > 1), "\(className).self"]
        if key.parentColumns.map(asciiLowercased) != sources[parent].table.primaryKey.map(asciiLowercased) {
            arguments.append("references: \(paths(other, className, isList: own.count > 1))")
        }
        if key.onDelete != .cascade { arguments.append("onDelete: \(Self.action(key.onDelete))") }
        if key.onUpdate != .noAction { arguments.append("onUpdate: \(Self.action(key.onUpdate))") }
        if key.isDeferred { arguments.append("isDeferred: true") }
        if !source.hasIndex(key.columns) { arguments.append("isIndexed: false") }
        return "ToOne(\(arguments.joined(separator: ", ")))"
    }

    private static func action(_ action: DatabaseSchema.ForeignKey.Action) -> String {
        switch action {
        case .noAction: "nil"
        case .restrict: ".restrict"
        case .setNull: ".setNull"
        case .setDefault: ".setDefault"
        case .cascade: ".cascade"
        }
    }

    // MARK: Names

    /// `show` for the property `showID`, and otherwise the parent's name.
    private func toOneName(_ own: [ModelSource.Property], _ parent: String) -> String {
        let key = own[0].key
        guard own.count == 1 else { return Self.lowerCamelCase(parent) }
        for suffix in ["ID", "Id", "Key"] where key.hasSuffix(suffix) && key.count > suffix.count {
            return String(key.dropLast(suffix.count))
        }
        let name = Self.lowerCamelCase(parent)
        return name == key ? name + "Row" : name
    }

    /// A name that nothing else in the class has.
    private mutating func name(_ wanted: String, _ place: Int) -> String {
        var (name, number) = (wanted, 2)
        while !taken[place].insert(name).inserted {
            name = "\(wanted)\(number)"
            number += 1
        }
        return name
    }

    private static func lowerCamelCase(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    private static func plural(_ name: String) -> String {
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        if ["x", "ch", "sh", "ss"].contains(where: name.hasSuffix) { return name + "es" }
        return name.hasSuffix("s") ? name : name + "s"
    }
}

extension ModelSource {
    /// The properties of columns; nil if one has none.
    fileprivate func properties(of columns: [String]) -> [Property]? {
        let found = columns.compactMap { name in properties.first { isSameName($0.column.name, name) } }
        return found.count == columns.count ? found : nil
    }

    fileprivate func isUnique(_ columns: [String]) -> Bool {
        let keys = table.indexes.filter { $0.isUnique && !$0.isPartial }.map { $0.columns.compactMap(\.name) }
        return (keys + [table.primaryKey]).contains { $0.map(asciiLowercased) == columns.map(asciiLowercased) }
    }

    /// Whether an index begins with columns.
    fileprivate func hasIndex(_ columns: [String]) -> Bool {
        let keys = table.indexes.filter { !$0.isPartial }.map { $0.columns.compactMap(\.name) }
        return (keys + [table.primaryKey]).contains {
            $0.prefix(columns.count).map(asciiLowercased) == columns.map(asciiLowercased)
        }
    }
}

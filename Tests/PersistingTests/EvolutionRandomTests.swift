import Foundation
import Persisting
import Testing

/// Numbers as types: what makes two thousand classes of one generic class.
private protocol Number { static var value: Int { get } }
private enum Zero: Number { static var value: Int { 0 } }
private enum Twice<Half: Number>: Number { static var value: Int { Half.value * 2 } }
private enum TwiceAndOne<Half: Number>: Number { static var value: Int { Half.value * 2 + 1 } }

private func numberType(_ value: Int) -> any Number.Type {
    func even<Half: Number>(_ half: Half.Type) -> any Number.Type { Twice<Half>.self }
    func odd<Half: Number>(_ half: Half.Type) -> any Number.Type { TwiceAndOne<Half>.self }
    if value == 0 { return Zero.self }
    let half = numberType(value / 2)
    return value.isMultiple(of: 2) ? even(half) : odd(half)
}

private func evolvingType(_ value: Int) -> PersistingModel.Type {
    func type<N: Number>(_ number: N.Type) -> PersistingModel.Type { Evolving<N>.self }
    return type(numberType(value))
}

/// A class whose columns follow from a number: an even one is the first version of a pair, the next is the second.
private final class Evolving<N: Number>: PersistingModel {
    var id: Int64?
    var text0: String?
    var text1: String?
    var text2 = ""
    var int0: Int?
    var int1: Int?
    var int2 = 0
    var real0: Double?
    var real1: Double?
    var real2 = 0.0
    var data0: Data?
    var data1: Data?

    override class var tableName: String { "EVOLVING" }
    override class var columns: Columns { Version.of(N.value).declared }
    override class var indexes: [Index] { Version.of(N.value).indexes.map { Index($0) } }
    override class var tableOptions: TableOptions { Version.of(N.value).isStrict ? .strict : [] }
}

private struct Version {
    struct Column {
        var name: String
        var property: String
        var former: String?
        var isUnique = false
        var check: SQL?
        var defaultValue: SQLiteValue?
    }

    var columns: [Column] = []
    var indexes: [String] = []
    var isStrict = false

    var declared: Columns {
        Columns(
            [("ID", ColumnDeclaration.int)]
                + columns.map { column in
                    var declaration = ColumnDeclaration.any.property(column.property)
                    if let former = column.former { declaration = declaration.formerly(former) }
                    if column.isUnique { declaration = declaration.unique }
                    if let check = column.check { declaration = declaration.check(check) }
                    if let value = column.defaultValue { declaration = declaration.default(value) }
                    return (column.name, declaration)
                })
    }

    static let properties = [
        "text0", "text1", "text2", "int0", "int1", "int2", "real0", "real1", "real2", "data0", "data1",
    ]

    static func of(_ number: Int) -> Version {
        var random = SeededGenerator(seed: UInt64(number / 2))
        let first = Version.random(&random)
        return number.isMultiple(of: 2) ? first : first.evolved(&random)
    }

    private static func random(_ random: inout SeededGenerator) -> Version {
        var version = Version()
        let properties = properties.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random))
        version.columns = properties.enumerated().map {
            Column(name: ["A", "b b", "ORDER", "D", "É"][$0], property: $1)
        }
        if Int.random(in: 0..<4, using: &random) == 0 { version.indexes = [version.columns[0].property] }
        version.isStrict = Int.random(in: 0..<4, using: &random) == 0
        return version
    }

    private func evolved(_ random: inout SeededGenerator) -> Version {
        var version = self
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let unused = Self.properties.filter { property in !version.columns.contains { $0.property == property } }
            let place = version.columns.indices.randomElement(using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                guard let property = unused.randomElement(using: &random) else { continue }
                let name = "NEW\(version.columns.count)"
                guard !version.columns.contains(where: { $0.name == name }) else { continue }
                var column = Column(name: name, property: property)
                if Bool.random(using: &random), property.hasPrefix("int") { column.defaultValue = 7 }
                version.columns.append(column)
            case 2:
                guard let place, version.columns[place].former == nil, version.columns[place].check == nil,
                    !version.columns[place].name.hasPrefix("NEW")
                else {
                    continue
                }
                let name = "TO_\(place)"
                guard !version.columns.contains(where: { $0.name == name }) else { continue }
                version.columns[place].former = version.columns[place].name
                version.columns[place].name = name
            case 3, 4:
                guard let place, let property = unused.randomElement(using: &random) else { continue }
                let old = version.columns[place].property
                version.columns[place].property = property
                version.columns[place].defaultValue = nil
                version.indexes.removeAll { $0 == old }
            case 5:
                guard let place, version.columns.count > 1 else { continue }
                version.indexes.removeAll { $0 == version.columns[place].property }
                version.columns.remove(at: place)
            case 6:
                guard let place else { continue }
                if Bool.random(using: &random) {
                    version.columns[place].isUnique = true
                } else {
                    let name = version.columns[place].name
                    version.columns[place].check = "\(identifier: name) IS NOT 3"
                }
            default:
                if Bool.random(using: &random) {
                    version.isStrict = true
                } else if let place, !version.indexes.contains(version.columns[place].property) {
                    version.indexes.append(version.columns[place].property)
                }
            }
        }
        version.turnNames(&random)
        return version
    }

    /// Has two or three columns exchange their names, or pass them on in a chain, whose last name may be a new column's.
    private mutating func turnNames(_ random: inout SeededGenerator) {
        let old = columns.indices.filter {
            columns[$0].former == nil && columns[$0].check == nil && !columns[$0].name.hasPrefix("NEW")
        }
        let turned = Array(old.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
        guard turned.count > 1 else { return }
        let names = turned.map { columns[$0].name }
        let isChain = Bool.random(using: &random)
        for (place, index) in turned.enumerated() {
            columns[index].former = names[place]
            let isLast = place + 1 == turned.count
            columns[index].name = isLast ? isChain ? "LAST" : names[0] : names[place + 1]
        }
        guard isChain, Bool.random(using: &random) else { return }
        let unused = Self.properties.first { property in
            !columns.contains { $0.property == property } && !property.hasSuffix("2")
        }
        if let unused { columns.append(Column(name: names[0], property: unused)) }
    }
}

private func randomValue(_ property: String, _ random: inout SeededGenerator) -> SQLiteValue {
    if !property.hasSuffix("2"), Int.random(in: 0..<4, using: &random) == 0 { return .null }
    let number = Int64.random(in: 0..<1000, using: &random)
    return switch property.prefix(3) {
    case "tex": Int.random(in: 0..<8, using: &random) > 0 ? .text("\(number)") : .text("x\(number)")
    case "int": .integer(number)
    case "rea": .real(Double(number) + (Bool.random(using: &random) ? 0 : 0.5))
    default: .blob(Data("\(number)".utf8))
    }
}

/// A value as the rule converts it to what a property is stored as.
private func converted(_ value: SQLiteValue, to property: String) -> SQLiteValue? {
    switch (property.prefix(3), value) {
    case (_, .null):
        property.hasSuffix("2") ? (property.hasPrefix("text") ? "" : property.hasPrefix("int") ? 0 : 0.0) : .null
    case ("tex", .text), ("int", .integer), ("rea", .real), ("dat", .blob): value
    case ("tex", .integer(let number)): .text("\(number)")
    case ("tex", .real(let number)): .text("\(number)")
    case ("int", .text(let text)): Int64(text).map { .integer($0) }
    case ("int", .real(let number)): Int64(exactly: number).map { .integer($0) }
    case ("rea", .text(let text)): Double(text).map { .real($0) }
    case ("rea", .integer(let number)): .real(Double(number))
    case ("dat", .text(let text)): .blob(Data(text.utf8))
    default: nil
    }
}

// F49, F116
@Suite("Random evolution") struct EvolutionRandomTests {
    @Test(
        "of pairs of versions: what the plan says happens, and every value that both hold is kept", .oneAtATime,
        arguments: 0..<Effort.times(2))
    func pairs(hundred: Int) throws {
        for pair in hundred * 100..<hundred * 100 + 100 { try check(pair) }
    }

    private func check(_ pair: Int) throws {
        let (old, new) = (Version.of(pair * 2), Version.of(pair * 2 + 1))
        let (oldType, newType) = (evolvingType(pair * 2), evolvingType(pair * 2 + 1))
        let manager = try memoryManager(oldType)
        var random = SeededGenerator(seed: UInt64(pair) + 1_000_000)
        var rows: [[SQLiteValue]] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let row = old.columns.map { randomValue($0.property, &random) }
            rows.append(row)
            let names = old.columns.map { SQLText.identifier($0.name) }.joined(separator: ", ")
            let values = row.map(\.description).joined(separator: ", ")
            try manager.execute("INSERT INTO EVOLVING (\(sql: SQL(names))) VALUES (\(sql: SQL(values)))")
        }
        let before = try manager.tableSQL("EVOLVING")
        let plan = try manager.schemaPlan(for: [newType])
        guard plan.obstacles.isEmpty else {
            #expect(failure { try manager.apply(plan, allowing: .loses) }?.code == .unfitRows, "pair \(pair)")
            #expect(try manager.tableSQL("EVOLVING") == before, "pair \(pair)")
            return
        }
        #expect(plan.risk != .loses, "pair \(pair)")
        try manager.apply(plan, allowing: .rewrites)
        let second = try manager.schemaPlan(for: [newType])
        #expect(second.isEmpty && second.obstacles.isEmpty, "pair \(pair): \(second)")
        #expect(try manager.fetchAllRows(newType) == rows.count, "pair \(pair)")
        for (place, column) in old.columns.enumerated() {
            let now = new.columns.first { ($0.former ?? $0.name) == column.name }
            let name = SQLText.identifier(now?.name ?? column.name)
            let found = try manager.storedColumn("SELECT \(name) FROM EVOLVING ORDER BY ID")
            let wanted = rows.map { row in now.flatMap { converted(row[place], to: $0.property) } ?? row[place] }
            #expect(found == wanted || now.map { isLenient($0, column) } == true, "pair \(pair), \(column.name)")
        }
    }

    /// Whether a column keeps a type that has room for the new property's values.
    private func isLenient(_ new: Version.Column, _ old: Version.Column) -> Bool {
        old.property.hasPrefix("int") && new.property.hasPrefix("real")
    }
}

extension PersistenceManager {
    fileprivate func fetchAllRows(_ type: PersistingModel.Type) throws -> Int {
        func count<Model: PersistingModel>(_ type: Model.Type) throws -> Int { try fetchAll(type).count }
        return try count(type)
    }
}

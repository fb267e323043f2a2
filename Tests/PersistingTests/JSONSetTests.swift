import Foundation
import Persisting
import Testing

private enum KeeperShade: String, Codable, Sendable, CaseIterable { case dark, dim, light, bright }

private struct Profile: Codable, Equatable, Sendable {
    var tags: Set<String> = []
    var list: [Int] = []
    var note = ""
    static func == (lhs: Profile, rhs: Profile) -> Bool { lhs.tags == rhs.tags && lhs.list == rhs.list }
}

private final class Profiled: PersistingModel {
    var id: Int64?
    var profile: Profile? = Profile()
    override class var columns: Columns { ["ID": .int, "PROFILE": .json] }
}

private final class SetKeeper: PersistingModel {
    var id: Int64?
    var tags: Set<String> = []
    var shades: [KeeperShade: Int] = [:]
    var owners: [UUID: Int]?
    var lists: [String: Set<Int>] = [:]
    var sets: [Set<Int>] = []
    override class var columns: Columns {
        var columns = super.columns
        for name in ["TAGS", "SHADES", "OWNERS", "LISTS", "SETS"] { columns[name] = .json }
        return columns
    }
}

@Suite("Sets and dictionaries as JSON")
struct JSONSetTests {
    private func setKeeper() -> SetKeeper {
        let keeper = SetKeeper()
        keeper.tags = Set((0..<30).map { "tag \($0)" })
        keeper.shades = Dictionary(uniqueKeysWithValues: KeeperShade.allCases.map { ($0, 1) })
        keeper.owners = Dictionary(uniqueKeysWithValues: (0..<20).map { _ in (UUID(), 2) })
        keeper.lists = ["b": Set(0..<20), "a/\"": []]
        keeper.sets = [Set(5..<30), [3]]
        return keeper
    }

    @Test("are the same when they are read again")
    func sets() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: SetKeeper.self)
        let keeper = setKeeper()
        try manager.insert(keeper)
        let fetched = try #require(try manager.fetchOne(SetKeeper.self))
        #expect(fetched.tags == keeper.tags && fetched.shades == keeper.shades && fetched.owners == keeper.owners)
        #expect(fetched.lists == keeper.lists && fetched.sets == keeper.sets)
        #expect(fetched.changedKeys == [])
        fetched.sets[1] = [3, 4]
        #expect(fetched.changedKeys == ["sets"])
    }

    @Test("are found by equal ones, whatever their order")
    func equalSets() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: SetKeeper.self)
        let keeper = setKeeper()
        try manager.insert(keeper)
        var tags = Set<String>(minimumCapacity: 1_000)
        for tag in keeper.tags.sorted() { tags.insert(tag) }
        var lists: [String: Set<Int>] = [:]
        for (key, list) in keeper.lists.sorted(by: { $0.key < $1.key }) {
            lists[key] = list.reduce(into: Set(minimumCapacity: 1_000)) { $0.insert($1) }
        }
        #expect(try manager.count(SetKeeper.self, where: \.tags == tags) == 1)
        #expect(try manager.count(SetKeeper.self, where: \.lists == lists) == 1)
        // Another program's order.
        try manager.execute("UPDATE SET_KEEPER SET SETS = '[[3,5,4],[3]]', SHADES = '[\"light\",1,\"dark\",2]'")
        #expect(try manager.count(SetKeeper.self, where: \.sets == [[4, 3, 5], [3]]) == 1)
        #expect(try manager.count(SetKeeper.self, where: \.shades == [.dark: 2, .light: 1]) == 1)
    }

    @Test("are no change inside of a type, whatever their order")
    func insideOfTypes() throws {
        let manager = try memoryManager(Profiled.self)
        let tags = #"["f","b","a","d","c","e","g","i","h"]"#
        let json = #"{"tags":\#(tags),"list":[1,2],"note":""}"#
        try manager.execute("INSERT INTO PROFILED (PROFILE) VALUES (\(json))")
        func profiled() throws -> Profiled { try #require(try manager.fetchOne(Profiled.self)) }
        let fetched = try profiled()
        #expect(fetched.changedKeys == [])
        fetched.profile?.list = [2, 1]
        #expect(fetched.changedKeys == ["profile"])
        let noted = try profiled()
        noted.profile?.note = "which == leaves out"
        #expect(noted.changedKeys == ["profile"])
        let tagged = try profiled()
        tagged.profile?.tags.insert("j")
        #expect(tagged.changedKeys == ["profile"])
        try manager.save(tagged)
        #expect(try profiled().profile?.tags.count == 10)
    }
}

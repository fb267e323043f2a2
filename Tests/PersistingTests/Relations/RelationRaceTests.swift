import Persisting
import Testing

private final class Song: PersistingModel {
    var id: Int64?
    var title = ""

    static let moods = ManyToMany(Tuning.song, Tuning.mood)
    static let takes = ToMany(inverse: Take.song)
    override class var relations: Relations { ["moods": moods, "takes": takes] }
}

private final class Mood: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class Tuning: PersistingModel {
    var id: Int64?
    var songID: Int64 = 0
    var moodID: Int64 = 0

    static let song = ToOne(\Tuning.songID, Song.self)
    static let mood = ToOne(\Tuning.moodID, Mood.self)
    override class var relations: Relations { ["song": song, "mood": mood] }
}

private final class Take: PersistingModel {
    var id: Int64?
    var songID: Int64?

    static let song = ToOne(\Take.songID, Song.self)
    override class var relations: Relations { ["song": song] }
}

// F118
@Suite("Relations that two tasks change at once") struct RelationRaceTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Song.self, Mood.self, Tuning.self, Take.self)
        try manager.insert(Song())
        try manager.insert((0..<6).map { _ in Mood() })
    }

    private func song(_ keys: [Int64]) async throws -> (Song, [Mood]) {
        let song = try await manager.find(Song.self, 1)
        return (try #require(song), try await manager.find(Mood.self, keys: keys))
    }

    private func moods() throws -> [SQLiteValue] {
        try manager.storedColumn("SELECT MOOD_ID FROM TUNING ORDER BY MOOD_ID")
    }

    @MainActor
    @Test(
        "are asked again if they were changed while they were loaded", .local(.heldConnection),
        arguments: [false, true])
    func changedWhileLoading(isValue: Bool) async throws {
        let (gate, isArmed) = (Gate(), Shared(false))
        let (loaded, loading) = AsyncStream<Void>.makeStream()
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            guard event.sql.contains("FROM TAKE") || event.sql.contains("JOIN TAKE") else { return }
            guard isArmed.change({ armed in (armed, armed = false).0 }) else { return }
            // Its rows have been read.
            loading.finish()
            gate.wait()
        }
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        for type in [Song.self, Take.self, Mood.self, Tuning.self] as [PersistingModel.Type] {
            try await manager.createTableIfNecessary(for: type)
        }
        let song = Song()
        try await manager.insert(song)
        try await song.add(Take(), to: Song.takes)
        func count() async throws -> Int {
            isValue ? try await song.related(Song.takes.count) : try await song.related(Song.takes).count
        }
        isArmed.change { $0 = true }
        let load = Task { @MainActor in try await count() }
        for await _ in loaded {}
        try await song.add(Take(), to: Song.takes)
        gate.open()
        #expect(try await load.value == 1)
        #expect(try await count() == 2)
    }

    /// Runs `body` with each of the keys at once.
    private func race(_ keys: [[Int64]], _ body: @escaping @Sendable (Song, [Mood]) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for keys in keys {
                group.addTask { @concurrent in
                    let (song, moods) = try await self.song(keys)
                    try await body(song, moods)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("have one link where both add the same") func add() async throws {
        for _ in 0..<20 {
            try await manager.deleteAll(Tuning.self)
            try await race([[1, 2, 3], [1, 2, 3], [2, 3, 4]]) { try await $0.add($1, to: Song.moods) }
            #expect(try moods() == [1, 2, 3, 4])
        }
    }

    @Test("are those of one task where both replace them") func replace() async throws {
        for _ in 0..<20 {
            try await manager.deleteAll(Tuning.self)
            try await race([[1, 2, 3], [4, 5, 6]]) { try await $0.replace(Song.moods, with: $1) }
            #expect(try [[1, 2, 3], [4, 5, 6]].contains(moods()))
        }
    }

    @Test("follow what the table holds when they are changed, not what was read before") func stored() async throws {
        let (song, moods) = try await self.song([1, 2, 3])
        try await song.add([moods[0], moods[0], moods[1]], to: Song.moods)
        // The other way around, and by another object of the same row.
        let (again, _) = try await self.song([])
        try await again.remove(moods[0], from: Song.moods)
        try await song.add(moods, to: Song.moods)
        #expect(try self.moods() == [1, 2, 3])
        try await again.replace(Song.moods, with: [moods[2], Mood()])
        #expect(try self.moods() == [3, 7])
        #expect(try await manager.count(Mood.self) == 7)
    }

    @Test("of one to many lose the rows that aren't among the new ones") func oneToMany() async throws {
        let (song, _) = try await self.song([])
        let takes = [Take(), Take(), Take()]
        try await song.add([takes[0], takes[1]], to: Song.takes)
        try await song.replace(Song.takes, with: [takes[1], takes[2]])
        #expect(try manager.storedColumn("SELECT ID FROM TAKE WHERE SONG_ID = 1") == [2, 3])
        #expect(try await manager.count(Take.self) == 3)
    }

    @Test("of one to many get objects that were in them when they were read, and aren't any more")
    func knownOneToMany() async throws {
        let (song, _) = try await self.song([])
        try await song.add([Take(), Take(), Take()], to: Song.takes)
        func takes() throws -> [SQLiteValue] { try manager.storedColumn("SELECT ID FROM TAKE WHERE SONG_ID = 1") }
        func addAgain(_ takes: [Take]) throws { try song.add(takes, to: Song.takes) }
        func addAndReplace(_ takes: [Take]) throws {
            try song.add(takes[0], to: Song.takes)
            try manager.execute("UPDATE TAKE SET SONG_ID = NULL WHERE ID = 2")
            try song.replace(Song.takes, with: takes)
        }
        for isAsync in [false, true] {
            let known = try await manager.find(Take.self, keys: [1, 2])
            try await manager.execute("UPDATE TAKE SET SONG_ID = NULL")
            if isAsync {
                try await song.add(known[0], to: Song.takes)
                #expect(try takes() == [1])
                try await manager.execute("UPDATE TAKE SET SONG_ID = NULL WHERE ID = 2")
                try await song.replace(Song.takes, with: known)
            } else {
                try addAndReplace(known)
            }
            #expect(try takes() == [1, 2])
            // What is as it is to be isn't written.
            try await manager.execute("CREATE TRIGGER W BEFORE UPDATE ON TAKE BEGIN SELECT RAISE(ABORT, 'W'); END")
            try await song.add(known, to: Song.takes)
            try addAgain(known)
            try await manager.execute("DROP TRIGGER W")
        }
    }
}

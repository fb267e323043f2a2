import Foundation
import NodeProcesses
import Persisting
import SQLiteKit

/// The steps that write and compare.
extension MeetingRun {
    func perform(_ write: Write, _ manager: Int, _ isAsync: Bool) throws -> Divergence? {
        var after = contents(manager)
        let isRejected: Bool
        do {
            guard try after.apply(write) else { return nil }
            isRejected = false
        } catch {
            isRejected = true
        }
        let isAsync = isAsync && drafts[manager] == nil
        say(write.code(Self.name(manager), isAsync: isAsync) + (isRejected ? "  // must throw" : ""))
        do {
            if isAsync {
                try lanes[manager].runAsynchronously { try await Objects.performAsynchronously(write, $0) }.take()
            } else {
                try lanes[manager].run { try Objects.perform(write, $0) }
            }
        } catch let hang as Hang {
            throw hang
        } catch {
            return isRejected ? nil : diverges("write throws: \(write.signature)", "\(error)")
        }
        if isRejected { return diverges("write doesn't throw: \(write.signature)", "the write has not thrown") }
        if let depth = drafts[manager]?.count {
            drafts[manager]?[depth - 1] = after
        } else {
            commit(after, by: manager)
        }
        return nil
    }

    /// Several writes at once: the tables must be as one after the other would leave them, in any order.
    func atOnce(_ pairs: [(manager: Int, write: Write)]) throws -> Divergence? {
        guard pairs.allSatisfy({ $0.manager < lanes.count }) else { return nil }
        struct Outcome {
            var contents: Contents
            var between: [Contents] = []
            var rejected: Set<Int> = []
        }
        var outcomes: [Outcome] = []
        for order in Self.orders(of: pairs.count) {
            var outcome = Outcome(contents: committed)
            for place in order {
                do {
                    guard try outcome.contents.apply(pairs[place].write) else { return nil }
                } catch {
                    outcome.rejected.insert(place)
                }
                outcome.between.append(outcome.contents)
            }
            outcomes.append(outcome)
        }
        say("await withTaskGroup { group in  // all at once")
        for (manager, write) in pairs {
            say("    group.addTask { \(write.code(Self.name(manager), isAsync: true)) }")
        }
        say("}")
        let replies = pairs.map { manager, write in
            lanes[manager].runAsynchronously { try await Objects.performAsynchronously(write, $0) }
        }
        var (rejected, errors): (Set<Int>, [String]) = ([], [])
        for (place, reply) in replies.enumerated() {
            do {
                try reply.take()
            } catch let hang as Hang {
                throw hang
            } catch {
                rejected.insert(place)
                errors.append("\(error)")
            }
        }
        let found = try lanes[pairs[0].manager].run { [tables = committed.tableNames] in
            try Objects.stored(tables, $0)
        }
        let matching = outcomes.filter { $0.rejected == rejected && $0.contents.stored == found }
        guard let match = matching.first else {
            let expected = outcomes.first { $0.rejected == rejected } ?? outcomes[0]
            return diverges(
                "at once: \(pairs[0].write.signature)",
                "no order explains SQLite's \(Self.difference(found, expected.contents.stored))"
                    + (errors.isEmpty ? "" : ", and \(errors)"))
        }
        var contents = match.contents
        for outcome in matching { contents.addTouched(outcome.contents.touched) }
        commit(contents, between: matching.flatMap(\.between))
        return nil
    }

    private static func orders(of count: Int) -> [[Int]] {
        guard count > 1 else { return [[0]] }
        return orders(of: count - 1).flatMap { order in
            (0...order.count).map { place in
                var longer = order
                longer.insert(count - 1, at: place)
                return longer
            }
        }
    }

    // MARK: Other processes

    private func shell(_ sql: String) throws -> Bool {
        let command = [
            "/usr/bin/sqlite3", "-bail", path,
            "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 20000; "
                + "ATTACH '\(archive)' AS archive; \(sql)",
        ]
        return try ChildProcess.run(command).status == 0
    }

    /// Whether the shell is there by which other processes write.
    static let hasShell = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

    func process(_ write: Write) throws -> Divergence? {
        guard Self.hasShell, program.polls, let sql = write.sql else { return nil }
        var after = committed
        // What SQLite rejects is for the managers to find out.
        guard let isPossible = try? after.apply(write), isPossible else { return nil }
        say("sqlite3(\"\(sql)\")  // another process")
        guard try shell(sql) else { return diverges("shell", "the shell has failed") }
        commit(after, isHeard: false)
        return nil
    }

    func change(_ change: SchemaChange, _ manager: Int?) throws -> Divergence? {
        if let manager, manager >= lanes.count { return nil }
        if manager == nil, !Self.hasShell { return nil }
        let sql = change.apply(to: &committed)
        if let manager {
            say("try \(Self.name(manager)).execute(\"\(sql)\")")
            do {
                try lanes[manager].run { manager in
                    try manager.database.withoutTransaction { db in
                        // ALTER TABLE looks at the schema that the connection knows, which another may have changed.
                        _ = try db.rows("SELECT count(*) FROM NOTE")
                        _ = try db.execute(SQL(sql))
                    }
                }
            } catch { return diverges("schema throws", "\(error)") }
        } else {
            say("sqlite3(\"\(sql)\")  // another process")
            guard try shell(sql) else { return diverges("shell", "the shell has failed") }
        }
        return nil
    }

    // MARK: Comparisons

    func compare(_ manager: Int, _ kind: Kind) throws -> Divergence? {
        guard isReadable(manager), committed.has(kind) else { return nil }
        say("try \(Self.name(manager)).fetchAll(\(kind.rawValue).self)")
        let contents = contents(manager)
        let expected = contents.rows(of: kind).values.map(contents.words).sorted()
        do {
            let found = try lanes[manager].run { try Objects.words(kind, $0) }
            if found != expected {
                return diverges("compare \(kind.rawValue)", "it gives \(Self.difference(found, expected))")
            }
            if let difference = try lanes[manager].run({ try Objects.readDifferently(kind, $0) }) {
                return diverges("read \(kind.rawValue)", difference)
            }
            guard kind == .note else { return nil }
            let (groups, unsorted) = try lanes[manager].run { manager in
                (try Objects.groupsOfNotes(manager), try Objects.notesSortedDifferently(manager))
            }
            if groups != contents.groupsOfNotes {
                return diverges("groups", "they are \(Self.difference(groups, contents.groupsOfNotes))")
            }
            return unsorted.map { diverges("sort", "notes are sorted in memory as \($0)") }
        } catch let hang as Hang {
            throw hang
        } catch {
            return diverges("compare throws", "\(error)")
        }
    }

    func exchange(_ manager: Int, _ kind: Kind, _ isCSV: Bool) throws -> Divergence? {
        guard isReadable(manager), committed.has(kind) else { return nil }
        let name = Self.name(manager)
        let form = isCSV ? "CSV" : "JSON"
        say("try \(name).export\(form)(Query(\(kind.rawValue).self), to: url)")
        say("try copy.import\(form)(\(kind.rawValue).self, contentsOf: url)")
        do {
            let complaint = try lanes[manager].run { try Exchange.roundTrip(kind, isCSV: isCSV, from: $0) }
            return complaint.map { diverges("exchange \(kind.rawValue)", $0) }
        } catch {
            return diverges("exchange throws \(kind.rawValue)", "\(error)")
        }
    }

    func plan(_ manager: Int) throws -> Divergence? {
        guard manager < lanes.count else { return nil }
        say("try \(Self.name(manager)).updateSchema(for: classes)")
        do {
            let steps = try lanes[manager].run { manager in
                let classes = Kind.bases.map(\.type)
                let plan = try manager.schemaPlan(for: classes)
                try manager.updateSchema(for: classes)
                return plan.steps.map { "\($0.sql)" }
            }
            if steps.isEmpty == committed.isExchanged {
                committed.isExchanged = true
                return nil
            }
            return diverges("plan", "the plan is \(steps)")
        } catch {
            return diverges("plan throws", "\(error)")
        }
    }

    func alter(_ manager: Int, _ alteration: Alteration) throws -> Divergence? {
        guard manager < lanes.count else { return nil }
        let (table, column) = alteration.column
        say("try \(Self.name(manager)).alterTable(\"\(table)\") { $0.change(\"\(column)\", to: .string) }")
        do {
            let isCopied = try lanes[manager].run { manager in
                let plan = try manager.alterTable(table) { $0.change(column, to: .string) }
                if alteration == .notes { try manager.check(Note.search) }
                return plan.steps.contains { $0.risk == .rewrites || $0.rows == 0 }
            }
            return isCopied ? nil : diverges("alteration", "the table hasn't been copied")
        } catch let hang as Hang {
            throw hang
        } catch {
            return diverges("alteration throws", "\(error)")
        }
    }

    func migrate(_ manager: Int, to version: Int, fails: Bool) throws -> Divergence? {
        // A database of a later version is rejected.
        guard manager < lanes.count, version >= committed.version else { return nil }
        struct Failure: Error {}
        let new = Array(1...version).dropFirst(committed.version)
        let mustThrow = fails && !new.isEmpty
        say("try \(Self.name(manager)).migrate(migrations.prefix(\(version)))" + (mustThrow ? "  // must throw" : ""))
        do {
            let applied = try lanes[manager].run { manager in
                try manager.migrate(
                    (1...version).map { number in
                        Migration(number) { manager in
                            try manager.execute(SQL("CREATE TABLE STEP\(number) (A)" as String))
                            try manager.execute("INSERT INTO JOURNAL (TEXT) VALUES ('t' || \(number))")
                            if mustThrow, number == version { throw Failure() }
                        }
                    })
            }
            if mustThrow { return diverges("migration doesn't throw", "the migrations \(applied) have been applied") }
            if applied != Array(new) { return diverges("migrations", "\(applied) have been applied, and not \(new)") }
        } catch let hang as Hang {
            throw hang
        } catch {
            guard mustThrow else { return diverges("migration throws", "\(error)") }
        }
        // Each is a commit of its own.
        for number in mustThrow ? new.dropLast() : new {
            var after = committed
            try after.insert(.journal, ["text": number])
            after.version = number
            commit(after)
        }
        return nil
    }
}

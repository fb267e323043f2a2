import Foundation
import NodeProcesses
import Testing

/// What the compiler says of texts made at run time where SQL is wanted.
@Suite("A String where SQL is wanted")
struct StringAsSQLTests {
    private static let lines = [
        #"try db.execute("DELETE FROM t WHERE a = \(text)")"#, #"try db.execute(text)  // rejected"#,
        #"_ = try db.rows("SELECT \(text)")"#, #"_ = try db.rows(text)  // rejected"#,
        #"_ = try db.query(text)  // rejected"#, #"_ = try db.prepare(text)  // rejected"#,
        #"_ = try db.scalar(text, as: Int.self)  // rejected"#, #"_ = try db.column(text, as: Int.self)  // rejected"#,
        #"try db.executeScript(text)  // rejected"#, #"try db.execute(SQL(text))"#,
        #"let spliced = "DELETE FROM t WHERE a = \(text)""#, #"try db.execute(spliced)  // rejected"#,
        #"try manager.execute("DELETE FROM t WHERE a = \(text)")"#, #"_ = try manager.execute(text)  // rejected"#,
        #"_ = try manager.fetchAll(Note.self, sql: text)  // rejected"#,
        #"_ = try manager.fetchAll(Note.self, where: .sql(text))  // rejected"#,
        #"_ = try manager.fetchAll(Note.self, where: .sql("a = \(text)"))"#,
        #"_ = try manager.fetchAll(Note.self, sortedBy: .sql(text))  // rejected"#,
        #"_ = try manager.fetchAll(Note.self, sortedBy: .sql("a = \(text)"))"#,
        #"_ = Migration(1, sql: text)  // rejected"#, #"_ = Migration(1, sql: "CREATE TABLE t (a)")"#,
    ]

    /// The folder that the tests were built into.
    private static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    private static var isBuiltHere: Bool {
        FileManager.default.fileExists(atPath: products.appending(path: "Modules").path(percentEncoded: false))
    }

    // K5, Settled 18
    @Test("does not compile, in either module, and an interpolated literal does", .enabled(if: isBuiltHere))
    func rejected() throws {
        let directory = try TemporaryDirectory()
        let head = """
            import Persisting
            final class Note: PersistingModel { var id: Int64? }
            func check(_ db: Database, _ manager: PersistenceManager, _ text: String) throws {

            """
        let source = head + Self.lines.joined(separator: "\n") + "\n}\n"
        try Data(source.utf8).write(to: directory.url.appending(path: "check.swift"))
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let (_, said) = try ChildProcess.run([
            "swiftc", "-typecheck", "-swift-version", "6", "-I",
            Self.products.appending(path: "Modules").path(percentEncoded: false), "-Xcc",
            "-fmodule-map-file=\(root.path(percentEncoded: false))/Sources/CSystemSQLite/module.modulemap",
            directory.path("check.swift"),
        ])
        let first = head.split(separator: "\n").count + 1
        let found = said.split(separator: "\n").compactMap { line in
            line.firstRange(of: "check.swift:").flatMap { place in
                line.contains(": error:") ? Int(line[place.upperBound...].prefix { $0.isNumber }) : nil
            }
        }
        let wanted = Self.lines.indices.filter { Self.lines[$0].hasSuffix("// rejected") }.map { $0 + first }
        #expect(Set(found) == Set(wanted), "\(said)")
    }
}

import Foundation
import NodeProcesses
import SQLiteKit
import Testing

// K47
@Suite("An extension in C") struct ExtensionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Compiles an extension.
    ///
    /// - Returns: The path of the library; nil where there is no compiler.
    private func compile(_ body: String, _ name: String) throws -> String? {
        let (source, library) = (directory.path("\(name).c"), directory.path("\(name).so"))
        let text = """
            #include <sqlite3ext.h>
            SQLITE_EXTENSION_INIT1
            static void answer(sqlite3_context *context, int count, sqlite3_value **values) {
                sqlite3_result_int(context, 42);
            }
            int sqlite3_\(name)_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
                SQLITE_EXTENSION_INIT2(api);
                \(body)
            }
            """
        try text.write(toFile: source, atomically: true, encoding: .utf8)
        // Without a compiler, there is nothing to test.
        let status = try? ChildProcess.run(["clang", "-shared", "-fPIC", source, "-o", library]).status
        return status == 0 ? library : nil
    }

    @Test("is loaded on every connection, and by nothing else") func file() async throws {
        let body = "return sqlite3_create_function(db, \"answer\", 0, SQLITE_UTF8, 0, answer, 0, 0);"
        guard let library = try compile(body, "answer") else { return }
        var configuration = DatabaseConfiguration()
        configuration.extensions = [.file(library)]
        let pool = try DatabasePool(.file(directory.path("pool.sqlite")), configuration: configuration)
        for _ in 0..<3 {
            #expect(try await pool.read { try $0.scalar("SELECT answer()", as: Int.self) } == 42)
        }
        #expect(try await pool.write { try $0.scalar("SELECT answer()", as: Int.self) } == 42)
        await #expect(throws: SQLiteError.self) {
            try await pool.read { try $0.scalar("SELECT load_extension(\(library))", as: Int.self) }
        }
        configuration.extensions = [.file(library, entryPoint: "sqlite3_answer_init")]
        #expect(try Database(.memory, configuration: configuration).scalar("SELECT answer()", as: Int.self) == 42)
    }

    @Test("that can't be loaded says why, with its path") func errors() throws {
        func failure(_ found: SQLiteExtension) -> SQLiteError? {
            var configuration = DatabaseConfiguration()
            configuration.extensions = [found]
            return #expect(throws: SQLiteError.self) { _ = try Database(.memory, configuration: configuration) }
        }
        let missing = directory.path("missing.so")
        #expect(failure(.file(missing))?.message.contains(missing) == true)
        #expect(failure(.file("a\0b"))?.code == .cannotOpen)
        #expect(failure(.entryPoint { _, _, _ in 1 })?.message.contains("can't be loaded") == true)
        guard let library = try compile("*message = sqlite3_mprintf(\"no answer\"); return 1;", "failing") else {
            return
        }
        #expect(failure(.file(library))?.message.contains("no answer") == true)
    }

    @Test("isn't loaded on a defensive connection") func defensive() {
        var configuration = DatabaseConfiguration()
        configuration.extensions = [.entryPoint { _, _, _ in 0 }]
        #expect(throws: Never.self) { _ = try Database(.memory, configuration: configuration) }
        configuration.isDefensive = true
        let error = #expect(throws: SQLiteError.self) { _ = try Database(.memory, configuration: configuration) }
        #expect(error?.code == .misuse)
    }
}

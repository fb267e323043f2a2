internal import SQLiteKit

/// Views that refer to something that is gone.
enum ViewCheck {
    static func findings(_ database: ExaminedDatabase) -> [FileFinding] {
        database.schema.tables.filter { $0.kind == .view }.compactMap { view -> FileFinding? in
            do throws(SQLiteError) {
                _ = try database.db.prepare("SELECT * FROM \(identifier: view.name)", cached: false)
                return nil
            } catch {
                // What only the program that made the file has isn't missing there.
                guard error.message.contains("no such table") || error.message.contains("no such column"),
                    !isOfFunction(error.message, view)
                else { return nil }
                return FileFinding(
                    .view, view.name, [], "the view \(view.name) can't be read: \(error.message)",
                    remedy: ["DROP VIEW \(quoted(view.name))"], .changes)
            }
        }
    }

    /// Whether what is missing is called like a function, `no such table: main.generate_series`: it comes from a module.
    private static func isOfFunction(_ message: String, _ view: DatabaseSchema.Table) -> Bool {
        guard let missing = message.split(separator: " ").last?.split(separator: ".").last else {
            return false
        }
        let tokens = SQLTokens(view.sql ?? "").tokens
        return zip(tokens, tokens.dropFirst()).contains { name, next in
            next.isSymbol("(") && name.name.map { isSameName($0, String(missing)) } == true
        }
    }
}

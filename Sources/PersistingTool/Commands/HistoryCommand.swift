#if Tool
    internal import ArgumentParser
    internal import Foundation
    internal import Persisting

    /// `history FILE [CLASS]`.
    struct HistoryCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history", abstract: "Lists the transactions of a history, or the changes of a class's rows.",
            discussion: "It says which properties changed, and not from what to what.")

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Argument(help: ArgumentHelp("The name of a class with a history.", valueName: "class"))
        var type: String?

        @Option(help: ArgumentHelp("Begin after the transaction of this number.", valueName: "number"))
        var after: Int64 = 0

        @OptionGroup var report: ReportOptions

        func run() throws {
            let program = Program.current
            let type = try type.map { try program.type(named: $0) }
            let manager = try program.open(file, .readOnly)
            defer { try? manager.close() }
            let entries = try type.map { try changes(of: $0, manager) } ?? transactions(manager)
            if report.json { return try Output.json(entries) }
            for entry in entries { print(entry) }
            if entries.isEmpty { print("There is no history.") }
        }

        private func transactions(_ manager: PersistenceManager) throws -> [Entry] {
            try manager.historyTransactions(after: after).map { Entry($0) }
        }

        private func changes<Model: PersistingModel>(
            of type: Model.Type, _ manager: PersistenceManager
        ) throws -> [Entry] {
            let after = after
            return try manager.history(of: type, where: { $0.number > after }).map { change in
                Entry(change.transaction, kind: "\(change.kind)", row: change.row, keys: change.keys)
            }
        }

        /// A transaction, or a change of it.
        private struct Entry: Encodable, CustomStringConvertible {
            let transaction: Int64
            let date: Date
            let name: String?
            let author: String?
            var kind: String?
            var row: String?
            var keys: [String]?

            init(_ transaction: HistoryTransaction, kind: String? = nil, row: String? = nil, keys: [String]? = nil) {
                (self.transaction, date) = (transaction.number, transaction.date)
                (name, author) = (transaction.name, transaction.author)
                (self.kind, self.row, self.keys) = (kind, row, keys)
            }

            var description: String {
                let words: [String?] = [
                    "\(transaction)", date.formatted(.iso8601), kind, row, keys.map { $0.joined(separator: ", ") },
                    name,
                    author.map { "by \($0)" },
                ]
                return words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
            }
        }
    }

    extension HistoryChange {
        /// The key of the row; nil where it has several columns.
        fileprivate var row: String? {
            let object: PersistingModel? = after ?? before
            guard let value = object?.primaryKeyValue else { return nil }
            return "\(value)"
        }
    }
#endif

#if Tool
    internal import ArgumentParser
    internal import Foundation
    internal import Persisting

    /// What a program has told the tool about itself.
    struct Program: Sendable {
        let types: [PersistingModel.Type]
        let migrations: [Migration]
        let configuration: DatabaseConfiguration
        let dates: DateStorage
        let versionTable: String
        let examples: @Sendable () -> [PersistingModel]

        /// The program whose arguments are being run. Commands are created by the parser, which passes nothing to them.
        @TaskLocal static var current = Program(
            types: [], migrations: [], configuration: DatabaseConfiguration(), dates: .unixSeconds,
            versionTable: "schema_version", examples: { [] })

        /// Opens a file.
        func open(_ path: String, _ mode: DatabaseConfiguration.OpenMode) throws -> PersistenceManager {
            var configuration = configuration
            configuration.openMode = mode
            return try PersistenceManager(
                path: path, configuration: configuration, dates: dates, versionTable: versionTable)
        }

        /// A class by its name.
        func type(named name: String) throws -> PersistingModel.Type {
            if let type = types.first(where: { "\($0)" == name || "\($0)".lowercased() == name.lowercased() }) {
                return type
            }
            let names = types.map { "\($0)" }.joined(separator: ", ")
            throw ValidationError("There is no class '\(name)'. The classes are: \(names).")
        }

        /// The migrations that a database hasn't seen.
        func pending(_ manager: PersistenceManager) throws -> [Migration] {
            let version = try manager.schemaVersion
            return migrations.filter { $0.version > version }
        }
    }

    extension Migration {
        /// The version and the name.
        var title: String { "migration \(version)" + (name.map { ", \($0)" } ?? "") }
    }
#endif

#if Tool
    internal import ArgumentParser
    public import Persisting

    /// A command line for the classes and migrations of a program.
    ///
    /// ```swift
    /// @main struct Tool {
    ///     static func main() async {
    ///         await PersistingTool.run(
    ///             [Album.self, Artist.self], migrations: migrations)
    ///     }
    /// }
    /// ```
    ///
    /// `swift run Tool --help` lists the commands: `plan`, `migrate`, `check`, `diagram`, `import`, `export` and
    /// `history`.
    public enum PersistingTool {
        /// Runs the command that the program's arguments name.
        ///
        /// It ends the process with status 1 if there is something to do or something wrong, and with another one
        /// after a mistake in the arguments.
        ///
        /// - Parameters:
        ///   - types: The model classes.
        ///   - migrations: All migrations that the program knows, in ascending order.
        ///   - configuration: How the program opens its database, such as with a key or with functions in `prepare`.
        ///   - dates: The form in which the program stores dates.
        ///   - versionTable: The table that holds the schema's version.
        ///   - examples: Objects for the self test of classes whose `init()` makes none that can be inserted.
        ///   - arguments: The arguments; nil takes those of the process.
        public static func run(
            _ types: [PersistingModel.Type], migrations: [Migration] = [],
            configuration: DatabaseConfiguration = DatabaseConfiguration(), dates: DateStorage = .unixSeconds,
            versionTable: String = "schema_version", examples: @escaping @Sendable () -> [PersistingModel] = { [] },
            arguments: [String]? = nil
        ) async {
            let program = Program(
                types: types, migrations: migrations, configuration: configuration, dates: dates,
                versionTable: versionTable, examples: examples)
            await Program.$current.withValue(program) { await ToolCommand.main(arguments) }
        }
    }
#endif

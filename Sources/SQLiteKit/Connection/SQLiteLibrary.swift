internal import CSystemSQLite
internal import Foundation

/// The system's SQLite library: its version, and the calls that not every build has.
public enum SQLiteLibrary {
    /// The version, such as `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// The version as a number, such as 3040001.
    public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// Whether the library was compiled with an option, such as `ENABLE_FTS5`; the prefix `SQLITE_` may be left out.
    ///
    /// See [Compile-time Options](https://www.sqlite.org/compile.html).
    ///
    /// - Parameter option: The name of the option, with or without `SQLITE_`.
    public static func isCompiled(with option: String) -> Bool {
        sqlite3_compileoption_used(option) != 0
    }

    /// The address of a function that the library may lack, so that its absence is found here and not by the linker.
    ///
    /// Another copy of SQLite in the process may have a function of that name: it can do nothing with connections of
    /// this one, and is passed over.
    static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        guard let symbol = dlsym(linked.handle, name), csqlite_image_of(symbol).base == linked.base else { return nil }
        return symbol
    }

    /// The library that the calls of this module go to, or the program if it has SQLite inside.
    private nonisolated(unsafe) static let linked: (handle: UnsafeMutableRawPointer?, base: UnsafeRawPointer?) = {
        let image = csqlite_image_of(csqlite_address())
        guard let base = image.base else { return (nil, nil) }
        // A program can't be opened by its path.
        return (image.file.flatMap { dlopen($0, RTLD_NOW | RTLD_NOLOAD) } ?? dlopen(nil, RTLD_NOW), base)
    }()
}

private typealias ErrorOffset = @convention(c) (OpaquePointer?) -> Int32

/// `sqlite3_error_offset`, which came with SQLite 3.38.
private let errorOffset: ErrorOffset? = SQLiteLibrary.symbol("sqlite3_error_offset").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/errcode.html
    unsafeBitCast($0, to: ErrorOffset.self)
}

/// The byte offset of the mistake in the SQL that was prepared last, or -1.
func sqlite3_error_offset_if_available(_ handle: OpaquePointer) -> Int32 {
    errorOffset?(handle) ?? -1
}

private typealias ColumnTableName = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?

/// `sqlite3_column_table_name`, which needs SQLITE_ENABLE_COLUMN_METADATA.
private let columnTableName: ColumnTableName? = SQLiteLibrary.symbol("sqlite3_column_table_name").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/column_database_name.html
    unsafeBitCast($0, to: ColumnTableName.self)
}

/// The table that a column of a result comes from; nil for an expression, and where SQLite cannot tell.
func sqlite3_column_table_name_if_available(_ statement: OpaquePointer, _ index: Int32) -> String? {
    columnTableName?(statement, index).map { String(cString: $0) }
}

typealias DatabaseName = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?

/// `sqlite3_db_name`, which came with SQLite 3.39.
let sqlite3_db_name_if_available: DatabaseName? = SQLiteLibrary.symbol("sqlite3_db_name").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/db_name.html
    unsafeBitCast($0, to: DatabaseName.self)
}

typealias Serialize =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<Int64>?, UInt32) ->
    UnsafeMutablePointer<UInt8>?

/// `sqlite3_serialize`, which SQLITE_OMIT_DESERIALIZE leaves out.
let sqlite3_serialize_if_available: Serialize? = SQLiteLibrary.symbol("sqlite3_serialize").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/serialize.html
    unsafeBitCast($0, to: Serialize.self)
}

typealias Deserialize =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<UInt8>?, Int64, Int64, UInt32) -> Int32

/// `sqlite3_deserialize`, which SQLITE_OMIT_DESERIALIZE leaves out.
let sqlite3_deserialize_if_available: Deserialize? = SQLiteLibrary.symbol("sqlite3_deserialize").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/deserialize.html
    unsafeBitCast($0, to: Deserialize.self)
}

extension Database {
    /// A number that another one replaces at each change of the schema of `main`, and ``userVersion``: read of the
    /// file's header, and not of the schema.
    package var headerNumbers: (schemaVersion: Int32, userVersion: Int32) {
        get throws(SQLiteError) {
            (try connection.headerNumber("schema_version"), try connection.headerNumber("user_version"))
        }
    }
}

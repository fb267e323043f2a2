extension Database {
    /// Sets the closure that is asked about each action of a statement, when the statement is prepared; nil removes it.
    ///
    /// ```swift
    /// try db.setAuthorizer { request in
    ///     switch request.action {
    ///     case .select, .read, .function: .allow
    ///     default: .deny
    ///     }
    /// }
    /// ```
    ///
    /// A statement that is denied throws an error that says what was denied. Statements that were prepared before are
    /// prepared again, and asked about, when they next run. A connection has one authorizer; it must not use the
    /// connection. It is asked about the BEGIN and COMMIT of transactions, too.
    ///
    /// See [Compile-Time Authorization Callbacks](https://www.sqlite.org/c3ref/set_authorizer.html).
    ///
    /// - Parameter authorizer: What says what may be done. It runs on the thread that prepares the statement.
    /// - Throws: ``ResultCode/closed`` or ``ResultCode/expired``.
    public func setAuthorizer(
        _ authorizer: (@Sendable (AuthorizerRequest) -> AuthorizerAnswer)?
    ) throws(SQLiteError) {
        _ = try connection.accessible()
        connection.hooks.authorizer = authorizer
        // In those that are kept, what had to be ignored still is.
        statements.removeAll()
        try connection.installAuthorizer()
    }
}

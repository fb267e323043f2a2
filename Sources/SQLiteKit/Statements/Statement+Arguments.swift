extension Statement {
    /// Binds all arguments, and leaves no parameter without a value.
    ///
    /// - Parameter arguments: The values.
    /// - Throws: ``ResultCode/argumentCount`` for too few or too many, ``ResultCode/unknownParameter`` for a name that
    ///   the statement does not have, has twice, or that was given twice, and what a value's conversion throws. The
    ///   statement is named, and nothing has run.
    public func bind(_ arguments: Arguments) throws(SQLiteError) {
        let places: [Int]
        do throws(SQLiteError) {
            places =
                arguments.areInOrder(count: parameterCount)
                ? [] : try arguments.places(for: parameters, after: &lastParameter)
        } catch {
            throw naming(error)
        }
        do {
            try bindAll { try arguments.withValuesInPlace { try bind($0, $1, places) } }
        } catch {
            throw error as? SQLiteError ?? bindingFailure(error, at: 1)
        }
    }

    /// Binds all values: those that `places` says, or without any, all in their order.
    @inline(__always)
    private func bind(
        _ positional: UnsafeBufferPointer<ValueInPlace?>, _ named: UnsafeBufferPointer<NamedValueInPlace>,
        _ places: [Int]
    ) throws(SQLiteError) {
        var index = 1
        do {
            if places.isEmpty {
                // All are in one of the two.
                for place in positional.indices {
                    try bind(positional[place], at: index)
                    index &+= 1
                }
                for place in named.indices {
                    try bind(named[place].value, at: index)
                    index &+= 1
                }
            }
            for place in places {
                if place < positional.count {
                    try bind(positional[place], at: index)
                } else {
                    try bind(named[place - positional.count].value, at: index)
                }
                index &+= 1
            }
        } catch {
            throw bindingFailure(error, at: index)
        }
    }

    @inline(__always)
    private func bind(_ argument: borrowing ValueInPlace?, at index: Int) throws {
        switch argument {
        case .some(let argument): try argument.value.bind(to: self, at: index)
        case .none: try bindNull(at: index)
        }
    }

    /// Binds one value whose type is known at run time only.
    ///
    /// - Parameters:
    ///   - value: The value; nil is NULL.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    public func bind(_ value: (any SQLiteValueConvertible)?, at index: Int) throws(SQLiteError) {
        do {
            if let value { try value.bind(to: self, at: index) } else { try bindNull(at: index) }
        } catch {
            throw bindingFailure(error, at: index)
        }
    }

    private func bindingFailure(_ error: any Error, at index: Int) -> SQLiteError {
        if let error = error as? SQLiteError { return naming(error) }
        let name = parameterNames.indices.contains(index - 1) ? parameterNames[index - 1] : nil
        return connection.failure(
            .typeMismatch, "the argument for parameter \(name ?? "\(index)"): \(StoredJSON.reason(of: error))", sql: sql
        )
    }

    /// Binds one value by name.
    ///
    /// - Parameters:
    ///   - value: The value; nil is NULL.
    ///   - name: The parameter's name, with its prefix or without.
    /// - Throws: ``SQLiteError``.
    public func bind(_ value: (any SQLiteValueConvertible)?, named name: String) throws(SQLiteError) {
        try bind(value, at: parameterIndex(name))
    }

    /// The index of a parameter, counted from 1.
    ///
    /// - Parameter name: The parameter's name.
    /// - Throws: ``ResultCode/unknownParameter`` when no parameter has the name, or more than one.
    public func parameterIndex(_ name: String) throws(SQLiteError) -> Int {
        do throws(SQLiteError) {
            return try parameters.index(of: name, after: &lastParameter) + 1
        } catch {
            throw naming(error)
        }
    }

    private func naming(_ error: SQLiteError) -> SQLiteError { error.adding(sql: sql, path: connection.path) }
}

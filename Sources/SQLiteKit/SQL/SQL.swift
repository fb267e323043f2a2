public import Foundation

/// SQL text together with the values to bind to it.
///
/// A string literal becomes one, and so does an interpolated string. What is interpolated is bound and never spliced,
/// so no value can turn into SQL:
///
/// ```swift
/// let name = "Robert'); DROP TABLE student;--"
/// // INSERT INTO student (name) VALUES (?)
/// try db.execute("INSERT INTO student (name) VALUES (\(name))")
/// // … IN (?, ?, ?)
/// try db.query("SELECT * FROM student WHERE id IN (\([1, 2, 3]))")
/// // a name, quoted where it must be
/// try db.query("SELECT * FROM \(identifier: table)")
/// // another SQL, with its values
/// try db.query("SELECT * FROM student WHERE \(sql: condition)")
/// ```
///
/// Parts are put together by `+` and `joined(separator:)`, each with its values:
///
/// ```swift
/// var query: SQL = "SELECT * FROM student"
/// if !conditions.isEmpty {
///     query += " WHERE " + conditions.joined(separator: " AND ")
/// }
/// ```
///
/// A `String` isn't accepted as SQL: what was interpolated in it has been spliced. A literal that moves into a variable
/// keeps binding as a `let query: SQL`, and stops compiling as a `String`. Text that a program makes at run time, or
/// reads from a file, becomes SQL by ``init(_:)``, which takes it as it is.
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The SQL text, with `?` where a value was interpolated.
    public let sql: String

    /// The values for its parameters: the interpolated ones, in order, or those it was made with.
    public let arguments: Arguments

    private init(text: String, arguments: Arguments) {
        sql = text
        self.arguments = arguments
    }

    /// Takes text that was made at run time as it is. Never pass what came from outside.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) {
        self.init(text: text, arguments: [])
    }

    /// Takes text that was made at run time as it is, with values for its parameters. Never pass what came from
    /// outside.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - arguments: Values for its parameters.
    @_disfavoredOverload
    public init(_ text: String, _ arguments: Arguments) {
        self.init(text: text, arguments: arguments)
    }

    /// SQL with more values for its parameters.
    ///
    /// A literal is of this form, so that what is interpolated in it is bound here too.
    ///
    /// - Parameters:
    ///   - sql: The SQL.
    ///   - arguments: The values, after those that it has.
    public init(_ sql: SQL, _ arguments: Arguments) {
        self.init(text: sql.sql, arguments: sql.arguments + arguments)
    }

    /// SQL from a literal.
    public init(stringLiteral sql: String) {
        self.init(text: sql, arguments: [])
    }

    /// SQL from an interpolated literal, whose values are bound.
    ///
    /// - Parameter interpolation: The text and the values.
    public init(stringInterpolation interpolation: StringInterpolation) {
        self.init(text: interpolation.text, arguments: interpolation.arguments)
    }

    /// Two are equal when text and arguments are.
    public static func == (lhs: SQL, rhs: SQL) -> Bool {
        haveSameBytes(lhs.sql, rhs.sql) && lhs.arguments == rhs.arguments
    }

    /// Feeds the text into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sql)
    }

    /// Gathers the parts of an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var arguments = Arguments()
        /// Whether there is a `?` in the text for which there is no value.
        private var isOpen = false

        /// Makes room for what is to come.
        ///
        /// - Parameters:
        ///   - literalCapacity: The size of the text, in bytes.
        ///   - interpolationCount: The number of interpolations.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
        }

        /// Adds SQL text.
        ///
        /// - Parameter literal: The text.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
            if !isOpen { isOpen = hasOpenParameter(literal) }
        }

        /// Binds a value: `\(name)`.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation(_ value: some SQLiteValueConvertible) {
            text += "?"
            arguments.append(value, isOpen: isOpen)
        }

        /// Binds a value whose type is known at run time only; nil is NULL.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation(_ value: (any SQLiteValueConvertible)?) {
            text += "?"
            arguments.append(value, isOpen: isOpen)
        }

        /// Binds a blob.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation(_ value: Data) {
            text += "?"
            arguments.append(value, isOpen: isOpen)
        }

        /// Binds a blob.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation(_ value: [UInt8]) {
            text += "?"
            arguments.append(value, isOpen: isOpen)
        }

        /// Binds a blob.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation(_ value: ArraySlice<UInt8>) {
            text += "?"
            arguments.append(value, isOpen: isOpen)
        }

        /// Binds each element, with commas between: `IN (\(ids))`. An empty collection leaves `IN ()`, which SQLite
        /// takes as no value at all.
        ///
        /// SQLite allows some ten thousand parameters (32,766 unless built otherwise), and each number of them is a
        /// statement of its own. A list of numbers or texts of any length is one parameter as JSON, and can be given by
        /// position and by name as well: `IN (SELECT value FROM json_each(\(JSON(ids))))`.
        ///
        /// - Parameter elements: The values, each of which is bound.
        public mutating func appendInterpolation<Element: SQLiteValueConvertible>(_ elements: some Collection<Element>)
        {
            text += Array(repeating: "?", count: elements.count).joined(separator: ", ")
            for element in elements { arguments.append(element, isOpen: isOpen) }
        }

        /// Writes a name, quoted where it must be: `\(identifier: table)`.
        ///
        /// - Parameter name: The name.
        public mutating func appendInterpolation(identifier name: String) {
            text += SQLText.identifier(name)
        }

        /// Writes other SQL, and binds its values: `\(sql: condition)`.
        ///
        /// - Parameter sql: The SQL text.
        public mutating func appendInterpolation(sql: SQL) {
            text += sql.sql
            arguments.append(sql.arguments, isOpen: isOpen)
            if !isOpen, sql.arguments.isEmpty { isOpen = hasOpenParameter(sql.sql) }
        }
    }
}

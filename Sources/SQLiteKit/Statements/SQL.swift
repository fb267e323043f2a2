public import Foundation

/// SQL text together with the values to bind to it.
///
/// A string literal becomes one, and so does an interpolated string. What is interpolated is bound and never spliced,
/// so no value can turn into SQL:
///
/// ```swift
/// let name = "Robert'); DROP TABLE student;--"
/// try db.execute("INSERT INTO student (name) VALUES (\(name))")            // INSERT INTO student (name) VALUES (?)
/// try db.query("SELECT * FROM student WHERE id IN (\([1, 2, 3]))")        // … IN (?, ?, ?)
/// try db.query("SELECT * FROM \(identifier: table)")                     // a name, quoted where it must be
/// ```
///
/// A text made at run time is wrapped by ``init(_:_:)``; it is taken as it is.
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The SQL text, with `?` where a value was interpolated.
    public let sql: String

    /// The values for its parameters: the interpolated ones, in order, or those it was made with.
    public let arguments: Arguments

    /// Takes a text made at run time as it is.
    ///
    /// - Parameters:
    ///   - sql: The text.
    ///   - arguments: Values for its parameters.
    public init(_ sql: String, _ arguments: Arguments = []) {
        self.sql = sql
        self.arguments = arguments
    }

    /// SQL from a literal.
    public init(stringLiteral sql: String) {
        self.init(sql)
    }

    /// SQL from an interpolated literal, whose values are bound.
    public init(stringInterpolation interpolation: StringInterpolation) {
        sql = interpolation.text
        arguments = Arguments(interpolation.values)
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
        var values: [(any SQLiteValueConvertible)?] = []

        /// Makes room for what is to come.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
        }

        /// Adds SQL text.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Binds a value: `\(name)`.
        public mutating func appendInterpolation(_ value: some SQLiteValueConvertible) {
            text += "?"
            values.append(value)
        }

        /// Binds a value whose type is known at run time only; nil is NULL.
        public mutating func appendInterpolation(_ value: (any SQLiteValueConvertible)?) {
            text += "?"
            values.append(value)
        }

        /// Binds a blob.
        public mutating func appendInterpolation(_ value: Data) {
            text += "?"
            values.append(value)
        }

        /// Binds a blob.
        public mutating func appendInterpolation(_ value: [UInt8]) {
            text += "?"
            values.append(value)
        }

        /// Binds a blob.
        public mutating func appendInterpolation(_ value: ArraySlice<UInt8>) {
            text += "?"
            values.append(value)
        }

        /// Binds each element, with commas between: `IN (\(ids))`. An empty collection leaves `IN ()`, which SQLite
        /// takes as no value at all.
        ///
        /// SQLite allows some ten thousand parameters (32,766 unless built otherwise), and each number of them is a
        /// statement of its own. A list of numbers or texts of any length is one parameter as JSON, and can be given by
        /// position and by name as well: `IN (SELECT value FROM json_each(\(JSON(ids))))`.
        public mutating func appendInterpolation<Element: SQLiteValueConvertible>(_ elements: some Collection<Element>)
        {
            text += Array(repeating: "?", count: elements.count).joined(separator: ", ")
            values.append(contentsOf: elements.map { $0 })
        }

        /// Writes a name, quoted where it must be: `\(identifier: table)`.
        public mutating func appendInterpolation(identifier name: String) {
            text += SQLText.identifier(name)
        }

        /// Writes SQL text as it is: `\(sql: condition)`. Never pass what came from outside.
        public mutating func appendInterpolation(sql: String) {
            text += sql
        }
    }
}

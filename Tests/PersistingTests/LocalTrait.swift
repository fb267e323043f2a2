import Testing

/// A test with this trait runs on a local database also where the others run on a node of a cluster.
struct LocalTrait: TestTrait {
    let reason: Reason

    /// What the test does that a node doesn't have, or does otherwise.
    enum Reason {
        /// It needs a `Database`, counts or explains statements, or observes.
        case connection
        /// It holds the local connection so that another call waits.
        case heldConnection
        case attachedDatabases
        case temporaryTables
        case blobsInPlace
        /// It stores texts with a NUL, which the protocol rejects.
        case textsWithNUL
        /// It reads texts that the protocol cuts at a NUL, or whose bytes it repairs.
        case cutTexts
        /// It declares columns as DATETIME, DATE, TIMESTAMP or BOOLEAN, whose values the protocol turns into texts.
        case declaredDates
        /// It stores dates in another form by raw SQL, after the table was looked at.
        case laterDates
        /// It compares texts by functions in Swift: `[c]`, `[cd]`, LIKE, and orderings by language.
        case textComparisons
        case regularExpressions
        /// It compares or adds decimals exactly, by collations and functions in Swift.
        case decimals
        /// It calculates with texts or dates by functions in Swift.
        case textAndDateFunctions
        /// It compares values in other forms by functions in Swift.
        case valueForms
        /// It has more than 255 values in a statement.
        case manyParameters
        /// It turns foreign keys off by a PRAGMA.
        case foreignKeysOff
        /// It expects the key that a foreign key's error names, which a node doesn't say.
        case keyOfForeignKey
        /// It expects that text in double quotation marks is rejected, which a node takes.
        case doubleQuotes
        /// It reads the tables of a result's columns, which a node doesn't say.
        case tablesOfColumns
    }
}

extension Trait where Self == LocalTrait {
    static func local(_ reason: LocalTrait.Reason) -> Self { LocalTrait(reason: reason) }
}

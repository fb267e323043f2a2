/// Where a column's value is, in an object and in its tracked values, and what type it has there.
struct Field: Sendable {
    let offset: Int
    let trackedOffset: Int
    let kind: FieldKind
    /// How many bytes a value takes in tracked values, and unless it is custom, in an object.
    let size: UInt8
    /// Whether a value is two words, which may overlap, and not custom.
    let isTwoWords: Bool
    /// Whether a NULL leaves the property as `init()` made it.
    let keepsDefaultOnNull: Bool
    /// Whether the column is of the primary key: its tracked value is what the row holds, to the byte, so that the row
    /// is found by it.
    let isKey: Bool
    /// Whether the column is always kept, also for an object that is not tracked: what its row is found by, the key and
    /// the version.
    let isKept: Bool
    /// Whether the column is left out when objects are fetched.
    let isDeferred: Bool
    /// Where the column is in a row; `nowhere` for one that the row does not have.
    var position: Int32

    static let nowhere: Int32 = -1
    /// No field: what a visitor starts with.
    static let none = Field(
        offset: 0, trackedOffset: 0, kind: .custom, size: 0, isTwoWords: false, keepsDefaultOnNull: false,
        isKey: false, isKept: false, isDeferred: false, position: nowhere)
}

internal import Foundation

/// What a column's property holds: a built-in type, for which the compiler makes code of its own, or any other, which a
/// codec converts.
enum FieldKind: UInt8, Sendable {
    case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, bool, double, float, string, data, date
    case optionalInt, optionalInt8, optionalInt16, optionalInt32, optionalInt64
    case optionalUInt, optionalUInt8, optionalUInt16, optionalUInt32, optionalUInt64
    case optionalBool, optionalDouble, optionalFloat, optionalString, optionalData, optionalDate
    case custom
    // The property's type alone doesn't say that it is stored this way; see `Column.kind(describedAs:isKey:)`.
    case textDate, optionalTextDate

    /// The built-in types and their Optionals, in the order of the cases.
    private static let builtIn: (plain: [any Any.Type], optional: [any Any.Type]) = {
        var types = TypesOfFields()
        for raw in UInt8(0)..<FieldKind.optionalInt.rawValue {
            // A visitor that only notes a type has nothing to throw.
            try? FieldKind(rawValue: raw)?.visit(&types)
        }
        return (types.plain, types.optional)
    }()

    /// The kind for a property's type.
    init(_ type: any Any.Type) {
        let place =
            Self.builtIn.plain.firstIndex { $0 == type }
            ?? Self.builtIn.optional.firstIndex { $0 == type }.map { $0 + Int(FieldKind.optionalInt.rawValue) }
        self = place.flatMap { FieldKind(rawValue: UInt8($0)) } ?? .custom
    }

    /// A built-in type with an Optional around it taken off; nil for other types.
    static func wrapped(in type: any Any.Type) -> (any Any.Type)? {
        builtIn.plain.first { $0 == type } ?? builtIn.optional.firstIndex { $0 == type }.map { builtIn.plain[$0] }
    }

    /// The stored integers that a property of an integer type can have; nil for other types.
    var integers: ClosedRange<Int64>? {
        switch self {
        case .int, .int64, .optionalInt, .optionalInt64: Int64.min...Int64.max
        case .int8, .optionalInt8: Int64(Int8.min)...Int64(Int8.max)
        case .int16, .optionalInt16: Int64(Int16.min)...Int64(Int16.max)
        case .int32, .optionalInt32: Int64(Int32.min)...Int64(Int32.max)
        case .uint, .uint64, .optionalUInt, .optionalUInt64: 0...Int64.max
        case .uint8, .optionalUInt8: 0...Int64(UInt8.max)
        case .uint16, .optionalUInt16: 0...Int64(UInt16.max)
        case .uint32, .optionalUInt32: 0...Int64(UInt32.max)
        default: nil
        }
    }

    /// Whether tracked values hold a value as the property does.
    var isOfProperty: Bool { rawValue < Self.custom.rawValue }

    /// The kind of a column of the primary key. A key's tracked value is what the row holds, to the byte, which a value
    /// does not tell where several stored forms give the same one, as a TEXT and a REAL do for a date.
    func ofKey(keepsDefaultOnNull: Bool) -> FieldKind {
        switch self {
        case .bool, .date, .data, .optionalBool, .optionalDate, .optionalData, .float, .optionalFloat: .custom
        default: keepsDefaultOnNull ? .custom : self
        }
    }

    /// Calls the visitor with the type. One switch, from which the compiler makes straight code for each visitor and
    /// type.
    @inline(__always)
    func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws {
        switch self {
        case .int: try visitor.visit(Int.self)
        case .int8: try visitor.visit(Int8.self)
        case .int16: try visitor.visit(Int16.self)
        case .int32: try visitor.visit(Int32.self)
        case .int64: try visitor.visit(Int64.self)
        case .uint: try visitor.visit(UInt.self)
        case .uint8: try visitor.visit(UInt8.self)
        case .uint16: try visitor.visit(UInt16.self)
        case .uint32: try visitor.visit(UInt32.self)
        case .uint64: try visitor.visit(UInt64.self)
        case .bool: try visitor.visit(Bool.self)
        case .double: try visitor.visit(Double.self)
        case .float: try visitor.visit(Float.self)
        case .string: try visitor.visit(String.self)
        case .data: try visitor.visit(Data.self)
        case .date: try visitor.visit(Date.self)
        case .optionalInt: try visitor.visit(Int?.self)
        case .optionalInt8: try visitor.visit(Int8?.self)
        case .optionalInt16: try visitor.visit(Int16?.self)
        case .optionalInt32: try visitor.visit(Int32?.self)
        case .optionalInt64: try visitor.visit(Int64?.self)
        case .optionalUInt: try visitor.visit(UInt?.self)
        case .optionalUInt8: try visitor.visit(UInt8?.self)
        case .optionalUInt16: try visitor.visit(UInt16?.self)
        case .optionalUInt32: try visitor.visit(UInt32?.self)
        case .optionalUInt64: try visitor.visit(UInt64?.self)
        case .optionalBool: try visitor.visit(Bool?.self)
        case .optionalDouble: try visitor.visit(Double?.self)
        case .optionalFloat: try visitor.visit(Float?.self)
        case .optionalString: try visitor.visit(String?.self)
        case .optionalData: try visitor.visit(Data?.self)
        case .optionalDate: try visitor.visit(Date?.self)
        case .custom: try visitor.visitCustom()
        case .textDate: try visitor.visit(TextDate.self)
        case .optionalTextDate: try visitor.visit(TextDate?.self)
        }
    }
}

/// Something that is done with a field, for each of the built-in types and for custom ones.
protocol FieldVisitor {
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws
    mutating func visitCustom() throws
}

private struct TypesOfFields: FieldVisitor {
    var plain: [any Any.Type] = []
    var optional: [any Any.Type] = []

    // Code of its own for each type would have the runtime read the name of each Optional.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        plain.append(type)
        optional.append(T?.self)
    }

    mutating func visitCustom() {}
}

/// A type that a field holds as it is.
protocol BuiltInField: SQLiteValueConvertible {
    /// The value for what a row has: as the type's initializer reads it, if it is stored in the type's own form.
    static func decode(_ stored: SQLiteValue) throws -> Self
    /// The same of column `index` of a row.
    static func decode<Source: ColumnSource>(
        _ index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws -> Self
    /// Whether SQLite would store the same for both.
    static func isSame(_ lhs: Self, _ rhs: Self) -> Bool
    /// Whether it is stored as NULL.
    var isNull: Bool { get }
}

extension BuiltInField {
    @inline(__always) var isNull: Bool { false }

    @inline(__always) static func decode(_ stored: SQLiteValue) throws -> Self { try Self(sqliteValue: stored) }

    @inline(__always)
    static func decode<Source: ColumnSource>(
        _ index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws -> Self {
        try Self(column: index, storageClass, of: source)
    }
}

extension BuiltInField where Self: FixedWidthInteger {
    @inline(__always) static func isSame(_ lhs: Self, _ rhs: Self) -> Bool { lhs == rhs }
}

extension Int: BuiltInField {}
extension Int8: BuiltInField {}
extension Int16: BuiltInField {}
extension Int32: BuiltInField {}
extension Int64: BuiltInField {}
extension UInt: BuiltInField {}
extension UInt8: BuiltInField {}
extension UInt16: BuiltInField {}
extension UInt32: BuiltInField {}
extension UInt64: BuiltInField {}

extension Bool: BuiltInField {
    static func decode(_ stored: SQLiteValue) throws -> Bool {
        let value = try Bool(sqliteValue: stored)
        try OwnForm.bool.check(stored, value.sqliteValue())
        return value
    }

    @inline(__always)
    static func decode<Source: ColumnSource>(
        _ index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws -> Bool {
        if storageClass == .integer {
            let number = source.int64(at: index)
            if number & ~1 == 0 { return number == 1 }
        }
        return try decode(source.value(at: index))
    }

    @inline(__always) static func isSame(_ lhs: Bool, _ rhs: Bool) -> Bool { lhs == rhs }
}

// By bits: NaN is the same as NaN, and -0.0 differs from 0.0.
extension Double: BuiltInField {
    @inline(__always) static func isSame(_ lhs: Double, _ rhs: Double) -> Bool { lhs.bitPattern == rhs.bitPattern }
}

extension Float: BuiltInField {
    @inline(__always) static func isSame(_ lhs: Float, _ rhs: Float) -> Bool { lhs.bitPattern == rhs.bitPattern }
}

// By bytes: a letter composed and the same letter decomposed are equal in Swift, and different texts in a column.
extension String: BuiltInField {
    static func isSame(_ lhs: String, _ rhs: String) -> Bool { haveSameBytes(lhs, rhs) }
}

extension Data: BuiltInField {
    static func decode(_ stored: SQLiteValue) throws -> Data {
        let value = try Data(sqliteValue: stored)
        try OwnForm.bytes.check(stored, value.sqliteValue())
        return value
    }

    @inline(__always)
    static func decode<Source: ColumnSource>(
        _ index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws -> Data {
        // A text may be no valid one, and isn't read for the error.
        if storageClass == .text { throw OtherForm(form: .bytes, stored: .text("")) }
        return try Data(column: index, storageClass, of: source)
    }

    static func isSame(_ lhs: Data, _ rhs: Data) -> Bool { lhs == rhs }
}

extension Date: BuiltInField {
    // A Date counts from 2001, more finely than the seconds since 1970 that are stored.
    @inline(__always) static func isSame(_ lhs: Date, _ rhs: Date) -> Bool {
        lhs.timeIntervalSinceReferenceDate == rhs.timeIntervalSinceReferenceDate
            || lhs.timeIntervalSince1970 == rhs.timeIntervalSince1970
    }
}

extension Optional: BuiltInField where Wrapped: BuiltInField {
    @inline(__always) var isNull: Bool { self == nil }

    @inline(__always) static func decode(_ stored: SQLiteValue) throws -> Wrapped? {
        stored.isNull ? nil : try Wrapped.decode(stored)
    }

    @inline(__always)
    static func decode<Source: ColumnSource>(
        _ index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws -> Wrapped? {
        storageClass == .null ? nil : try Wrapped.decode(index, storageClass, of: source)
    }

    @inline(__always) static func isSame(_ lhs: Wrapped?, _ rhs: Wrapped?) -> Bool {
        switch (lhs, rhs) {
        case (let lhs?, let rhs?): Wrapped.isSame(lhs, rhs)
        case (nil, nil): true
        default: false
        }
    }
}

/// Optionals of whatever type, which code that is generic over all types has to tell from other values.
protocol OptionalValue {
    var isNil: Bool { get }
    static var nilValue: Self { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    static var nilValue: Wrapped? { nil }
}

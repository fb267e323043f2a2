extension Column {
    /// The kind of the column's field, which was described as custom or as built-in.
    func kind(describedAs kind: FieldKind, isKey: Bool) -> FieldKind {
        guard kind == .custom, !isKey else { return kind }
        if let codec = codec as? DateCodec, codec.storage == .iso8601 { return .textDate }
        if let codec = codec as? OptionalCodec<DateCodec>, codec.wrapped.storage == .iso8601 {
            return .optionalTextDate
        }
        return kind
    }
}

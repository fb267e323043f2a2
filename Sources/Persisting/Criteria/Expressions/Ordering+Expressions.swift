/// Orders of calculated values.
extension Ordering {
    /// From the least to the greatest calculated value.
    ///
    /// ```swift
    /// try OrderLine.all(
    ///     sortedBy: .ascending(OrderLine.row.price * OrderLine.row.quantity))
    /// ```
    ///
    /// - Parameters:
    ///   - expression: The value.
    ///   - comparison: How texts are compared.
    ///   - nils: Where rows without a value come; nil is before any value.
    public static func ascending(
        _ expression: ModelExpression<Model>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        term(expression, .ascending, comparison, nils)
    }

    /// From the greatest to the least calculated value.
    ///
    /// - Parameters:
    ///   - expression: The value.
    ///   - comparison: How texts are compared.
    ///   - nils: Where rows without a value come; nil is after all values.
    public static func descending(
        _ expression: ModelExpression<Model>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        term(expression, .descending, comparison, nils)
    }

    private static func term(
        _ expression: ModelExpression<Model>, _ direction: SortDirection, _ comparison: TextComparison,
        _ nils: NilPlacement?
    ) -> Ordering {
        switch expression.content {
        case .success(let term):
            let key = term.key ?? "a calculation"
            return Ordering(terms: [.column(.init(key, direction, comparison, nils, related: term))])
        case .failure(let error): return Ordering(terms: [.invalid(error)])
        }
    }
}

public import Foundation

/// Conditions by Foundation's predicates.
extension Criteria where Model: PersistingModel {
    /// The rows that a predicate of Foundation describes.
    ///
    /// ```swift
    /// let (name, least) = ("Bluth", 7)
    /// try User.all(
    ///     where: .predicate(
    ///         #Predicate { $0.lastName == name && ($0.luckyNumber ?? 0) > least }))
    /// ```
    ///
    /// A predicate is made into SQL, and means what any ``Criteria`` does: texts are compared by their bytes, where
    /// Swift takes a composed and a decomposed `é` for the same, and a comparison with nil is false, where Foundation
    /// throws for `$0.age! > 7`. Supported are the comparisons, `&& || !`, `+ - * / %`, `??`, `!` after an Optional,
    /// `if let` and `flatMap` of one, the ternary; of texts `contains`, `starts(with:)`, `isEmpty`; `contains` of a
    /// captured collection or range; `evaluate` of a captured `#Expression`; where Foundation has them,
    /// `localizedStandardContains` and the equality of `caseInsensitiveCompare`, both without a locale, and `evaluate`
    /// of another predicate; and whatever does not depend on the row.
    ///
    /// - Parameter predicate: The predicate. An expression that means nothing to a row is named by an error,
    ///   ``PersistenceError/Code/invalidCriteria``, when the condition is used.
    public static func predicate(_ predicate: Predicate<Model>) -> Criteria {
        Criteria(catching: {
            var conversion = PredicateConversion(predicate.variable.key, try Mapping.of(Model.self))
            return try conversion.condition(predicate.expression)
        })
    }
}

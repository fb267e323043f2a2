/// Conditions in NSPredicate's format language, on every platform.
extension Criteria where Model: PersistingModel {
    /// The rows that a format describes, as `NSPredicate(format:)` does.
    ///
    /// ```swift
    /// try User.all(
    ///     where: .format("lastName ==[cd] %@ AND luckyNumber == %@", "bluth", 13))
    /// try User.all(
    ///     where: .format(
    ///         "NOT %K IN {3, 7} OR age BETWEEN %@", "luckyNumber", [18, 30]))
    /// try Show.all(
    ///     where: .format("ANY episodes.seconds > %@ AND episodes.@count < 10", 3600))
    /// ```
    ///
    /// It has the comparisons `= == != <> < <= =< > >= =>`; `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` (with `*` and
    /// `?`) and `MATCHES` (the whole text, by a regular expression); `IN` and `BETWEEN` with a list, `{1, 2}` or an
    /// array; `NOT` before each of these words; `[c]`, `[d]` and `[cd]` after an operator, for comparing without
    /// regard to case or diacritics. `NOT` or `!` binds tighter than `AND` or `&&`, and that tighter than `OR` or `||`;
    /// there are parentheses. Words are in any case.
    ///
    /// A key is a property's name; `#order` or one in backquotes is a key where the language has a word of that name.
    /// With a dot it leads through the class's ``PersistingModel/relations``: `show.title` is a value of the related
    /// row, nil where there is none, `episodes.@count` the number of related rows, and `episodes.@sum.seconds`, `@avg`,
    /// `@min` and `@max` are computed of them. `ANY` or `SOME`, `ALL` and `NONE` before a comparison with values say of
    /// how many related rows it holds: `ALL episodes.seconds > 60` does for a show without episodes, too.
    ///
    /// Values are numbers, texts in `'…'` or `"…"`, `nil`, `NULL`, `TRUE`, `FALSE`, `YES`, `NO`, and what `+ - * /`,
    /// `%%` (the remainder) and `TERNARY(condition, a, b)` make of keys and values; `+` joins texts.
    /// There are functions, in any case: `lowercase`, `uppercase`, `length`, `trim`, `substring(text, from, count)`,
    /// `replace(text, old, new)` and `concat` of texts; `abs` and `round(number, digits)`; `coalesce(a, b)`; the
    /// conversions `integer`, `real` and `text`; of a date, in UTC, `year`, `month`, `week`, `day`, `weekday`, `hour`
    /// and the like, and `startOfYear` to `startOfMinute`. `TRUEPREDICATE` takes every row, `FALSEPREDICATE` none.
    ///
    /// For an argument stands `%@`, any value; `%K`, a key; `%d %i %u %ld %lu %lld %llu`, an integer; `%f %g`, a
    /// number. In a quoted text it stands for itself. An argument is a value and never read as format or SQL.
    ///
    /// What isn't supported throws, and is named: `SUBQUERY`, `SELF`, `[l]`, `[n]`, `$variables` and any other
    /// function.
    ///
    /// - Parameters:
    ///   - format: The text. A mistake in it is thrown when the condition is used, and says in which column it is.
    ///   - arguments: A value for each `%`, in order. One too few or too many is a mistake too.
    public static func format(_ format: String, _ arguments: (any Sendable)?...) -> Criteria {
        self.format(format, arguments: arguments)
    }

    /// The rows that a format with arguments made at run time describes; see ``format(_:_:)``.
    ///
    /// - Parameters:
    ///   - format: The condition, in NSPredicate's format language.
    ///   - arguments: Values for the format's arguments.
    public static func format(_ format: String, arguments: [(any Sendable)?]) -> Criteria {
        Criteria(catching: { try parsed(format, arguments).node })
    }

    /// The rows that a format made at run time describes; see ``format(_:_:)``.
    ///
    /// - Parameters:
    ///   - format: The condition, in NSPredicate's format language.
    ///   - arguments: Values for the format's arguments.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for a mistake, ``PersistenceError/Code/unknownKey`` for a
    ///   key or a relation that the class does not have. Both say in which column of the text it is.
    public init(format: String, arguments: [(any Sendable)?] = []) throws {
        let mapping = try Mapping.of(Model.self)
        let (node, keys, text) = try Self.parsed(format, arguments)
        for key in keys {
            do {
                try key.check(mapping)
            } catch let error as PersistenceError {
                throw text.failure(error.message, at: key.position, error.code, key: error.key ?? key.key)
            }
        }
        self.init(node)
    }

    private static func parsed(
        _ format: String, _ arguments: [(any Sendable)?]
    ) throws -> (node: CriteriaNode, keys: [FormatKey], text: FormatText) {
        let text = FormatText(format, model: ModelDescription.name(of: Model.self))
        // A mistake of the class is thrown where the condition is used.
        var parser = try FormatParser(text, arguments, of: try? Mapping.of(Model.self))
        return (try parser.condition(), parser.keys, text)
    }
}

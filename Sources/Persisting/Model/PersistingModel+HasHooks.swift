/// Whether a class has hooks or validation: without them its rows can be written without objects.
extension PersistingModel {
    /// Whether the class, or one that it inherits from, overrides a hook or `validate()`.
    ///
    /// Where that can't be found out, it counts as one that does.
    static var hasHooks: Bool {
        HookProbe.isReliable ? overridesMethod(self) : true
    }
}

private enum HookProbe {
    private final class Plain: PersistingModel {
        var name = ""
    }

    private final class Hooked: PersistingModel {
        override func didInsert() {}
    }

    private final class Validated: PersistingModel {
        override func validate() -> [ValidationFailure] { super.validate() + [] }
    }

    /// Whether classes are laid out as ``overridesMethod(_:)`` takes them to be: it proves itself before it is used.
    static let isReliable =
        !overridesMethod(PersistingModel.self) && !overridesMethod(Plain.self) && overridesMethod(Hooked.self)
        && overridesMethod(Validated.self)
}

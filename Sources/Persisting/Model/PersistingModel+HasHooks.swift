/// Whether a class has hooks or validation: without them its rows can be written without objects.
extension PersistingModel {
    /// Whether the class, or one that it inherits from, overrides a hook or `validate()`.
    ///
    /// Where that can't be found out, as with a compiler that lays classes out otherwise, every class counts as one
    /// that does: imports are then slower, and do the same.
    static var hasHooks: Bool {
        HookProbe.isReliable ? overridesMethod(self) : true
    }
}

/// Classes of which it is known what they override, by which ``overridesMethod(_:)`` proves itself before it is used.
private enum HookProbe {
    private final class Plain: PersistingModel {
        var name = ""
        override class var naming: Naming { .identity }
    }

    private final class WillInsert: PersistingModel {
        override func willInsert() {}
    }

    private final class DidInsert: PersistingModel {
        override func didInsert() {}
    }

    private final class WillUpdate: PersistingModel {
        override func willUpdate() {}
    }

    private final class DidUpdate: PersistingModel {
        override func didUpdate() {}
    }

    private final class WillDelete: PersistingModel {
        override func willDelete() {}
    }

    private final class DidDelete: PersistingModel {
        override func didDelete() {}
    }

    private final class Validated: PersistingModel {
        override func validate() -> [ValidationFailure] { [ValidationFailure(reason: "")] }
    }

    /// Whether all of them are told apart. It is found out once.
    static let isReliable =
        !overridesMethod(PersistingModel.self) && !overridesMethod(Plain.self)
        && overridesMethod(WillInsert.self) && overridesMethod(DidInsert.self)
        && overridesMethod(WillUpdate.self) && overridesMethod(DidUpdate.self)
        && overridesMethod(WillDelete.self) && overridesMethod(DidDelete.self)
        && overridesMethod(Validated.self)
}

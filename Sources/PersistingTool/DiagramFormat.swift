#if Tool
    public import ArgumentParser
    public import PersistingDiagnostics

    /// The ways to draw. Public for the command `persisting`, and of no use to others.
    public enum DiagramFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// Mermaid's text.
        case mermaid
        /// A picture.
        case svg

        /// The text of a diagram.
        ///
        /// - Parameter diagram: The diagram.
        public func text(of diagram: SchemaDiagram) -> String { self == .svg ? diagram.svg : diagram.mermaid }
    }
#endif

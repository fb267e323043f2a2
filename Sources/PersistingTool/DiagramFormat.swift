#if Tool
    internal import ArgumentParser
    package import PersistingDiagnostics

    /// The ways to draw.
    package enum DiagramFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// Mermaid's text.
        case mermaid
        /// A picture.
        case svg

        /// The text of a diagram.
        ///
        /// - Parameter diagram: The diagram.
        package func text(of diagram: SchemaDiagram) -> String { self == .svg ? diagram.svg : diagram.mermaid }
    }
#endif

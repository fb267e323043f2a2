extension SchemaDiagram {
    /// The diagram as Mermaid's `erDiagram`, which GitHub, GitLab and many editors draw.
    ///
    /// Mermaid takes few characters in names of columns and types. Others become `_`. See
    /// [Entity Relationship Diagrams](https://mermaid.js.org/syntax/entityRelationshipDiagram.html).
    public var mermaid: String {
        var lines = ["erDiagram"]
        for table in tables {
            lines.append("    \(Self.entity(table.name)) {")
            for column in table.columns {
                let keys = [column.isPrimaryKey ? "PK" : nil, column.isForeignKey ? "FK" : nil].compactMap { $0 }
                let words = [
                    Self.word(column.type.isEmpty ? "ANY" : column.type), Self.word(column.name),
                    keys.joined(separator: ", "),
                ]
                lines.append("        " + words.filter { !$0.isEmpty }.joined(separator: " "))
            }
            lines.append("    }")
        }
        for reference in references {
            let ends = (reference.isOptional ? "|o" : "||", reference.isUnique ? "o|" : "o{")
            let label = Self.quoted(reference.columns.joined(separator: ", "))
            lines.append(
                "    \(Self.entity(reference.parent)) \(ends.0)--\(ends.1) \(Self.entity(reference.child)) : \(label)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The name of a table: as it is if Mermaid takes it, and otherwise in quotes.
    private static func entity(_ name: String) -> String { word(name) == name ? name : quoted(name) }

    private static func quoted(_ text: String) -> String {
        let shown = text.map { $0 == "\"" || $0 == "\\" || $0 == "%" || $0.isNewline ? "_" : $0 }
        return "\"\(String(shown))\""
    }

    /// Letters and digits of ASCII, `_`, and the parentheses of a type.
    private static func word(_ text: String) -> String {
        let shown = text.map { character -> Character in
            let isKnown = character.isASCII && (character.isLetter || character.isNumber || "_()".contains(character))
            return isKnown ? character : "_"
        }
        guard let first = shown.first, first.isLetter || first == "_" else { return "_" + String(shown) }
        return String(shown)
    }
}

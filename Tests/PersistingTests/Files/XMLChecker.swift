/// Whether tags are closed and nothing stands in texts that must be escaped: as much of XML as a drawing has.
struct XMLChecker {
    func isWellFormed(_ text: String) -> Bool {
        var (open, rest) = ([Substring](), text[...])
        while let start = rest.firstIndex(of: "<") {
            guard isText(rest[..<start]), let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[start...end]
            rest = rest[end...].dropFirst()
            let name = tag.dropFirst().prefix { $0.isLetter || $0 == "/" }
            guard isText(tag.dropFirst().dropLast()) else { return false }
            if tag.hasPrefix("</") {
                guard open.popLast() == name.dropFirst() else { return false }
            } else if !tag.hasSuffix("/>") {
                open.append(name)
            }
        }
        return open.isEmpty && isText(rest)
    }

    private func isText(_ text: Substring) -> Bool {
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;"]
        return !text.contains("<")
            && text.indices.filter { text[$0] == "&" }.allSatisfy { index in
                entities.contains { text[index...].hasPrefix($0) }
            }
    }
}

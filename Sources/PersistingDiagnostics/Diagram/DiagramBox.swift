/// A table as a box: its lines of text, and where they are.
struct DiagramBox {
    struct Row {
        let name: String
        let type: String
        let isPrimaryKey: Bool
        let isForeignKey: Bool
    }

    let title: String
    let rows: [Row]
    /// The line below the columns that says how many are left out; nil if all are shown.
    let rest: String?
    let width: Double

    static let rowHeight = 18.0
    static let titleHeight = 26.0
    /// The width of a character of the font.
    private static let character = 7.3
    /// The space for `PK` and `FK`.
    let markWidth: Double
    static let padding = 10.0
    /// How many columns a box shows at most. The keys are always shown.
    private static let limit = 16

    init(_ table: SchemaDiagram.Table) {
        title = table.name
        var free = Self.limit - table.columns.count { $0.isPrimaryKey || $0.isForeignKey }
        // The last line of a full box is either a column or the number of those left out.
        if table.columns.count > Self.limit { free -= 1 }
        let shown = table.columns.filter { column in
            if column.isPrimaryKey || column.isForeignKey { return true }
            free -= 1
            return free >= 0
        }
        rows = shown.map {
            Row(name: $0.name, type: $0.type, isPrimaryKey: $0.isPrimaryKey, isForeignKey: $0.isForeignKey)
        }
        let left = table.columns.count - shown.count
        rest = left == 0 ? nil : "… \(left) more"
        markWidth = rows.contains { $0.isPrimaryKey && $0.isForeignKey } ? 36 : 22
        let widths = rows.map { Self.width($0.name) + Self.width($0.type) + ($0.type.isEmpty ? 0 : 16) }
        // The title is bold.
        let titleWidth = Self.width(title) * 1.05 + 2 * Self.padding
        width = max(120, titleWidth, (widths.max() ?? 0) + markWidth + 2 * Self.padding).rounded(.up)
    }

    var height: Double { Self.titleHeight + Double(rows.count + (rest == nil ? 0 : 1)) * Self.rowHeight + 6 }

    /// The middle of a column's row, counted from the top; the title's for a column that isn't shown.
    func offset(of column: String?) -> Double {
        guard let place = rows.firstIndex(where: { $0.name == column }) else { return Self.titleHeight / 2 }
        return Self.titleHeight + (Double(place) + 0.5) * Self.rowHeight + 2
    }

    /// The width of a text. Signs of East Asia and emoji are as wide as two others.
    static func width(_ text: String) -> Double {
        text.reduce(0) { $0 + (($1.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 2 : 1) * character }
    }
}

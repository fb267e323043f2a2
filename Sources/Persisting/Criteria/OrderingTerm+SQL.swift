/// What SQLite puts in order.
extension OrderingTerm.Column {
    /// What SQLite compares of a column.
    func compared(_ column: ColumnOperand, _ forms: StoredForms) throws -> String {
        comparison == .stored ? try forms.ordered(column) : compared(column.sql, forms)
    }

    /// What is compared of a column or a value.
    func compared(_ sql: String, _ forms: StoredForms) -> String {
        switch comparison.kind {
        case .stored: sql
        case .folded(let options): "fold(\(sql), '\(options.letters)')" + (forms.isUTF16 ? " COLLATE UTF8" : "")
        case .localized: "\(sql) COLLATE LOCALIZED"
        }
    }
}

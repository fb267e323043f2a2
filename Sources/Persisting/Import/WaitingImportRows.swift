/// Rows of an import that wait to be inserted by one statement.
///
/// Their values are bytes of the file's buffer, so they are inserted before these move.
final class WaitingImportRows {
    /// How they are written; nil where none wait.
    @exclusivity(unchecked) private(set) var plan: ImportPlan?
    @exclusivity(unchecked) private(set) var count = 0
    /// How many values a row has.
    @exclusivity(unchecked) private var width = 0
    /// What the plan's parameters get of each row, row by row.
    @exclusivity(unchecked) private var values = PlainArray<ImportValue>()
    @exclusivity(unchecked) private var lines = PlainArray<Int>()

    @inline(__always)
    func append<Rows: ImportRows>(_ rows: Rows, _ plan: ImportPlan) {
        if self.plan !== plan { (self.plan, width) = (plan, plan.values.count) }
        let found = rows.values
        plan.values.withUnsafeBufferPointer { parameters in
            for parameter in parameters { values.append(found[parameter.index]) }
        }
        lines.append(rows.line)
        count += 1
    }

    /// What one of the plan's parameters gets of a row.
    @inline(__always)
    subscript(row: Int, place: Int) -> ImportValue { values[row * width + place] }

    /// The line on which a row begins.
    func line(_ row: Int) -> Int { lines[row] }

    func removeAll() {
        values.removeAll()
        lines.removeAll()
        (plan, count) = (nil, 0)
    }
}

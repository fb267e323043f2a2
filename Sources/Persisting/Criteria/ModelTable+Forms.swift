internal import Synchronization

/// Statements by how a table's values are stored.
extension ModelTable {
    /// Writes a statement by how values are stored, and runs it while they are: in a transaction, where another program
    /// could store others between the two.
    ///
    /// - Parameters:
    ///   - node: The condition of the rows that the statement is for.
    ///   - kind: The transaction; nil is one that writes.
    ///   - write: Writes the statement. It may be called again.
    func withForms<SQL, T>(
        _ db: any EngineConnection, _ node: CriteriaNode?, _ kind: TransactionKind? = .deferred,
        write: (StoredForms) throws -> SQL, run: (SQL) throws -> T
    ) throws -> T {
        let forms = try forms(db, node)
        let sql = try write(forms)
        guard forms.wantTransaction else { return try run(sql) }
        return try db.transaction(kind) { try run(write(self.forms(db, node))) }
    }

    /// What conditions and orderings have to know of how values are stored.
    ///
    /// - Parameter node: The condition of the rows that they are for.
    func forms(_ db: any EngineConnection, _ node: CriteriaNode? = nil) throws -> StoredForms {
        try check(db)
        let greatestCount = db.greatestParameterCount
        let others = manager.map { FormsOfOthers($0, db) }
        let canCall = db.capabilities.contains(.functions)
        guard hasOtherForms.load(ordering: .acquiring) else {
            return StoredForms(canCall: canCall, greatestParameterCount: greatestCount, others: others)
        }
        let inspection = try inspected(db)
        return StoredForms(
            DateContents(inspection.dates, mapping, node, db), decimals: inspection.decimals,
            collated: inspection.collated, isUTF16: inspection.isUTF16, canCall: canCall,
            greatestParameterCount: greatestCount, others: others)
    }
}

/// How the values of other classes' tables are stored, as far as a statement has asked for them.
final class FormsOfOthers {
    private let manager: PersistenceManager
    private let db: any EngineConnection
    private var known: [ObjectIdentifier: (mapping: Mapping, forms: StoredForms)] = [:]

    init(_ manager: PersistenceManager, _ db: any EngineConnection) {
        self.manager = manager
        self.db = db
    }

    func of(_ other: Mapping) throws -> (mapping: Mapping, forms: StoredForms) {
        let type = ObjectIdentifier(other.modelType)
        if let known = known[type] { return known }
        let table = try manager.table(of: other.modelType)
        let found = (table.mapping, try table.forms(db))
        known[type] = found
        return found
    }
}

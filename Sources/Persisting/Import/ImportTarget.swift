internal import Foundation

/// Where an import goes, and how: what does not change from row to row.
struct ImportTarget {
    let manager: PersistenceManager
    let type: PersistingModel.Type
    let table: ModelTable
    let keys: ImportKeys
    let conflict: InsertConflict
    /// The class's columns that an import can write, and then its virtual keys.
    let columns: [ImportColumn]
    /// A fresh object.
    let defaults: PersistingModel
    /// The columns of which a row must have a value: what an existing row is found by.
    let requiredColumns: [Int]
    /// The classes that share the table, this one first: those whose rows the file may have. Empty for a class with a
    /// table of its own.
    private(set) var members: [ImportTarget] = []
    /// Whether rows keep the kind that the file has, which belongs to no class.
    private(set) var keepsKind = false

    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable``, and what a class's
    ///   mapping throws.
    init(
        _ manager: PersistenceManager, _ type: PersistingModel.Type, _ conflict: ImportConflict,
        _ fileKeys: FileKeys = .remote, isMember: Bool = false
    ) throws {
        self.manager = manager
        self.type = type
        table = try manager.table(of: type)
        let mapping = table.mapping
        keys = try ImportKeys(mapping, fileKeys)
        let target = try conflict.keys?.map { key in
            let index = try mapping.index(ofKey: key)
            try mapping.checkWritable(index)
            return index
        }
        if case .update = conflict.resolution {
            self.conflict = .update(UpsertColumns(target: target))
        } else {
            self.conflict = conflict.resolution
        }
        requiredColumns = target ?? []
        let defaults = type.init()
        self.defaults = defaults
        columns = try keys.importColumns(defaults: defaults)
        guard let place = mapping.place, !isMember else { return }
        let subclasses = try place.subclasses.map { subclass in
            try ImportTarget(manager, subclass.mapping.modelType, conflict, fileKeys, isMember: true)
        }
        members = [self] + subclasses
    }

    /// The same for rows of kinds that belong to no class.
    func keepingKind() -> ImportTarget {
        var target = self
        target.keepsKind = true
        return target
    }

    /// Stores the kind of a new row, where it belongs to no class and the base class keeps such rows.
    func storeUnknown(kind: String, of object: PersistingModel, _ db: any EngineConnection) throws {
        let mapping = table.mapping
        guard let place = mapping.place, !place.table.kinds.contains(kind) else { return }
        try mapping.requireKey()
        let key = try mapping.key.map { try mapping.stored($0, of: object) }
        let text = "UPDATE \(mapping.sql.table) SET \(place.mark.column) = ? \(mapping.sql.whereKey)"
        let statement = try db.statement(CachedSQL(text)).any
        try statement.bind(Arguments([.text(kind)] + key))
        defer { statement.clear() }
        _ = try statement.run()
    }

    /// Which class each row of a file belongs to; nil for a class with a table of its own.
    var kinds: ImportKinds? { ImportKinds(table.mapping, members.map(\.keys)) }

    /// Whether rows have to be made into objects: the class has hooks or validation, or closures store a part of them.
    var needsObjects: Bool { type.hasHooks || !keys.relationships.isEmpty }
}

extension ImportKeys {
    /// The columns that an import can write, and then the virtual keys.
    func importColumns(defaults: PersistingModel, prefersDefault: Bool = false) throws -> [ImportColumn] {
        let columns = mapping.columns.indices.filter { $0 != mapping.rowID && !mapping.generated.contains($0) }
        return try columns.map {
            try ImportColumn(
                $0, mapping, defaults: defaults, prefersDefault: prefersDefault,
                truncates: kinds[$0] == .truncatedNumber)
        } + virtualKeys.enumerated().map { ImportColumn($1, mapping.columns.count + $0, mapping) }
    }
}

/// How an import is to be run.
struct ImportSettings: Sendable {
    var keys = FileKeys.remote
    var conflict = ImportConflict.fail
    var errors = ImportErrors.stop
    var unknownKeys = UnknownKeys.ignore
    var isDryRun = false
    var commit = ImportCommit.atEnd
    var position: ImportPosition?
    var maximumRowBytes: Int
    var progress: Progress?

    /// - Throws: ``PersistenceError/Code/invalidRange``.
    func check() throws {
        if case .every(let rows) = commit, rows < 1 {
            throw PersistenceError(.invalidRange, "an import commits after at least 1 row, not after \(rows)")
        }
        guard maximumRowBytes > 0, errors.limit >= 0, (position?.offset ?? 0) >= 0,
            (1...1 << 53).contains(position?.line ?? 1)
        else {
            throw PersistenceError(
                .invalidRange,
                "a number of bytes, lines or errors is negative or too large, or a row of an import may have no bytes"
            )
        }
    }

    /// - Throws: ``PersistenceError/Code/invalidRange`` for a source that ends before the position.
    func check(_ reader: ImportReader) throws {
        guard let position, let count = reader.byteCount, position.offset > count else { return }
        throw PersistenceError(
            .invalidRange,
            "the import is to continue after \(position.offset) bytes, and the source has \(count): it has been cut, or "
                + "is another one")
    }
}

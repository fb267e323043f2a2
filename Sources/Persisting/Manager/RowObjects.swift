/// Makes objects of rows whose columns begin with those that a mapping fetches. Not generic, so that a row costs no
/// look-up of types.
struct RowObjects {
    private let manager: PersistenceManager
    private let type: PersistingModel.Type
    private let mapping: Mapping
    private let tracked: Bool
    private var images: RowImages

    /// - Parameters:
    ///   - tracked: Whether objects keep what was read.
    ///   - expected: How many rows there will be, where that is known.
    init(
        _ manager: PersistenceManager, _ type: PersistingModel.Type, _ mapping: Mapping, tracked: Bool,
        expecting expected: Int? = nil
    ) {
        self.manager = manager
        self.type = type
        self.mapping = mapping
        self.tracked = tracked
        images = RowImages(manager, mapping, capacity: expected ?? 16, tracking: tracked)
    }

    /// The object of the row that a statement stands on.
    @inline(__always)
    mutating func object(from statement: Statement) throws -> PersistingModel {
        if images.isFull {
            images = RowImages(manager, mapping, capacity: RowImages.capacityOfFetch, tracking: tracked)
        }
        let object = type.init()
        do {
            try mapping.fill(object, from: statement, images: images)
        } catch let error as PersistenceError {
            throw error.adding(sql: statement.sql)
        }
        object.record = Record(state: .persisted, slot: Int32(clamping: images.count - 1), images: images)
        return object
    }
}

extension RowImages {
    /// How many rows' images share an allocation: enough to spread its cost, and few enough that one object kept does
    /// not hold many.
    static let capacityOfFetch = 64
}

/// Something that all libraries do, by the objects or rows that it is about.
struct PythonTask {
    enum Kind { case insert, fetch, find, update, delete }

    let kind: Kind
    let name: String
    let operations: Int
    /// The contenders in Python: each a library, and the function of its program, named after the library's.
    let peers: [String]

    static func all(_ data: PythonData) -> [PythonTask] {
        let (count, found, changed) = (data.albums.count, data.keys.count, data.changed)
        return [
            PythonTask(
                kind: .insert, name: "insert \(count.grouped) in a batch", operations: count,
                peers: [
                    "peewee bulk_create", "peewee insert_many", "SQLAlchemy add_all", "SQLAlchemy insert",
                    "Django bulk_create",
                ]),
            PythonTask(
                kind: .fetch, name: "fetch all \(count.grouped)", operations: count,
                peers: ["peewee select", "SQLAlchemy scalars", "Django iterator"]),
            PythonTask(
                kind: .find, name: "find by key, \(found.grouped) times", operations: found,
                peers: ["peewee get_by_id", "SQLAlchemy get", "Django get"]),
            PythonTask(
                kind: .update, name: "update one column of \(changed.grouped)", operations: changed,
                peers: [
                    "peewee bulk_update", "peewee save", "SQLAlchemy commit", "SQLAlchemy update",
                    "Django bulk_update", "Django save",
                ]),
            PythonTask(
                kind: .delete, name: "delete \(changed.grouped) by a condition", operations: changed,
                peers: ["peewee delete", "SQLAlchemy delete", "Django delete"]),
        ]
    }
}

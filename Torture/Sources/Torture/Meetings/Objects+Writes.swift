import Foundation
import Persisting
import SQLiteKit

/// Writes by the library's synchronous forms, and by the asynchronous ones.
extension Objects {
    static func perform(_ write: Write, _ manager: PersistenceManager) throws {
        switch write {
        case .insert(let kind, let rows):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let objects = try rows.map { try new(type, kind, $0) }
                if objects.count == 1 { try manager.insert(objects[0]) } else { try manager.insert(objects) }
            }
            try opened(kind.type)
        case .insertOver(let kind, let values, let replaces):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                try manager.insert(new(type, kind, values), onConflict: replaces ? .replace : .ignore)
            }
            try opened(kind.type)
        case .save(let kind, let key, let changes):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let object = try one(manager.fetchAll(query(type, kind, key)))
                for (name, number) in changes { try object.setValue(value(kind, name, number), forKey: name) }
                try manager.save(object)
            }
            try opened(kind.type)
        case .update(let kind, let key, let name, let number):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let object = try one(manager.fetchAll(query(type, kind, key)))
                try object.update(key: name, to: value(kind, name, number))
            }
            try opened(kind.type)
        case .upsert(let kind, let values):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                try manager.upsert(new(type, kind, values))
            }
            try opened(kind.type)
        case .delete(let kind, let keys):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let objects = try keys.map { try one(manager.fetchAll(query(type, kind, $0))) }
                if objects.count == 1 { try manager.delete(objects[0]) } else { try manager.delete(objects) }
            }
            try opened(kind.type)
        case .updateWhere(let kind, let limit, let name, let number, let asArray):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let query = query(type, kind, below: limit)
                guard asArray else {
                    try manager.update(query, set: [name: value(kind, name, number)])
                    return
                }
                let objects = try manager.fetchAll(query)
                for object in objects { try object.setValue(value(kind, name, number), forKey: name) }
                try manager.save(objects)
            }
            try opened(kind.type)
        case .deleteWhere(let kind, let limit, let asArray):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                let query = query(type, kind, below: limit)
                if asArray { try manager.delete(manager.fetchAll(query)) } else { try manager.delete(query) }
            }
            try opened(kind.type)
        case .relate(let relating, .notes, let owner, let others):
            try relate(
                relating, one(manager.fetchAll(query(Folder.self, .folder, [owner]))), Folder.notes, .note, others)
        case .relate(let relating, .labels, let owner, let others):
            try relate(relating, one(manager.fetchAll(query(Note.self, .note, [owner]))), Note.labels, .label, others)
        case .relate(let relating, .pins, let owner, let others):
            try relate(relating, one(manager.fetchAll(query(Note.self, .note, [owner]))), Note.pins, .label, others)
        case .importRows(let kind, let rows, let isCSV):
            func opened<Model: PersistingModel>(_ type: Model.Type) throws {
                if isCSV {
                    try manager.importCSV(type, contentsOf: Data(Exchange.csv(kind, rows).utf8))
                } else {
                    try manager.importJSON(type, contentsOf: Data(Exchange.json(kind, rows).utf8))
                }
            }
            try opened(kind.type)
        case .sqlInsert, .sqlUpdate, .sqlDelete: try manager.execute(SQL(write.sql ?? ""))
        }

        func relate<Many: ToManyRelation>(
            _ relating: Write.Relating, _ owner: PersistingModel, _ relation: Many, _ kind: Kind, _ others: [Int]
        ) throws {
            let objects = try others.map { try one(manager.fetchAll(query(Many.Target.self, kind, [$0]))) }
            switch relating {
            case .add: try owner.add(objects, to: relation)
            case .remove: try owner.remove(objects, from: relation)
            case .replace: try owner.replace(relation, with: objects)
            }
        }
    }

    static func performAsynchronously(_ write: Write, _ manager: PersistenceManager) async throws {
        switch write {
        case .insert(let kind, let rows): try await insert(kind.type, kind, rows, manager)
        case .insertOver(let kind, let values, let replaces):
            try await insertOver(kind.type, kind, values, replaces, manager)
        case .save(let kind, let key, let changes): try await save(kind.type, kind, key, changes, manager)
        case .update(let kind, let key, let name, let number):
            try await update(kind.type, kind, key, name, number, manager)
        case .upsert(let kind, let values): try await upsert(kind.type, kind, values, manager)
        case .delete(let kind, let keys): try await delete(kind.type, kind, keys, manager)
        case .updateWhere(let kind, let limit, let name, let number, let asArray):
            try await updateWhere(kind.type, kind, limit, (name, value(kind, name, number)), asArray, manager)
        case .deleteWhere(let kind, let limit, let asArray):
            try await deleteWhere(kind.type, kind, limit, asArray, manager)
        case .relate(let relating, .notes, let owner, let others):
            let owner = try one(try await manager.fetchAll(query(Folder.self, .folder, [owner])))
            try await relate(relating, owner, Folder.notes, .note, others, manager)
        case .relate(let relating, .labels, let owner, let others):
            let owner = try one(try await manager.fetchAll(query(Note.self, .note, [owner])))
            try await relate(relating, owner, Note.labels, .label, others, manager)
        case .relate(let relating, .pins, let owner, let others):
            let owner = try one(try await manager.fetchAll(query(Note.self, .note, [owner])))
            try await relate(relating, owner, Note.pins, .label, others, manager)
        case .importRows(let kind, let rows, let isCSV): try await importRows(kind.type, kind, rows, isCSV, manager)
        case .sqlInsert, .sqlUpdate, .sqlDelete: try await manager.execute(SQL(write.sql ?? ""))
        }
    }

    private static func insert<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ rows: [Write.Values], _ manager: PersistenceManager
    ) async throws {
        let objects = try rows.map { try new(type, kind, $0) }
        if objects.count == 1 { try await manager.insert(objects[0]) } else { try await manager.insert(objects) }
    }

    private static func insertOver<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ values: Write.Values, _ replaces: Bool, _ manager: PersistenceManager
    ) async throws {
        try await manager.insert(new(type, kind, values), onConflict: replaces ? .replace : .ignore)
    }

    private static func save<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ key: [Int], _ changes: [String: Int?], _ manager: PersistenceManager
    ) async throws {
        let object = try one(try await manager.fetchAll(query(type, kind, key)))
        for (name, number) in changes { try object.setValue(value(kind, name, number), forKey: name) }
        try await manager.save(object)
    }

    private static func update<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ key: [Int], _ name: String, _ number: Int?, _ manager: PersistenceManager
    ) async throws {
        let object = try one(try await manager.fetchAll(query(type, kind, key)))
        try await object.update(key: name, to: value(kind, name, number))
    }

    private static func upsert<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ values: Write.Values, _ manager: PersistenceManager
    ) async throws {
        try await manager.upsert(new(type, kind, values))
    }

    private static func delete<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ keys: [[Int]], _ manager: PersistenceManager
    ) async throws {
        var objects: [Model] = []
        for key in keys { objects.append(try one(try await manager.fetchAll(query(type, kind, key)))) }
        if objects.count == 1 { try await manager.delete(objects[0]) } else { try await manager.delete(objects) }
    }

    private static func updateWhere<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ limit: Int, _ setting: (name: String, value: (any Sendable)?),
        _ asArray: Bool, _ manager: PersistenceManager
    ) async throws {
        let query = query(type, kind, below: limit)
        guard asArray else {
            try await manager.update(query, set: [setting.name: setting.value])
            return
        }
        let objects = try await manager.fetchAll(query)
        for object in objects { try object.setValue(setting.value, forKey: setting.name) }
        try await manager.save(objects)
    }

    private static func deleteWhere<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ limit: Int, _ asArray: Bool, _ manager: PersistenceManager
    ) async throws {
        let query = query(type, kind, below: limit)
        guard asArray else {
            try await manager.delete(query)
            return
        }
        let objects = try await manager.fetchAll(query)
        try await manager.delete(objects)
    }

    private static func importRows<Model: PersistingModel>(
        _ type: Model.Type, _ kind: Kind, _ rows: [Write.Values], _ isCSV: Bool, _ manager: PersistenceManager
    ) async throws {
        if isCSV {
            try await manager.importCSV(type, contentsOf: Data(Exchange.csv(kind, rows).utf8))
        } else {
            try await manager.importJSON(type, contentsOf: Data(Exchange.json(kind, rows).utf8))
        }
    }

    private static func relate<Many: ToManyRelation>(
        _ relating: Write.Relating, _ owner: PersistingModel, _ relation: Many, _ kind: Kind, _ others: [Int],
        _ manager: PersistenceManager
    ) async throws {
        var objects: [Many.Target] = []
        for number in others {
            objects.append(try one(try await manager.fetchAll(query(Many.Target.self, kind, [number]))))
        }
        switch relating {
        case .add: try await owner.add(objects, to: relation)
        case .remove: try await owner.remove(objects, from: relation)
        case .replace: try await owner.replace(relation, with: objects)
        }
    }
}

import Foundation
import Persisting

final class Album: PersistingModel {
    var id: Int64?
    var mediaKey: String?
    var lastPlayedDate: Date?
    var coverImageData: Data?
    var mediaType: Int?  // not in `columns`: never persisted
    var title: String?
    var artist: String?
    var descrip: String?
    var publishDate: Date?
    var flags: Int?

    override class var tableName: String { "ALBUM" }

    override class var columns: Columns {
        [
            "ID": .int, "MEDIA_KEY": .string, "LAST_PLAYED_DATE": .date, "COVER_IMAGE_DATA": .data, "TITLE": .string,
            "ARTIST": .string, "DESCRIP": .string, "PUBLISH_DATE": .date, "FLAGS": .int,
        ]
    }
}

final class PodcastEpisode: PersistingModel {
    enum Kind: String, SQLiteValueConvertible { case full, trailer }

    var id: Int64?
    var title = ""
    var feedURL: URL?
    var duration = 0.0
    var kind = Kind.full
}

final class User: PersistingModel {
    var id: Int64?
    var name = ""
    var age: Int?
    var score = 0.0
    var isActive = true

    convenience init(name: String, age: Int? = nil) {
        self.init()
        self.name = name
        self.age = age
    }
}

final class Person: PersistingModel {
    var id: Int64?
    var firstName: String?
    var lastName: String?
    var luckyNumber: Int?

    convenience init(_ firstName: String?, _ lastName: String?, _ luckyNumber: Int?) {
        self.init()
        self.firstName = firstName
        self.lastName = lastName
        self.luckyNumber = luckyNumber
    }
}

/// Five people, some of them with gaps.
func people() throws -> PersistenceManager {
    let manager = try memoryManager(Person.self)
    try manager.insert([
        Person("Michael", "Bluth", 7), Person("Lucille", "Bluth", 13), Person("Buster", nil, 13),
        Person("Tobias", "Funke", nil), Person("Maeby", "Funke", 4),
    ])
    return manager
}

extension [Person] {
    var firstNames: [String] { compactMap(\.firstName) }
}

/// A model whose key is given by whoever makes the object.
final class Document: PersistingModel {
    var id = UUID()
    var title = ""
}

/// A key of text under another name.
final class Country: PersistingModel {
    var code: String?
    var name = ""

    override class var primaryKey: PrimaryKey { .assigned("code") }

    convenience init(_ code: String?, _ name: String) {
        self.init()
        self.code = code
        self.name = name
    }
}

/// A model without a key.
final class Reading: PersistingModel {
    var sensor = ""
    var value = 0.0
}

/// A model with a key of two parts.
final class Enrolment: PersistingModel {
    var student: Int64 = 0
    var course = ""
    var grade: Int?

    override class var primaryKey: PrimaryKey { .composite("student", "course") }

    convenience init(_ student: Int64, _ course: String, _ grade: Int?) {
        self.init()
        self.student = student
        self.course = course
        self.grade = grade
    }
}

/// A model with a text that may be there only once.
final class Account: PersistingModel {
    var id: Int64?
    var email: String?
    var balance = 0

    override class var columns: Columns {
        ["ID": .int, "EMAIL": .string.unique, "BALANCE": .int.check("BALANCE >= 0")]
    }

    convenience init(email: String?, balance: Int = 0) {
        self.init()
        self.email = email
        self.balance = balance
    }
}

import Foundation
import Persisting
import Testing

@Suite("Names of tables and columns")
struct NamingTests {
    @Test(
        "A property's name in upper snake case",
        arguments: [
            ("imageURL", "IMAGE_URL"), ("deptID", "DEPT_ID"), ("userIDs", "USER_IDS"), ("didIDie", "DID_I_DIE"),
            ("id", "ID"), ("ID", "ID"), ("deptId", "DEPT_ID"), ("mediaKey", "MEDIA_KEY"),
            ("lastPlayedDate", "LAST_PLAYED_DATE"), ("artistID", "ARTIST_ID"), ("IDNumber", "ID_NUMBER"),
            ("uuid", "UUID"), ("lastName", "LAST_NAME"), ("userId", "USER_ID"), ("itunesID", "ITUNES_ID"),
            ("imageUrl", "IMAGE_URL"), ("last_name", "LAST_NAME"), ("URLs", "URLS"), ("x", "X"), ("aB", "A_B"),
            ("line2Text", "LINE2_TEXT"), ("größe", "GRößE"), ("naïveName", "NAïVE_NAME"), ("A__B", "A__B"),
            ("_foo", "_FOO"), ("foo_", "FOO_"), ("", ""),
        ])
    func upperSnakeCase(_ name: String, _ column: String) {
        // F21, Settled 1
        #expect(NameText.upperSnakeCase(name) == column)
    }

    @Test(
        "A name in snake case",
        arguments: [
            ("aaaBbbCcc", "aaa_bbb_ccc"), ("AaaBbbCcc", "aaa_bbb_ccc"),
            ("MyNameIsKohkiMakimoto", "my_name_is_kohki_makimoto"), ("userID", "user_id"), ("isMale", "is_male"),
            ("createdAt", "created_at"), ("userId", "user_id"), ("imageURL", "image_url"),
            ("URLSession", "url_session"),
            ("FMXURLCache", "fmxurl_cache"),
        ])
    func snakeCase(_ name: String, _ column: String) {
        // F21, Settled 1
        #expect(NameText.snakeCase(name) == column)
    }

    @Test(
        "A class's name as the table's, by default",
        arguments: [
            ("Album", "ALBUM"), ("PodcastEpisode", "PODCAST_EPISODE"), ("MPEpisode", "MP_EPISODE"), ("User2", "USER2"),
        ])
    func defaultTable(_ name: String, _ table: String) {
        // F20
        #expect(Naming.upperSnakeCase.table(name) == table)
    }

    @Test(
        "A class's name as the table's, in the plural; no prefix is taken off",
        arguments: [
            ("Article", "articles"), ("WebUser", "web_users"), ("ABWebUser", "ab_web_users"), ("User", "users"),
            ("UserData", "user_datas"), ("Category", "categories"), ("Person", "persons"), ("Bus", "buses"),
            ("URL", "urls"), ("FMXUser", "fmx_users"), ("Box", "boxes"), ("Dish", "dishes"), ("Church", "churches"),
            ("Key", "keys"), ("Quiz", "quizes"),
        ])
    func pluralTable(_ name: String, _ table: String) {
        // F20, Settled 1
        #expect(Naming.pluralSnakeCase.table(name) == table)
    }

    @Test("Snake case leaves the table in the singular; plural snake case the columns")
    func strategies() {
        // F20
        #expect(Naming.snakeCase.table("WebUser") == "web_user")
        #expect(Naming.snakeCase.column("imageURL") == "image_url")
        #expect(Naming.pluralSnakeCase.column("imageURL") == "image_url")
        #expect(Naming.identity.table("WebUser") == "WebUser")
        #expect(Naming.identity.column("imageURL") == "imageURL")
    }

    @Test("A class without override is named without its module and without the type around it")
    func moduleIsStripped() {
        // F20
        #expect(Album.tableName == "ALBUM")
        #expect(Nest.InnerModel.tableName == "INNER_MODEL")
    }

    @Test("A class's choice of names reaches its table")
    func chosen() throws {
        // F20, F21
        let manager = try memoryManager(Category.self, Verbatim.self, Custom.self)
        #expect(
            try manager.tableSQL("categories") == """
                CREATE TABLE categories (
                    id INTEGER PRIMARY KEY,
                    image_url TEXT
                )
                """)
        #expect(
            try manager.tableSQL("Verbatim") == """
                CREATE TABLE Verbatim (
                    id INTEGER PRIMARY KEY,
                    imageURL TEXT
                )
                """)
        #expect(
            try manager.tableSQL("t_Custom") == """
                CREATE TABLE t_Custom (
                    c_id INTEGER PRIMARY KEY,
                    c_name TEXT
                )
                """)
    }

    @Test("A name of the class's own comes before the strategy")
    func explicitName() throws {
        // F20
        let manager = try memoryManager(Renamed.self)
        #expect(try manager.tableExists("my table"))
        try manager.insert(Renamed.self, values: ["name": "a"])
        #expect(try manager.fetchAll(Renamed.self, where: \.name == "a", sortedBy: "name").count == 1)
        #expect(try manager.tableSQL("my table")?.hasPrefix("CREATE TABLE \"my table\" (") == true)
    }

    @Test("Columns under declared names find the properties that the naming leads to")
    func declaredNames() throws {
        // F21, F44
        let manager = try memoryManager(Loose.self)
        try manager.insert(Loose.self, values: ["imageURL": "a", "deptID": 4, "nickName": "c"])
        #expect(try manager.stored("SELECT Image_Url || DEPT_ID || nickName FROM LOOSE") == .text("a4c"))
    }

    @Test("A property's name may have letters that are not ASCII")
    func notASCII() throws {
        // F21, Settled 1
        let manager = try memoryManager(Größe.self)
        #expect(try manager.columnSQL("\"LäNGE\"", in: "GRößE") == "\"LäNGE\" REAL NOT NULL DEFAULT 0.0")
        try manager.insert(Größe.self, values: ["länge": 2.5])
        #expect(try manager.fetchOne(Größe.self, where: \.länge > 2)?.länge == 2.5)
    }

    @Test("A class's strategies name its verbs' columns too")
    func verbs() throws {
        // F21
        let manager = try memoryManager(Category.self)
        try manager.asCurrent {
            let category = try Category.create(["imageURL": "a"])
            category.imageURL = "b"
            try category.save()
            #expect(try Category.findOne(where: \.imageURL == "b", sortedBy: "imageURL desc") != nil)
        }
    }
}

private enum Nest {
    final class InnerModel: PersistingModel {
        var id: Int64?
    }
}

private final class Größe: PersistingModel {
    var id: Int64?
    var länge = 0.0
}

private final class Category: PersistingModel {
    var id: Int64?
    var imageURL: String?
    override class var naming: Naming { .pluralSnakeCase }
}

private final class Verbatim: PersistingModel {
    var id: Int64?
    var imageURL: String?
    override class var naming: Naming { .identity }
}

private final class Custom: PersistingModel {
    var id: Int64?
    var name: String?
    override class var naming: Naming { Naming(table: { "t_" + $0 }, column: { "c_" + $0 }) }
}

private final class Renamed: PersistingModel {
    var id: Int64?
    var name: String?
    override class var tableName: String { "my table" }
}

private final class Loose: PersistingModel {
    var id: Int64?
    var imageURL: String?
    var deptID: Int?
    var nickName: String?

    override class var columns: Columns {
        ["Id": .int, "Image_Url": .string, "DEPT_ID": .int, "nickName": .string]
    }
}

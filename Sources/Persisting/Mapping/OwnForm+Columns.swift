internal import Foundation

extension Column {
    /// Why the column's values can't be compared with another's, where both are stored in forms of one type.
    func difference(from other: Column) -> String? {
        guard case .uuid(let own)? = codec.ownForm, case .uuid(let others)? = other.codec.ownForm, own != others else {
            return nil
        }
        return "\(key) holds \(own.contents), and \(other.key) \(others.contents): declare both .uuid.stored(as:) in "
            + "the same form"
    }
}

extension OtherForm {
    /// What is wrong, and what to do.
    func message(_ column: Column, _ mapping: Mapping) -> String {
        let name = SQLText.identifier(column.name)
        let update = "UPDATE \(SQLText.identifier(mapping.tableName)) SET \(name) = "
        let (what, remedy): (String, String) =
            switch (form, stored) {
            case (.bool, _):
                (
                    "the number \(stored), and a Bool is stored as 0 or 1",
                    "run \(update)\(name) <> 0, or make the property an Int"
                )
            case (.bytes, _):
                ("a TEXT, and bytes are stored as a BLOB", "run \(update)CAST(\(name) AS BLOB), or make it a String")
            case (.url, _):
                ("a text that isn't the absolute string of its URL", "write it so, or make the property a String")
            case (.json, _):
                (
                    "JSON that isn't as the library writes it, with sorted keys and no blanks",
                    "write it so, or use another key"
                )
            case (.uuid(let storage), .blob):
                (
                    "a UUID of 16 bytes, and the column is declared to hold \(storage.contents)",
                    "declare it .uuid.stored(as: .blob), or run \(update)\(storage.conversion(ofBytes: name)) "
                        + "WHERE typeof(\(name)) = 'blob'"
                )
            case (.uuid(.blob), _):
                (
                    "a UUID as text, and the column is declared to hold \(UUIDStorage.blob.contents)",
                    "declare it .uuid.stored(as: .text) or .lowercaseText, or write the UUIDs as bytes"
                )
            case (.uuid(let storage), _):
                (
                    "a UUID in letters of the other case, and the column is declared to hold \(storage.contents)",
                    "declare it .uuid.stored(as: .\(storage == .text ? "lowercaseText" : "text")), or run \(update)"
                        + "\(storage == .text ? "upper" : "lower")(\(name))"
                )
            }
        return "column \(column.name) has \(what), which conditions and relations compare: \(remedy)"
    }
}

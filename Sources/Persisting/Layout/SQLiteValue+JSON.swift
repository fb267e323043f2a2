internal import Foundation
import SQLiteKit

extension SQLiteValue {
    /// The value as `JSONSerialization` has it, so that it comes back as the same: bytes and numbers that JSON would
    /// change are an object of one key.
    var json: Any {
        switch self {
        case .null: NSNull()
        case .integer(let number): number
        case .real(let number) where number != number.rounded(): number
        case .real(let number): ["real": number.isFinite ? number.description : number < 0 ? "-Infinity" : "Infinity"]
        case .text(let text): text
        case .blob(let data): ["base64": data.base64EncodedString()]
        }
    }

    /// The value that an object of JSON stands for; nil for another object.
    init?(json object: [String: Any]) {
        guard object.count == 1 else { return nil }
        if let text = object["base64"] as? String, let data = Data(base64Encoded: text) {
            self = .blob(data)
        } else if let text = object["real"] as? String, let number = Double(text), !number.isNaN {
            self = .real(number)
        } else {
            return nil
        }
    }
}

#if Tool
    internal import ArgumentParser
    internal import Foundation

    /// Where a command writes.
    package enum Output {
        /// Prints a value as JSON.
        ///
        /// - Parameter value: The value.
        /// - Throws: What encoding it throws.
        package static func json(_ value: some Encodable) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            print(String(decoding: try encoder.encode(value), as: UTF8.self))
        }

        /// Writes a text to a file, or prints it.
        ///
        /// - Parameters:
        ///   - text: The text.
        ///   - path: The file, which is replaced; nil prints the text.
        /// - Throws: Foundation's error when the file can't be written.
        package static func write(_ text: String, to path: String?) throws {
            guard let path else { return print(text, terminator: "") }
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        }

        /// Says what is going on, where it doesn't get into the result.
        ///
        /// - Parameter text: A line.
        package static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
    }
#endif

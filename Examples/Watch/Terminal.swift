import Foundation

/// What is written to the terminal, or to a pipe.
enum Terminal {
    /// Writes a line immediately. `print` would keep it, and to flush it waits for the thread that reads a line.
    static func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

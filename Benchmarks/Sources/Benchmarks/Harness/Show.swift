import Foundation

/// Prints a line at once: each is to be seen when it is measured, wherever the output goes.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

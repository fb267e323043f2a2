#if Tool
    internal import Foundation

    /// Shows on a terminal how far something is, four times a second.
    final class ProgressLine: Sendable {
        private let task: Task<Void, Never>?

        init(_ progress: Progress, _ title: String) {
            guard isatty(STDERR_FILENO) == 1 else {
                task = nil
                return
            }
            task = Task.detached {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(250))
                    guard progress.totalUnitCount > 0 else { continue }
                    let percent = Int(progress.fractionCompleted * 100)
                    FileHandle.standardError.write(Data("\r\(title): \(percent) %".utf8))
                }
                FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
            }
        }

        /// Takes the line away.
        func end() { task?.cancel() }
    }

    extension Progress {
        /// Shows the progress on a terminal.
        func observeLine(_ title: String) -> ProgressLine { ProgressLine(self, title) }
    }
#endif

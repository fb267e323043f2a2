#if Tool
    package import Foundation

    /// Shows on a terminal how far something is, four times a second.
    package final class ProgressLine: Sendable {
        private let task: Task<Void, Never>?

        init(_ progress: Progress, _ title: String) {
            guard isatty(STDERR_FILENO) == 1 else {
                task = nil
                return
            }
            task = Task.detached {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(250))
                    guard progress.totalUnitCount > 0, !Task.isCancelled else { continue }
                    let percent = Int(progress.fractionCompleted * 100)
                    FileHandle.standardError.write(Data("\r\(title): \(percent) %".utf8))
                }
            }
        }

        /// Takes the line away.
        package func end() {
            guard let task else { return }
            task.cancel()
            FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
        }
    }

    extension Progress {
        /// Shows the progress on a terminal.
        package func observeLine(_ title: String) -> ProgressLine { ProgressLine(self, title) }
    }
#endif

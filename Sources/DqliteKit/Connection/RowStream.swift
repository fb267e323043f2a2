internal import SQLiteKit

/// The rows of one execution, of which the node sends some in each message.
final class RowStream {
    private let link: NodeLink
    private let timeout: Duration
    /// The messages that have come, that which is being read first.
    private var pages: [RowPage]
    private var isAtEnd = false

    init(_ page: RowPage, _ link: NodeLink, _ timeout: Duration) {
        pages = [page]
        self.link = link
        self.timeout = timeout
    }

    /// The message that the row is in.
    var page: RowPage { pages[0] }

    /// Whether all messages have come.
    var isComplete: Bool { pages.last?.hasMore != true }

    /// Goes to the next row of the messages that have come.
    ///
    /// - Returns: `.part` when another message has to be received first.
    func next() throws(SQLiteError) -> RowPage.Step {
        while !isAtEnd {
            switch try pages[0].next() {
            case .row: return .row
            case .end: isAtEnd = true
            case .part:
                if pages.count == 1 { return .part }
                pages.removeFirst()
            }
        }
        return .end
    }

    /// Receives what is still to come, since something else is to be asked.
    func receiveAll() throws(SQLiteError) {
        while !isComplete { try receive() }
    }

    /// Has the node send no more.
    func stop() throws(SQLiteError) {
        isAtEnd = true
        if isComplete { return }
        let deadline = Deadline.after(timeout)
        var answer = try link.call(.interrupt(database: 0), by: deadline)
        // Rows may have been on their way.
        while case .rows = answer { answer = try link.receive(by: deadline) }
    }

    /// Receives the next message.
    func receive() throws(SQLiteError) {
        let answer = try link.receive(by: .after(timeout))
        guard case .rows(let page) = answer, page.columnCount == pages[0].columnCount else { throw answer.unexpected }
        pages.append(page)
    }
}

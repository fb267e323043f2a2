/// One way to do a workload: a library's, or the floor's.
struct Contender {
    let name: String
    /// It does one in so many of the operations, so that a slow one does not take the time of all others. What it has
    /// done is then not compared with theirs: it looks at that by itself.
    var share = 1
    /// Does the work once, and says what it has read or written.
    let run: (inout Stopwatch) throws -> Checksum
}

/// A row of the table, or one of its parts: the same work done by several contenders.
struct Workload {
    /// The row's number, or the letter of a check of growth.
    let row: String
    let name: String
    /// How many operations a run has. Times are shown for one.
    let operations: Int
    let contenders: [Contender]
    let comparisons: [Comparison]
}

/// What is said of one contender: how it stands to the floor and to its peers.
struct Comparison {
    let name: String
    let subject: String
    /// The contender that is the floor; nil when there is none to compare with.
    var floor: String? = "floor"
    var limit = Limit.none
    var peers: [Peer] = []

    enum Limit {
        case none
        /// The subject's time, at most so many times the floor's.
        case ratio(Double)
        /// The subject's time for an operation, at most so many nanoseconds over the floor's.
        case over(nanoseconds: Double)
        /// The subject's time for an operation, at most so many nanoseconds.
        case time(nanoseconds: Double)
    }

    struct Peer {
        let contender: String
        /// How many times the subject's time it takes at the least; nil when it is only shown.
        var atLeast: Double?
    }
}

/// A run that did something else than the others, or could not be done.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

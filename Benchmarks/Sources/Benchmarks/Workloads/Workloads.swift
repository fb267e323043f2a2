/// The rows of the table, in order. Each makes its data when its turn comes.
enum Workloads {
    static var all: [(row: String, make: (Options) throws -> Workload)] {
        [
            ("1", Fetching.albums), ("2", Fetching.integers), ("2", Fetching.purchases), ("3", Inserting.albums),
            ("4", FetchingByKey.albums), ("5", Updating.oneColumn), ("5", Updating.savingOneChange),
            ("5", Updating.savingNone), ("6", Deleting.byKey), ("7", Querying.byKeyPath), ("8", Upserting.albums),
            ("9", Accessing.reading), ("9", Accessing.writing), ("10", Streaming.fromFile),
            ("11", Sharing.byThreads), ("11", Sharing.byTasks), ("12", Scanning.byIndex), ("12", Scanning.byName),
            ("12", Scanning.decoding), ("12", InsertingValues.byPosition), ("12", InsertingValues.byName),
            ("13", Starting.cold), ("14", Evolving.starting), ("15", Evolving.planning),
            ("15", Evolving.planningAltered), ("16", Evolving.rebuilding),
            ("17", Importing.csv), ("17", Importing.lines), ("17", Importing.export),
            ("18", Watching.nobody), ("18", Watching.others), ("18", Watching.arriving), ("18", Watching.sections),
            ("19", Relating.loading), ("19", Relating.notAsking), ("20", Grouping.sums),
            ("21", QueryingJSON.few), ("21", QueryingJSON.many), ("22", Searching.inserting),
            ("22", Searching.importing),
            ("22", Searching.pages), ("22", Searching.hits), ("23", KeepingHistory.inserting),
            ("23", KeepingHistory.updating), ("23", KeepingHistory.deleting), ("23", KeepingHistory.pastByIndex),
            ("23", KeepingHistory.pastByScan),
        ]
    }
}

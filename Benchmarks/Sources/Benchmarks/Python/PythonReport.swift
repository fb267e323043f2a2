/// Persisting compared with object layers for Python: the same albums, the same settings of the file, and each library
/// used as its documentation advises.
enum PythonReport {
    /// Prints a line for each task and library.
    ///
    /// - Returns: True: the tasks have no limits.
    static func print(_ options: Options) throws -> Bool {
        let python = try PythonEnvironment()
        show(try python.description() + "\n")
        let data = try PythonData(options)
        let subject = PythonSubject(data)
        let workloads = PythonTask.all(data).enumerated().map { index, task in
            Workload(
                row: "\(index + 1)", name: task.name, operations: task.operations,
                contenders: [subject.contender(task)] + task.peers.map { peer(python, data, $0, task) },
                comparisons: [
                    Comparison(
                        name: "", subject: PythonSubject.name, floor: nil,
                        peers: task.peers.map { .init(contender: $0) })
                ])
        }
        var random = SplitMix64(seed: options.seed)
        var table = Table()
        var samples = SampleFile()
        show(Table.header)
        for measurement in try Measurement.inOrder(workloads, rounds: options.countedRounds, random: &random) {
            samples.add(measurement)
            show(table.lines(measurement).joined(separator: "\n"))
        }
        try samples.write(to: options.csv)
        show("\nEach round's times: \(options.csv)")
        return true
    }

    /// A contender in Python: the name of a library, and of its function that does the task.
    private static func peer(
        _ python: PythonEnvironment, _ data: PythonData, _ name: String, _ task: PythonTask
    ) -> Contender {
        let words = name.split(separator: " ").map(String.init)
        return Contender(name: name) { stopwatch in
            let path = try data.file(of: words[0], for: task.kind)
            let result = try python.run(words[0], words[1], [data.source.path, path, "\(data.changed)"])
            stopwatch.add(seconds: result.seconds)
            return result.sum
        }
    }
}

import Faults
import Persisting
import SQLiteKit

/// R3: the power is cut in each change of a file, and of what was not synced each sector and each directory entry is
/// there or not as a coin falls.
enum PowerCuts {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var all: [Figures] = []
        for mode in [JournalMode.wal, .delete, .truncate, .persist] {
            var figures = Figures("R3 \(mode.rawValue)/\(mode == .wal ? "full" : "extra"), power cuts")
            for seed in options.seed..<options.seed + UInt64(options.count(long: 40, full: 4, quick: 1)) {
                try run(mode, seed, stride: options.isQuick ? 2 : 1, nil, directory, &figures)
            }
            all.append(figures)
        }
        // What SQLite does not promise to survive has to show, or the cuts prove nothing.
        var normal = Figures("R3 wal/normal, power cuts, a control", expecting: .lost)
        try run(.wal, options.seed, stride: options.isQuick ? 4 : 1, .normal, directory, &normal)
        var off = Figures("R3 off/off, power cuts, a control", expecting: .corrupt)
        try run(.off, options.seed, stride: options.isQuick ? 4 : 1, .off, directory, &off)
        return all + [normal, off]
    }

    private static func run(
        _ mode: JournalMode, _ seed: UInt64, stride: Int, _ synchronous: SynchronousMode?, _ directory: CaseDirectory,
        _ figures: inout Figures
    ) throws {
        var nth = 1
        while true {
            try directory.reset(mode == .off ? .delete : mode)
            let vfs = try FaultyVFS()
            vfs.trackDisk()
            vfs.cutPower(at: nth)
            var ledger = Ledger()
            try crash(directory, mode, synchronous, vfs, &ledger)
            guard vfs.isOff else { return }
            try vfs.restorePower(seed: seed &* 1_000_003 &+ UInt64(nth))
            ledger.audit(directory.path)
            figures.add(ledger.faults, "seed \(seed), change \(nth)")
            nth += stride
        }
    }

    /// Runs the steps until the power is cut; closing then reaches the disk no more.
    private static func crash(
        _ directory: CaseDirectory, _ mode: JournalMode, _ synchronous: SynchronousMode?, _ vfs: FaultyVFS,
        _ ledger: inout Ledger
    ) throws {
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        // A persistent or truncated journal is a setting of the connection, and no property of the file.
        configuration.journalMode = mode == .wal ? nil : mode
        if let synchronous { configuration.synchronous = synchronous }
        guard let manager = try? PersistenceManager(path: directory.path, configuration: configuration) else { return }
        ledger.run(manager) { vfs.isOff }
        do {
            try manager.close()
        } catch {
            ledger.note(Fault(.unusable, "closing: \(error)"))
        }
    }
}

import Faults
import SQLiteKit

/// R1: an I/O error in each call, once and from then on, with whole and with torn writes.
enum IOErrors {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var all: [Figures] = []
        for mode in [JournalMode.wal, .delete] {
            for isPersistent in [false, true] {
                var figures = Figures("R1 \(mode.rawValue), I/O errors, \(isPersistent ? "persistent" : "once")")
                try run(mode, isPersistent, stride: options.stride, directory, &figures)
                all.append(figures)
            }
        }
        return all
    }

    private static func run(
        _ mode: JournalMode, _ isPersistent: Bool, stride: Int, _ directory: CaseDirectory, _ figures: inout Figures
    ) throws {
        var nth = 1
        while true {
            // Its files are on a disk of its own, where a sync takes no time.
            let vfs = try FaultyVFS()
            vfs.trackDisk()
            let faults = try FaultyCase.run(directory, mode, vfs: vfs) {
                vfs.fail(.all, at: nth, isPersistent: isPersistent, isTorn: nth.isMultiple(of: 2))
            } end: {
                vfs.failNone()
            }
            guard let faults else { return }
            figures.add(faults, "call \(nth)")
            nth += stride
        }
    }
}

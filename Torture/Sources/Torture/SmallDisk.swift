import Foundation

/// A file system of one megabyte, of which a part is taken and can be given back; or, where none can be mounted, a
/// limit of the sizes of files.
final class SmallDisk {
    private let url = FileManager.default.temporaryDirectory.appending(path: "small-\(UUID().uuidString)")
    /// Whether it is a file system of its own, on which writes fail with ENOSPC.
    let isMounted: Bool

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        #if os(Linux)
            isMounted = mount("tmpfs", url.path(percentEncoded: false), "tmpfs", 0, "size=1m") == 0
        #else
            isMounted = false
        #endif
        if isMounted {
            try Data(count: 256 << 10).write(to: ballast)
        } else {
            // Otherwise the process would be killed.
            signal(SIGXFSZ, SIG_IGN)
            limitFiles(to: 256 << 10)
        }
    }

    deinit {
        giveSpace()
        #if os(Linux)
            if isMounted { umount2(url.path(percentEncoded: false), Int32(MNT_DETACH)) }
        #endif
        // Nothing can be done about a directory that stays.
        try? FileManager.default.removeItem(at: url)
    }

    private var ballast: URL { url.appending(path: "ballast") }

    var path: String { url.appending(path: "case.sqlite").path(percentEncoded: false) }

    /// Makes room for more.
    func giveSpace() {
        if isMounted { try? FileManager.default.removeItem(at: ballast) } else { limitFiles(to: nil) }
    }

    private func limitFiles(to size: Int?) {
        var limit = rlimit()
        getrlimit(fileSize, &limit)
        limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
        setrlimit(fileSize, &limit)
    }

    #if canImport(Glibc)
        private let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        private let fileSize = RLIMIT_FSIZE
    #endif
}

import Foundation

/// A client of dqlite's protocol without anything around it: one connection to the leader, and no check of what comes.
final class BareClient {
    private let descriptor: Int32
    private var request: [UInt8] = []
    private var body: [UInt8] = []
    private var place = 0

    init(_ address: String, database: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchmarkFailure("\(address) has no port")
        }
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let (descriptor, size) = (descriptor, socklen_t(MemoryLayout.size(ofValue: target)))
        let code = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard code == 0 else { throw BenchmarkFailure("\(address) can't be connected to") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        request = [1, 0, 0, 0, 0, 0, 0, 0]
        try send()
        begin(3)
        append(database)
        append(UInt64(0))
        append("")
        try answer(4)
    }

    deinit { close(descriptor) }

    /// Prepares a statement.
    ///
    /// - Returns: Its number.
    func prepare(_ sql: String) throws -> UInt32 {
        begin(4)
        append(UInt64(0))
        append(sql)
        try answer(5)
        return UInt32(truncatingIfNeeded: word() >> 32)
    }

    /// Runs a statement to its end.
    func execute(_ statement: UInt32, _ album: Album? = nil) throws {
        begin(5)
        append(UInt64(statement) << 32)
        if let album { append(album) }
        try answer(6)
    }

    /// Runs a query, and calls `use` with each row.
    func query(_ statement: UInt32, _ key: Int64, _ use: (Album) -> Void) throws {
        begin(6)
        append(UInt64(statement) << 32)
        request += [1, 1, 0, 0, 0, 0, 0, 0]
        append(UInt64(bitPattern: key))
        try send()
        while true {
            try receive(7)
            let columns = Int(word())
            for _ in 0..<columns { _ = text() }
            while true {
                if body[place] == 0xff { return }
                if body[place] == 0xee { break }
                use(album(columns))
            }
        }
    }

    // MARK: Values

    private func album(_ columns: Int) -> Album {
        let types = place
        place += (columns + 15) / 16 * 8
        func type(_ column: Int) -> UInt8 { (body[types + column / 2] >> (column % 2 * 4)) & 15 }
        func string(_ column: Int) -> String? {
            if type(column) == 3 { return text() }
            place += 8
            return nil
        }
        func number(_ column: Int) -> Double? {
            let bits = word()
            return type(column) == 2 ? Double(bitPattern: bits) : nil
        }
        let album = Album()
        album.id = Int64(bitPattern: word())
        album.mediaKey = string(1)
        album.lastPlayedDate = number(2).map(Date.init(timeIntervalSince1970:))
        if type(3) == 4 { album.coverImageData = blob() } else { place += 8 }
        album.title = string(4)
        album.artist = string(5)
        album.descrip = string(6)
        album.publishDate = number(7).map(Date.init(timeIntervalSince1970:))
        let flags = word()
        album.flags = type(8) == 1 ? Int(Int64(bitPattern: flags)) : nil
        album.rating = number(9)
        return album
    }

    private func append(_ album: Album) {
        let start = request.count
        request += [UInt8](repeating: 0, count: 16)
        request[start] = 10
        var column = start
        func type(_ number: UInt8) {
            column += 1
            request[column] = number
        }
        func append(_ value: Date?) { append(value?.timeIntervalSince1970) }
        func append(_ value: Double?) {
            type(value == nil ? 5 : 2)
            self.append(value?.bitPattern ?? 0)
        }
        func append(_ value: Int64?) {
            type(value == nil ? 5 : 1)
            self.append(UInt64(bitPattern: value ?? 0))
        }
        func append(_ value: String?) {
            type(value == nil ? 5 : 3)
            if let value { self.append(value) } else { self.append(UInt64(0)) }
        }
        append(album.id)
        append(album.mediaKey)
        append(album.lastPlayedDate)
        type(album.coverImageData == nil ? 5 : 4)
        if let data = album.coverImageData {
            self.append(UInt64(data.count))
            request.append(contentsOf: data)
            pad()
        } else {
            self.append(UInt64(0))
        }
        append(album.title)
        append(album.artist)
        append(album.descrip)
        append(album.publishDate)
        append(album.flags.map(Int64.init))
        append(album.rating)
    }

    private func append(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { request.append(contentsOf: $0) }
    }

    private func append(_ value: String) {
        request.append(contentsOf: value.utf8)
        request.append(0)
        pad()
    }

    private func pad() {
        while request.count % 8 != 0 { request.append(0) }
    }

    private func word() -> UInt64 {
        defer { place += 8 }
        return body.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    }

    private func text() -> String {
        let start = place
        let length = body.withUnsafeBytes { strlen($0.baseAddress! + start) }
        place += (length + 8) / 8 * 8
        return String(decoding: body[start..<start + length], as: UTF8.self)
    }

    private func blob() -> Data {
        let count = Int(word())
        defer { place += (count + 7) / 8 * 8 }
        return Data(body[place..<place + count])
    }

    // MARK: Messages

    private func begin(_ type: UInt8) { request = [0, 0, 0, 0, type, 0, 0, 0] }

    private func answer(_ type: UInt8) throws {
        try send()
        try receive(type)
    }

    private func send() throws {
        if request.count > 8 || request[4] != 0 {
            let words = UInt32(request.count / 8 - 1)
            withUnsafeBytes(of: words.littleEndian) { request.replaceSubrange(0..<4, with: $0) }
        }
        guard Foundation.send(descriptor, request, request.count, 0) == request.count else {
            throw BenchmarkFailure("a request was not sent")
        }
    }

    private func receive(_ type: UInt8) throws {
        var header = [UInt8](repeating: 0, count: 8)
        try fill(&header)
        let words = header.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        body = [UInt8](repeating: 0, count: Int(words) * 8)
        try fill(&body)
        place = 0
        guard header[4] == type else {
            throw BenchmarkFailure(
                "the node answers \(header[4]): \(String(decoding: body.dropFirst(8), as: UTF8.self))")
        }
    }

    private func fill(_ buffer: inout [UInt8]) throws {
        var got = 0
        while got < buffer.count {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + got, $0.count - got, 0) }
            guard count > 0 else { throw BenchmarkFailure("the node has closed the connection") }
            got += count
        }
    }
}

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An opened list, searched in the file.
struct BreachFileReader: ~Copyable {
    private let descriptor: Int32
    private let size: Int

    /// An entry and the position of its line.
    private struct Line {
        var entry: BreachEntry
        var start: Int
        /// The beginning of the next line.
        var end: Int
    }

    init(path: String) throws {
        // Opening a pipe must not block.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            size = 0
            throw BreachFileFault.unreadable
        }
        size = Int(status.st_size)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The number of times a digest was seen. This is a binary search over offsets; each is moved to the next beginning
    /// of a line.
    func count(of digest: [UInt8]) throws -> Int {
        // The line sought begins at or after `low` and before `high`.
        var (low, high) = (0, size)
        while low < high {
            let middle = low + (high - low) / 2
            guard let line = try line(atOrAfter: middle), line.start < high else {
                high = middle
                continue
            }
            if line.entry.digits == digest { return line.entry.count }
            if line.entry.digits.lexicographicallyPrecedes(digest) { low = line.end } else { high = middle }
        }
        return 0
    }

    /// Checks at a thousand places that there are entries in order.
    /// - Throws: ``BreachFileFault``.
    func examine() throws {
        guard var last = try line(atOrAfter: 0) else { throw BreachFileFault.empty }
        for place in 1...1000 {
            guard let line = try line(atOrAfter: size / 1000 * place) else { continue }
            guard line.start == last.start || last.entry.digits.lexicographicallyPrecedes(line.entry.digits) else {
                throw BreachFileFault.unordered
            }
            last = line
        }
    }

    /// Longer than two lines can be: 40 digits, a colon, 18 more and the line break.
    private static let span = 256

    /// The first line that begins at or after an offset; `nil` after the last one. A last line that a broken download
    /// cut short is ignored.
    private func line(atOrAfter offset: Int) throws -> Line? {
        let newline = UInt8(ascii: "\n")
        // Read from one byte before: if that byte ends a line, the next line begins at the offset.
        let origin = max(0, offset - 1)
        let bytes = try read(at: origin)
        let isLast = origin + bytes.count >= size
        var first = bytes.startIndex
        if offset > 0 {
            guard let end = bytes.firstIndex(of: newline) else {
                if isLast { return nil }
                throw BreachFileFault.malformed
            }
            first = end + 1
        }
        guard first < bytes.endIndex else { return nil }
        let end = bytes[first...].firstIndex(of: newline)
        guard end != nil || isLast else { throw BreachFileFault.malformed }
        var line = bytes[first..<(end ?? bytes.endIndex)]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard let entry = BreachEntry(line, digits: 40) else {
            if end == nil { return nil }
            throw BreachFileFault.malformed
        }
        return Line(entry: entry, start: origin + first, end: origin + (end ?? bytes.endIndex) + 1)
    }

    private func read(at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(Self.span, max(0, size - offset)))
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset + filled))
            }
            if count < 0, errno == EINTR { continue }
            // The file has become shorter since it was opened.
            guard count > 0 else { throw BreachFileFault.unreadable }
            filled += count
        }
        return bytes
    }
}

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An opened list, searched where it lies.
struct BreachFileReader: ~Copyable {
    private let descriptor: Int32
    private let size: Int

    /// An entry and where its line lies.
    private struct Line {
        var entry: BreachEntry
        var start: Int
        /// Where the next one begins.
        var end: Int
    }

    init(path: String) throws {
        // A pipe must not hold up whoever opens it.
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

    /// How often a digest was seen: a binary search over offsets, of which each is taken to the next beginning of a line.
    func count(of digest: [UInt8]) throws -> Int {
        // The line that is sought begins at or after the one and before the other.
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

    /// Looks at a thousand places whether there are entries, in order.
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

    /// Longer than two lines can be: 40 digits, a colon, 18 more and the end.
    private static let span = 256

    /// The first line that begins there or later; `nil` behind the last. A last line that a broken download cut short is as
    /// good as none.
    private func line(atOrAfter offset: Int) throws -> Line? {
        let newline = UInt8(ascii: "\n")
        // From one byte before: where that ends a line, the next begins right here.
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
            // It ended earlier than it was long a moment ago.
            guard count > 0 else { throw BreachFileFault.unreadable }
            filled += count
        }
        return bytes
    }
}

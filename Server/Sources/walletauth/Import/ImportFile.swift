import Operations

/// A file of accounts, or standard input, read from front to back.
///
/// This folder owns the operator's side of an import: the file, what is sent of it, and the report.
struct ImportFile: ~Copyable {
    private let descriptor: Int32
    private let name: String

    static let standardInput = "-"

    /// - Throws: `Refusal` if it cannot be opened.
    init(_ path: String) throws(Refusal) {
        name = path
        guard path != Self.standardInput else {
            descriptor = STDIN_FILENO
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    private static func unreadable(_ name: String) -> Refusal {
        Refusal("\(name) cannot be read: \(String(cString: strerror(errno)))", code: "unreadable_file")
    }

    /// The next bytes, as many as asked for unless the file ends.
    func bytes(_ count: Int) throws(Refusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let part = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if part < 0 {
                guard errno == EINTR else { throw Self.unreadable(name) }
                continue
            }
            guard part > 0 else { break }
            filled += part
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}

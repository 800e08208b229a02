/// Reads whole files that the operator names, up to a limit.
enum ReadableFile {
    /// Why a file is unreadable, as the end of the sentence "FILE …".
    struct Unreadable: Error {
        let reason: String
        /// How to make it readable, if its content is not the cause.
        let remedy: String?

        fileprivate init(_ reason: String, remedy: String? = nil) {
            self.reason = reason
            self.remedy = remedy
        }

        fileprivate static func system(_ path: String) -> Unreadable {
            switch errno {
            case ENOENT, ENOTDIR: Unreadable("does not exist")
            case EISDIR: Unreadable("is a folder")
            case let code:
                Unreadable(
                    "cannot be read: \(String(cString: strerror(code)))",
                    remedy: code == EACCES ? accessRemedy(path) : nil)
            }
        }

        private static func accessRemedy(_ path: String) -> String {
            guard let status = FileStatus(path: path) else {
                return "Move it, or let \(UserName.of(geteuid())) enter each folder that leads to it"
            }
            return accessRemedy(path, of: status, for: geteuid())
        }

        /// The remedy for a file that exists, but that this user may not read.
        static func accessRemedy(_ path: String, of status: FileStatus, for user: UInt32) -> String {
            guard status.owner != user else { return "Run `chmod u+r \(path)`" }
            let name = UserName.of(user)
            return
                "It belongs to \(UserName.of(status.owner)), and this runs as \(name): if that is the server's user, "
                + "run `chown \(name) \(path)`"
        }
    }

    /// An open file. Its status is its own, whatever its path leads to by then.
    struct Opened: ~Copyable {
        private let path: String
        private let descriptor: Int32
        let status: FileStatus

        init(_ path: String) throws(Unreadable) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw .system(path) }
            guard let status = FileStatus(descriptor: descriptor) else {
                let reason = Unreadable.system(path)
                close(descriptor)
                throw reason
            }
            self.path = path
            self.descriptor = descriptor
            self.status = status
        }

        deinit { close(descriptor) }

        /// - Parameter limit: the most bytes to read, so that a path like `/dev/zero` ends too.
        func bytes(upTo limit: Int) throws(Unreadable) -> [UInt8] {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 16 * 1024)
            while true {
                let count = read(descriptor, &part, part.count)
                if count < 0 {
                    guard errno == EINTR else { throw .system(path) }
                    continue
                }
                guard count > 0 else { return bytes }
                bytes += part.prefix(count)
                guard bytes.count <= limit else { throw Unreadable("is larger than \(limit / 1024) KiB") }
            }
        }

        func text(upTo limit: Int) throws(Unreadable) -> String {
            guard let text = String(validating: try bytes(upTo: limit), as: UTF8.self) else {
                throw Unreadable("is not UTF-8 text")
            }
            return text
        }
    }

    static func bytes(_ path: String, upTo limit: Int) throws(Unreadable) -> [UInt8] {
        try Opened(path).bytes(upTo: limit)
    }

    static func text(_ path: String, upTo limit: Int) throws(Unreadable) -> String {
        try Opened(path).text(upTo: limit)
    }
}

/// The name of a user of this machine.
enum UserName {
    /// The number if the user has no name.
    static func of(_ user: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 * 1024) { buffer in
            guard let base = buffer.baseAddress, getpwuid_r(user, &entry, base, buffer.count, &found) == 0,
                found != nil,
                let name = entry.pw_name as UnsafeMutablePointer<CChar>?
            else { return "\(user)" }
            return String(cString: name)
        }
    }
}

/// Kind, owner, mode and size of a file.
struct FileStatus: Sendable {
    enum Kind: Sendable {
        case file
        case directory
        case pipe
        case socket
        case other
    }

    let kind: Kind
    let owner: UInt32
    /// The permission bits.
    let mode: UInt16
    let size: Int64

    /// Follows symbolic links; nil if the file does not exist or is not accessible.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .other
            }
        owner = status.st_uid
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        size = Int64(status.st_size)
    }

    /// Whether anyone but the owner may read or write it.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Whether anyone but the owner may write it. Every group counts, as for ssh: this process's own may be one that all users have,
    /// and the mode's bits for the group also show an access list.
    var isWritableByOthers: Bool { mode & 0o022 != 0 }

    /// The mode in octal: `0644`.
    var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

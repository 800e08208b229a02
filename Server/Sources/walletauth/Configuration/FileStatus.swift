#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Kind, owner, mode and size of the file at a path.
struct FileStatus: Sendable {
    enum Kind: Sendable {
        case file
        case directory
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
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFSOCK: .socket
            default: .other
            }
        owner = status.st_uid
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        size = Int64(status.st_size)
    }

    /// Whether anyone but the owner may read or write it.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// The mode in octal: `0644`.
    var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

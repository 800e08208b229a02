#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What only root can arrange: another user.
enum Ownership {
    static let isRoot = geteuid() == 0
    /// `nobody` on every Linux.
    static let stranger: UInt32 = 65534

    /// Gives a file to another user.
    static func give(_ path: String, to user: UInt32) -> Bool {
        chown(path, user, user) == 0
    }
}

/// The reason a PIN is locked: the member `lockReason` of a `pin_locked` problem.
public enum PINLockReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Too many wrong PINs; also if the member is missing or unknown.
    case tooManyTries = "TOO_MANY_TRIES"
    /// The server's database was restored from a backup, which may contain an old count of tries. No wrong PIN was
    /// typed.
    case restore = "RESTORE"
}

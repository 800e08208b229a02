/// Why a PIN is locked: the member `lockReason` of a problem `pin_locked`.
public enum PINLockReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Too many wrong PINs. It is meant too where the member is missing or has a value that is not known here.
    case tooManyTries = "TOO_MANY_TRIES"
    /// The server's database was restored from a backup, whose count of tries may be an old one. Nobody typed a wrong PIN.
    case restore = "RESTORE"
}

/// Why a password or an account PIN, with the name of an account, proves nothing.
package enum CredentialRefusal: Error, Sendable, Hashable {
    /// Wrong, locked, not set, or no such account; the caller cannot tell which.
    case invalid
    /// The account is deactivated. Only a known device learns this.
    case walletDeactivated
    /// The device is suspended. Only a caller that proved its key learns this.
    case deviceSuspended
    /// The device is deactivated. Only a caller that proved its key learns this.
    case deviceDeactivated
    /// Too many failures of a password on this known device, or at a backend. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// Too many failures from this network, by any person. Only an unknown device learns this. In seconds.
    case networkHeld(retryAfter: Int64)
    /// No hashing slot is free; nothing was charged. In seconds.
    case busy(retryAfter: Int64)
}

package import AuthCore

/// Why a call about a PIN was refused.
package enum DevicePINRefusal: Error, Sendable, Hashable {
    /// The signature's nonce is not one of the server's present ones; this one is.
    case staleNonce(String)
    /// A rule of the protocol. A PIN that is locked by it is locked by wrong guesses.
    case refused(PINRefusal)
    /// The PIN was locked when the database was restored from a backup.
    case lockedByRestore
    /// The charges of thirty days are used up; seconds until the first of them is that old.
    case exhausted(retryAfter: Int64)
    /// The transaction that the PIN was to sign.
    case transaction(TransactionRefusal)
    /// The device's own, with a wrong PIN; told to whoever proved its key.
    case wrongPIN(remaining: Int)
    /// The device is suspended; told to whoever proved its key.
    case deviceSuspended
    /// The device is deactivated; told to whoever proved its key.
    case deviceDeactivated
    /// The app's call itself.
    case device(DeviceRefusal)
}

extension DevicePINRefusal {
    /// Whether it says that the PIN has no try left.
    var isLock: Bool {
        switch self {
        case .refused(.locked), .lockedByRestore, .exhausted: true
        default: false
        }
    }

    /// What a refused signature of the device is here.
    /// - Parameter refusal: why the signature was refused.
    package init(_ refusal: DeviceCallRefusal) {
        switch refusal {
        case .staleNonce(let nonce): self = .staleNonce(nonce)
        case .invalidCredentials: self = .refused(.invalidCredentials)
        case .suspended: self = .deviceSuspended
        case .deactivated: self = .deviceDeactivated
        }
    }
}

internal import Core
internal import Kernel
internal import WalletAuthWire

/// Why a call about a PIN is refused.
package enum DevicePINRefusal: Error, Sendable, Hashable {
    /// The nonce in the signature is not a current one; this one is.
    case staleNonce(String)
    /// A rule of the protocol. `locked` here means by wrong PINs.
    case refused(PINRefusal)
    /// Restoring the database from a backup locked the PIN.
    case lockedByRestore
    /// The charges of thirty days are used up; seconds until the oldest one expires.
    case exhausted(retryAfter: Int64)
    /// The PIN was to sign a transaction, which refuses it.
    case transaction(TransactionRefusal)
    /// From the right device, but with a wrong PIN. Only a caller that proved the device's key learns this.
    case wrongPIN(remaining: Int)
    /// The device is suspended. Only a caller that proved its key learns this.
    case deviceSuspended
    /// The device is deactivated. Only a caller that proved its key learns this.
    case deviceDeactivated
    /// The app's call itself is refused.
    case device(DeviceRefusal)
}

extension DevicePINRefusal {
    /// Whether the PIN has no attempt left.
    var isLock: Bool {
        switch self {
        case .refused(.locked), .lockedByRestore, .exhausted: true
        default: false
        }
    }

    /// The refusal of a charge.
    init(_ refusal: PINRefusal, of pin: DevicePIN, now: Timestamp) {
        switch refusal {
        case .exhausted: self = .exhausted(retryAfter: RetryAfter.seconds(until: pin.exhaustedUntil(now), now: now))
        case .locked where pin.state.lockReason == .restore: self = .lockedByRestore
        default: self = .refused(refusal)
        }
    }

    package init(_ refusal: DeviceCallRefusal) {
        switch refusal {
        case .staleNonce(let nonce): self = .staleNonce(nonce)
        case .invalidCredentials: self = .refused(.invalidCredentials)
        case .suspended: self = .deviceSuspended
        case .deactivated: self = .deviceDeactivated
        }
    }

    package init(_ refusal: AssertionRefusal) {
        switch refusal {
        case .invalid: self = .refused(.invalidCredentials)
        case .wrongPIN(let remaining): self = .wrongPIN(remaining: remaining)
        case .pinLocked: self = .refused(.locked)
        case .deviceSuspended: self = .deviceSuspended
        case .deviceDeactivated: self = .deviceDeactivated
        }
    }
}

internal import Kernel
internal import WalletAuthWire

/// Why a password or an account PIN, with the name of an account, proves nothing.
package enum CredentialRefusal: Error, Sendable, Hashable {
    /// Wrong, locked, not set, or no such account; the caller cannot tell which.
    case invalid
    /// The account is deactivated. Only a known device learns this without the right password.
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
    /// The brand's former system, which knows the passwords of people who have not moved yet, does not answer. In seconds.
    case unavailable(retryAfter: Int64)
}

/// The account of a typed name, and the device that an attempt to sign in to it comes from.
struct ClaimedAccount: Sendable {
    /// `nil` for an unknown name.
    let account: AccountRecord?
    /// The device, as far as the account knows it.
    let device: PasswordVerification.Device
    let isKnownDevice: Bool

    /// Why nothing is compared; `nil` if a password or PIN may be.
    var closure: CredentialRefusal? {
        if case .enrolled(let device) = device {
            switch device.state {
            case .active, .removed: break
            case .suspended: return .deviceSuspended
            case .deactivated: return .deviceDeactivated
            }
        }
        return isKnownDevice && account?.state == .deactivated ? .walletDeactivated : nil
    }

    /// The same for a password. An account that its holder closed says when it is erased, and that only after the right one.
    var closureToPasswords: CredentialRefusal? {
        let closure = closure
        return closure == .walletDeactivated && account?.deactivatedBy == .holder ? nil : closure
    }

    /// Whether a right password tells what became of the account. Where failures closed it, guessing ends, also if a directory or an
    /// operator closed it over them.
    var tellsByPassword: Bool {
        switch account?.state {
        case .active: true
        case .deactivated: account?.deactivatedBy != .failures && account?.closedOver == nil
        case .erased, nil: false
        }
    }

    /// The claimant of the hashing slot that a comparison takes.
    func claimant(
        at username: Username, brand: BrandID, from origin: RequestOrigin
    ) -> PasswordSlots.Claimant {
        guard isKnownDevice, let account else { return .untrusted(at: username, brand: brand, from: origin) }
        return .known(to: account.id, from: origin)
    }
}

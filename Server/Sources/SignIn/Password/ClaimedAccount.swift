internal import Kernel
internal import WalletAuthWire

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

    /// The claimant of the hashing slot that a comparison takes.
    func claimant(
        at username: Username, brand: BrandID, from origin: RequestOrigin
    ) -> PasswordSlots.Claimant {
        guard isKnownDevice, let account else { return .untrusted(at: username, brand: brand, from: origin) }
        return .known(to: account.id, from: origin)
    }
}

internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// The account of a typed name, and the device that an attempt to sign in to it comes from.
struct ClaimedAccount: Sendable {
    /// `nil` for an unknown name.
    let account: AccountRecord?
    /// The device, as far as the account knows it.
    let device: PasswordVerification.Device
    let isKnownDevice: Bool

    enum Closure: Sendable {
        /// The account is deactivated. Only a known device learns this.
        case account
        /// Only the holder of the device's key learns this.
        case suspendedDevice
        /// Only the holder of the device's key learns this.
        case deactivatedDevice
    }

    /// Why no password is compared; `nil` if one may be.
    var closure: Closure? {
        if case .enrolled(let device) = device {
            switch device.state {
            case .active, .removed: break
            case .suspended: return .suspendedDevice
            case .deactivated: return .deactivatedDevice
            }
        }
        return isKnownDevice && account?.state == .deactivated ? .account : nil
    }

    /// The claimant of the hashing slot that a comparison takes.
    func claimant(
        at username: Username, brand: BrandID, from origin: RequestOrigin
    ) -> PasswordSlots.Claimant {
        guard isKnownDevice, let account else { return .untrusted(at: username, brand: brand, from: origin) }
        return .known(to: account.id, from: origin)
    }
}

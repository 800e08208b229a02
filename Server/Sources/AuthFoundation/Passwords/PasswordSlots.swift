internal import AuthCore
package import AuthStore
package import WalletAuthWire

/// The slots for password hashes, running and waiting, and their shares.
///
/// Each name or account may use an eighth of the slots and each network a quarter. A quarter is reserved for known devices. A flood
/// at one account or from one network therefore leaves room for other sign-ins. Shares also limit correct passwords, whose number
/// nothing else limits. A name without an account counts like any other.
package struct PasswordSlots: Sendable {
    package enum Claimant: Sendable, Hashable {
        /// A sign-in from a device that is not known, by the name as typed; or one that has to prove more or set a new password.
        case untrusted(name: String, network: String)
        /// A sign-in from a known device, or a person in a session of the account.
        case known(account: UniqueID, network: String)
        /// The operator, without a limit.
        case administrator
    }

    private enum Share: Hashable {
        case name(String)
        case account(UniqueID)
        case network(String)
        case untrusted
    }

    private let capacity: Int
    private var taken = 0
    private var shares: [Share: Int] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// - Returns: whether a slot was free, within the claimant's shares.
    mutating func take(for claimant: Claimant) -> Bool {
        let bounds = bounds(of: claimant)
        guard taken < capacity, bounds.allSatisfy({ shares[$0.share, default: 0] < $0.most }) else { return false }
        taken += 1
        for bound in bounds { shares[bound.share, default: 0] += 1 }
        return true
    }

    mutating func give(from claimant: Claimant) {
        taken -= 1
        for bound in bounds(of: claimant) {
            let left = shares[bound.share, default: 1] - 1
            shares[bound.share] = left > 0 ? left : nil
        }
    }

    private func bounds(of claimant: Claimant) -> [(share: Share, most: Int)] {
        switch claimant {
        case .untrusted(let name, let network):
            [(.name(name), eighths(1)), (.network(network), eighths(2)), (.untrusted, capacity - capacity / 4)]
        case .known(let account, let network):
            // Untrusted devices in the same network leave a share for known devices.
            [(.account(account), eighths(1)), (.network(network), eighths(3))]
        case .administrator: []
        }
    }

    private func eighths(_ count: Int) -> Int { max(1, capacity * count / 8) }
}

extension PasswordSlots.Claimant {
    /// A sign-in at a name, from a device that is not known.
    package static func untrusted(at username: Username, brand: BrandID, from origin: RequestOrigin) -> Self {
        .untrusted(name: "\(brand.rawValue) \(username.rawValue)", network: origin.network)
    }

    /// A known device, or a person in a session of the account.
    package static func known(to account: UniqueID, from origin: RequestOrigin) -> Self {
        .known(account: account, network: origin.network)
    }
}

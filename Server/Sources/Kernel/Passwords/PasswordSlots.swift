package import Core
package import Store
package import WalletAuthWire

/// The slots for password hashes, running and waiting, and their shares.
///
/// Each name or account may use an eighth of the slots, each subnet a quarter and each site of IPv6 three eighths. A
/// quarter is reserved for known devices. A flood at one account or from one network therefore leaves room for other
/// sign-ins. Shares also limit correct passwords, whose number nothing else limits. A name without an account counts
/// like any other.
package struct PasswordSlots: Sendable {
    package enum Claimant: Sendable, Hashable {
        /// A sign-in from a device that is not known, by the name as typed; or one that has to prove more or set a new password.
        case untrusted(name: String, networks: [CountedNetwork])
        /// A sign-in from a known device, or a person in a session of the account.
        case known(account: UniqueID, networks: [CountedNetwork])
        /// The operator, without a limit.
        case administrator
    }

    private enum Share: Hashable {
        case name(String)
        case account(UniqueID)
        case network(CountedNetwork)
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
        case .untrusted(let name, let networks):
            var bounds: [(share: Share, most: Int)] = [
                (.name(name), eighths(1)), (.untrusted, capacity - capacity / 4),
            ]
            for network in networks { bounds.append((.network(network), eighths(Self.share(of: network)))) }
            return bounds
        case .known(let account, let networks):
            var bounds: [(share: Share, most: Int)] = [(.account(account), eighths(1))]
            // Untrusted devices in the same network leave a share for known devices.
            for network in networks { bounds.append((.network(network), eighths(Self.share(of: network) + 1))) }
            return bounds
        case .administrator: return []
        }
    }

    /// A network's share for untrusted devices, in eighths. All untrusted devices together have six, so four times a
    /// subnet's share would not limit a site. A home may use all of its site's share.
    private static func share(of network: CountedNetwork) -> Int {
        switch network.extent {
        case .subnet: 2
        case .home, .site: 3
        }
    }

    private func eighths(_ count: Int) -> Int { max(1, capacity * count / 8) }
}

extension PasswordSlots.Claimant {
    /// A sign-in at a name, from a device that is not known.
    package static func untrusted(at username: Username, brand: BrandID, from origin: RequestOrigin) -> Self {
        .untrusted(name: "\(brand.rawValue) \(username.rawValue)", networks: origin.networks)
    }

    /// A known device, or a person in a session of the account.
    package static func known(to account: UniqueID, from origin: RequestOrigin) -> Self {
        .known(account: account, networks: origin.networks)
    }
}

internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The places for password hashes in flight, running and waiting, and their holders.
///
/// Each name or account has an eighth of the places, each network a quarter, and a quarter is kept for devices that their
/// account knows: a flood at one account, or from one network, leaves room for everybody else's sign-ins. Shares bound right
/// passwords as well as wrong ones, whose number nothing else does. A name that no account has counts like any other.
struct PasswordSlots: Sendable {
    /// The holder of a place.
    enum Claimant: Sendable, Hashable {
        /// A sign-in from a device that the account does not know, at a name as typed, or one that has to prove more or to set a
        /// new password.
        case untrusted(name: String, network: String)
        /// A sign-in from a device that the account knows, or a person in a session of it.
        case known(account: UniqueID, network: String)
        /// The operator, whom no share bounds.
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

    /// - Parameter capacity: all places there are.
    init(capacity: Int) { self.capacity = capacity }

    /// Takes a place.
    /// - Returns: whether one was free, within the shares of the claimant.
    mutating func take(for claimant: Claimant) -> Bool {
        let bounds = bounds(of: claimant)
        guard taken < capacity, bounds.allSatisfy({ shares[$0.share, default: 0] < $0.most }) else { return false }
        taken += 1
        for bound in bounds { shares[bound.share, default: 0] += 1 }
        return true
    }

    /// Gives a place back that was taken for a claimant.
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
            // Untrusted devices in the same network leave a share for the devices that their account knows.
            [(.account(account), eighths(1)), (.network(network), eighths(3))]
        case .administrator: []
        }
    }

    private func eighths(_ count: Int) -> Int { max(1, capacity * count / 8) }
}

extension PasswordSlots.Claimant {
    /// A sign-in at a name, from a device that the account does not know.
    static func untrusted(at username: Username, brand: BrandID, from origin: RequestOrigin) -> Self {
        .untrusted(name: "\(brand.rawValue) \(username.rawValue)", network: origin.network)
    }

    /// A device that the account knows, or a person in a session of it.
    static func known(to account: UniqueID, from origin: RequestOrigin) -> Self {
        .known(account: account, network: origin.network)
    }
}

extension RequestOrigin {
    /// The network that the request came from: what is counted of an address.
    var network: String { PasswordVerification.network(of: address) }
}

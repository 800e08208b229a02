package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Decides whether an enrolled device may act: by its own state, and by those of its client and its account.
///
/// Everything that a device signs is checked here, in the read or write that it leads to. So what an operator closes is closed at
/// once, whatever rows are still to be ended (docs/threat-model.md, "What an operator closes").
package struct DeviceAdmission: Sendable {
    private let clients: ClientDirectory

    package init(clients: ClientDirectory) { self.clients = clients }

    /// Why a device may not act.
    package enum Refusal: Sendable, Hashable {
        /// It was removed, its account was erased, or its client was deleted or is no longer the operator's own app. It is answered
        /// like a device that never existed.
        case unknown
        case suspended
        case deactivated
        /// Its account is deactivated, so it signs no transaction.
        case walletDeactivated
        /// Its account needs a new password first. Transactions wait for it; a sign-in by PIN does not, because it leads there.
        case passwordChangeRequired
    }

    /// Returns why a device may not act now; `nil` if it may.
    /// - Parameter device: as it was read last.
    package func refusal(
        of device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Refusal? {
        switch device.state {
        case .active: break
        case .suspended: return .suspended
        case .deactivated: return .deactivated
        case .removed: return .unknown
        }
        // The cache of clients may be behind a deletion by another process. The row is not.
        guard try Clients.isRegistered(device.clientID, on: connection),
            let client = try clients.find(ClientID(device.clientID), now: now, on: connection),
            client.isFirstParty, let account = try Accounts.find(device.accountID, on: connection)
        else { return .unknown }
        switch account.state {
        case .active: return account.passwordState == .expired ? .passwordChangeRequired : nil
        case .deactivated: return .walletDeactivated
        case .erased: return .unknown
        }
    }
}

import WalletAuth
import WalletAuthWire

/// Asks whether this device is still allowed, as the former SDK's apps do at each start.
public final class PDDeviceCoordinator: PDCoordinator, @unchecked Sendable {
    /// Asks the server for the state of this device. The person must be signed in (otherwise 401), unless the device is linked to no
    /// account: that it knows itself.
    ///
    /// A device that was suspended, deactivated or removed has no session any more, so it gets the 401 too. The next sign-in of the first
    /// two gives 503 or 423.
    /// - Parameters:
    ///   - completion: receives the answer.
    ///   - failure: receives the error.
    public func isDeviceRegistered(
        completion: @escaping IsDeviceRegisteredCompletionBlock, failure: @escaping PDFailure
    ) {
        let report: @MainActor @Sendable (EnrolledDevice?) -> Void = { completion($0 != nil, $0?.state == .active) }
        perform(kUserErrorLoginWithDeviceAuthenticationTokenDomain, report, failure) {
            try await $0.wallet.accounts.isEmpty ? nil : $0.wallet.devices.list().first(where: \.isCurrent)
        }
    }
}

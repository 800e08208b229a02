public import Foundation
import WalletAuth
import WalletAuthWire

/// Called with whether the device is linked to an account, and whether it may be used.
public typealias IsDeviceRegisteredCompletionBlock =
    @MainActor @Sendable (_ isRegistered: Bool, _ isActive: Bool) -> Void
/// Called with the reason that the question could not be answered.
public typealias IsDeviceRegisteredFailureBlock =
    @MainActor @Sendable (_ deviceManagementError: PDPaydiantError) -> Void

/// Asks whether this device is still allowed, as the former SDK's apps do at each start.
#if canImport(ObjectiveC)
    @objc(PDDeviceCoordinator) @objcMembers
#endif
public final class PDDeviceCoordinator: NSObject, Sendable {
    private let service: Service?

    /// Creates a coordinator.
    public override init() { service = nil }

    /// Creates a coordinator with a service of its own, for tests.
    package init(_ service: Service) { self.service = service }

    /// Asks the server for the state of this device. The person must be signed in (otherwise 401), unless the device is linked to no
    /// account: that it knows itself.
    /// - Parameters:
    ///   - completion: receives the answer.
    ///   - failure: receives the error.
    public func isDeviceRegistered(
        completion: @escaping IsDeviceRegisteredCompletionBlock, failure: @escaping IsDeviceRegisteredFailureBlock
    ) {
        Service.add(to: service, kUserErrorLoginWithDeviceAuthenticationTokenDomain, { try await $0.deviceState() }) {
            switch $0 {
            case .success(let state): completion(state.isRegistered, state.isActive)
            case .failure(let error): failure(error)
            }
        }
    }
}

extension Service {
    fileprivate func deviceState() async throws -> (isRegistered: Bool, isActive: Bool) {
        guard try await !wallet.accounts.isEmpty else { return (false, false) }
        guard let device = try await wallet.devices.list().first(where: \.isCurrent) else { return (false, false) }
        return (true, device.state == .active)
    }
}

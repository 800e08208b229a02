import CompatCalls
package import WalletAuth
import WalletAuthTransport

/// What an app's coordinators share: the wallet, the order of their calls, and what they answer without waiting.
package final class Service: Sendable {
    /// The service of the last `configure`.
    static let current = LockedValue<Service?>(nil)
    private static let unconfigured = CallOrder()

    let wallet: Wallet
    /// What the system's prompt tells the person; nil if the app's Info.plist does not say.
    let biometricsReason: String?
    private let calls = CallOrder()
    private let deviceToken = LockedValue(Wallet.DeviceAuthenticationTokenState.none)
    private let issuedNonce = LockedValue<FederatedNonce?>(nil)

    package init(_ configuration: Wallet.Configuration, biometricsReason: String?) throws {
        wallet = try Wallet(configuration: configuration)
        self.biometricsReason = biometricsReason
    }

    /// Runs a call after the earlier ones, and hands over its result on the main actor.
    static func add<Value: Sendable>(
        to service: Service?, _ domain: String, _ call: @escaping @Sendable (Service) async throws -> Value,
        completion: @escaping @MainActor @Sendable (Result<Value, PDPaydiantError>) -> Void
    ) {
        guard let service = service ?? current.withLock({ $0 }) else {
            unconfigured.add({ .failure(PDPaydiantError(notConfiguredFor: domain)) }, completion: completion)
            return
        }
        service.calls.add(
            {
                let result: Result<Value, PDPaydiantError>
                do { result = .success(try await call(service)) } catch let error as PDPaydiantError {
                    result = .failure(error)
                } catch {
                    result = .failure(PDPaydiantError(thrown: error, domain: domain))
                }
                await service.readDeviceToken()
                return result
            }, completion: completion)
    }

    /// Waits for the calls so far.
    package func waitForAll() async { await calls.waitForAll() }

    // MARK: The long-running session, as last read

    var hasDeviceToken: Bool {
        if case .active = deviceToken.withLock({ $0 }) { true } else { false }
    }

    /// Reads the state again. If the store cannot be read, the former one stays.
    package func readDeviceToken() async {
        guard let state = try? await wallet.deviceAuthenticationToken else { return }
        deviceToken.withLock { $0 = state }
    }

    // MARK: The nonce for an identity provider

    func issueNonce() async throws -> String {
        let nonce = try await wallet.federatedNonce()
        issuedNonce.withLock { $0 = nonce }
        return nonce.value
    }

    func takeNonce() -> FederatedNonce? {
        issuedNonce.withLock { nonce in
            defer { nonce = nil }
            return nonce
        }
    }
}

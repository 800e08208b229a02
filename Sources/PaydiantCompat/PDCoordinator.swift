import CompatCalls
public import Foundation
import WalletAuth

/// The superclass of the coordinators.
///
/// Calls may be made from any thread. They run one after another, in the order in which they were made, whichever coordinator they were
/// made with. Each reports once, on the main actor, after it has returned, even if the app has let go of the coordinator by then.
///
/// Unchecked, like any class with subclasses: all properties are constants.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PDCoordinator: NSObject, @unchecked Sendable {
    private static let unconfigured = CallOrder()
    private let ownService: Service?

    /// Creates a coordinator. It may be created before ``PDAthenticationCoordinator/configure(_:)-(_)``; its calls fail until then.
    public override init() { ownService = nil }

    /// Creates a coordinator with a service of its own, for tests.
    package init(_ service: Service) { ownService = service }

    /// What the app configured; nil before.
    var service: Service? { ownService ?? Service.configured }

    /// Receives the errors of calls without a block for them.
    @MainActor func fail(_ error: PDPaydiantError) {}

    /// Runs a call after the earlier ones, and hands over its value, or its error to the block if there is one.
    func perform<Value: Sendable>(
        _ domain: String, _ success: @escaping @MainActor @Sendable (Value) throws(PDPaydiantError) -> Void,
        _ failure: PDFailure? = nil, _ call: @escaping @Sendable (Service) async throws -> Value
    ) {
        let service = service
        (service?.calls ?? Self.unconfigured).add {
            let result: Result<Value, PDPaydiantError>
            do {
                guard let service else { throw WalletError.serviceNotConfigured }
                result = .success(try await call(service))
            } catch {
                result = .failure(PDPaydiantError(error as? WalletError ?? .callInterrupted, domain: domain))
            }
            await service?.readDeviceToken()
            return result
        } completion: { result in
            do throws(PDPaydiantError) { try success(result.get()) } catch { (failure ?? self.fail)(error) }
        }
    }
}

extension WalletError {
    fileprivate static let serviceNotConfigured = WalletError(
        .notConfigured, .misconfigured, during: .configure,
        reason: "PDAthenticationCoordinator.configure(_:) comes first, with your server and the client id")

    fileprivate static let callInterrupted = WalletError(
        .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .signIn,
        reason: "the call was interrupted")

    /// A call that was not sent, or found nothing to do.
    static func refused(_ code: Code, _ number: Int, during operation: Operation = .signIn, _ reason: String) -> Self {
        WalletError(code, .refused, during: operation, statusCode: number, reason: reason)
    }
}

import Dispatch
import WalletAuth

/// Runs what takes tens of milliseconds of arithmetic and 32 MiB: on threads of its own, neither the main one nor one that
/// tasks share.
enum PINWork {
    private static let queue = DispatchQueue(label: "wallet-auth.pin", qos: .userInitiated)

    /// Runs `work`, and turns what keeps a key from being made into an error of the operation.
    static func run<T: Sendable>(
        during operation: WalletError.Operation, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result(catching: work)) }
            }
        } catch let failure as PINFailure {
            throw WalletError(failure, during: operation)
        }
    }
}

extension WalletError {
    /// What keeps a PIN key from being made. None of it says anything about the PIN.
    init(_ failure: PINFailure, during operation: Operation) {
        switch failure {
        case .wrongServerKey, .wrongEpoch:
            self.init(
                .pinServerKeyChanged, .refused, during: operation, reachedServer: true,
                reason: "the server did not prove the key that was pinned when the PIN was set")
        case .storedShare, .wrongEnrollment:
            self.init(
                .keyLost, .keyLost(recovery: .setPINAgain), during: operation,
                reason: "what this device kept for the PIN is of no use")
        case .noScalar, .cryptography:
            self.init(
                .keysUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: "the cryptographic library made no key")
        }
    }
}

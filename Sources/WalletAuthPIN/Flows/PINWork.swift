import Dispatch
import WalletAuth

/// Runs work that takes tens of milliseconds of computation and 32 MiB, on a thread of its own: neither the main thread
/// nor the cooperative pool.
enum PINWork {
    private static let queue = DispatchQueue(label: "wallet-auth.pin", qos: .userInitiated)

    /// Runs `work`, and converts a failure to derive a key into an error of the operation.
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
    /// Creates the error for a failure to derive a PIN key. It says nothing about the PIN.
    init(_ failure: PINFailure, during operation: Operation) {
        switch failure {
        case .wrongServerKey, .wrongEpoch:
            self.init(
                .pinServerKeyChanged, .refused, during: operation, reachedServer: true,
                reason: "the server did not prove that it uses the key pinned when the PIN was set")
        case .storedShare, .wrongEnrollment:
            self.init(
                .keyLost, .keyLost(recovery: .setPINAgain), during: operation,
                reason: "this device's record of the PIN is unusable")
        case .noScalar, .cryptography:
            self.init(
                .keysUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: "the cryptographic library could not derive a key")
        }
    }
}

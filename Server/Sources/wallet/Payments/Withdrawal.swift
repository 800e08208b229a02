import Foundation
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What became of the approval of a transfer that the person stopped.
enum Withdrawal: Equatable, Sendable {
    /// No device can approve it any more, and no one did.
    case ended
    /// The server did not confirm it in time: until then, another device may still show it; nil if it is not known until when.
    case unconfirmed(until: Date?)
    /// It had ended before, and may have been used: another command may have paid with the transfer's key.
    case over

    /// How long the person waits for the server.
    private static let patience = Duration.seconds(5)

    /// Tells the server, so that the transfer no longer waits on other devices.
    /// - Parameter key: the transfer's `Idempotency-Key`.
    static func request(_ key: String, of wallet: Wallet) async -> Withdrawal {
        await request(
            finding: {
                try await wallet.pendingSCA.first { $0.request.value(forHTTPHeaderField: "Idempotency-Key") == key }
            },
            lasting: { $0.operation?.expiresAt ?? $0.expiresAt }, ending: { try await wallet.withdraw($0) })
    }

    /// - Parameters:
    ///   - find: returns the stored consent; nil if there is none.
    ///   - end: until when it can be approved.
    ///   - withdraw: ends it at the server.
    static func request<Consent: Sendable>(
        finding find: () async throws -> Consent?, lasting end: (Consent) -> Date,
        ending withdraw: @escaping @Sendable (Consent) async throws -> Void
    ) async -> Withdrawal {
        let found: Consent?
        do { found = try await find() } catch { return .unconfirmed(until: nil) }
        // Another command has finished it.
        guard let found else { return .over }
        let end = end(found)
        let told = FirstResult<Withdrawal>()
        Task {
            do {
                try await withdraw(found)
                told.give(.success(.ended))
            } catch { told.give(.success(Withdrawal(after: error, until: end))) }
        }
        Task {
            try? await Task.sleep(for: patience)
            told.give(.success(.unconfirmed(until: end)))
        }
        return (try? await told.value) ?? .unconfirmed(until: end)
    }

    /// After an error of the call that ends it. `data_error` is also the answer about an approval that was used.
    private init(after error: any Error, until end: Date) {
        guard let error = error as? WalletError, [.dataError, .eventNotFound].contains(error.code) else {
            self = .unconfirmed(until: end)
            return
        }
        let isUnused = error.code == .dataError && (error.isRefusedByPerson || error.remainingAttempts == 0)
        self = isUnused ? .ended : .over
    }

    /// What there is to know about an approval that the server did not end, as a part of a sentence; nil if nothing.
    var remark: String? {
        switch self {
        case .ended, .over: nil
        case .unconfirmed(let end?):
            "it may still be approved on your other device until \(end.formatted(.iso8601))"
        case .unconfirmed(nil): "it may still be approved on your other device for up to 15 minutes"
        }
    }

    /// The failure of a transfer that the person declined, with what became of its approval.
    /// - Parameter key: the transfer's `Idempotency-Key`.
    func completing(_ failure: Failure, of key: String) -> Failure {
        var failure = failure
        if let remark { failure.advice = "\(remark); \(failure.advice)" }
        if self == .over {
            failure.message = "you did not approve it here; the transfer may have been paid"
            failure.advice = Failure.repetition(with: key)
        }
        return failure
    }
}

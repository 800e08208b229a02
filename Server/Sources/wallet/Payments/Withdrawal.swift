import Foundation
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What became of the approval of a transfer that the person stopped.
enum Withdrawal: Equatable, Sendable {
    /// No device can approve it any more.
    case ended
    /// The server did not confirm it in time: until then, another device may still show it.
    case unconfirmed(until: Date)

    /// How long the person waits for the server.
    private static let patience = Duration.seconds(5)

    /// Tells the server, so that the transfer no longer waits on other devices.
    /// - Parameter key: the transfer's `Idempotency-Key`.
    static func request(_ key: String, of wallet: Wallet) async -> Withdrawal {
        let waiting = (try? await wallet.pendingSCA) ?? []
        guard let pending = waiting.first(where: { $0.request.value(forHTTPHeaderField: "Idempotency-Key") == key })
        else { return .ended }
        let isEnded = FirstResult<Bool>()
        Task { isEnded.give(.success(await isTold(wallet, of: pending))) }
        Task {
            try? await Task.sleep(for: patience)
            isEnded.give(.success(false))
        }
        return (try? await isEnded.value) == true
            ? .ended : .unconfirmed(until: pending.operation?.expiresAt ?? pending.expiresAt)
    }

    private static func isTold(_ wallet: Wallet, of pending: SCA.Pending) async -> Bool {
        do { try await wallet.disown(pending) } catch let error as WalletError {
            // It has ended already.
            return [.dataError, .eventNotFound].contains(error.code)
        } catch { return false }
        return true
    }

    /// What there is to know about it, as a part of a sentence; nil if nothing.
    var remark: String? {
        switch self {
        case .ended: nil
        case .unconfirmed(let end): "it may still be approved on your other device until \(end.formatted(.iso8601))"
        }
    }
}

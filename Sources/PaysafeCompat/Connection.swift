import Foundation
import WalletAuth
import WalletAuthTransport
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A configured wallet, and what its services remember between calls. The calls run one at a time.
final class Connection: Sendable {
    let wallet: WalletAuth.Wallet
    let clientID: String
    private let memory = LockedValue(Memory())

    private struct Memory: Sendable {
        /// The token that a sign-in of the SDK handed out; its session is the wallet's.
        var issued: AccessToken?
        var signIn: SignInEvent?
        var challenge: SCA.Challenge?
        var keys: [(eventID: String, key: String)] = []
    }

    init(_ wallet: WalletAuth.Wallet, clientID: String) {
        self.wallet = wallet
        self.clientID = clientID
    }

    /// The sign-in that waits for its second factor, or for the app to repeat it.
    var signIn: SignInEvent? {
        get { memory.withLock { $0.signIn } }
        set { memory.withLock { $0.signIn = newValue } }
    }

    /// The last challenge: a device signs the operation that it names.
    var challenge: SCA.Challenge? {
        get { memory.withLock { $0.challenge } }
        set { memory.withLock { $0.challenge = newValue } }
    }

    /// Begins a session with a token, unless it is the token of the session that the wallet has begun itself.
    func authenticate(_ token: String) async throws {
        let issued = memory.withLock { $0.issued }
        if let issued, issued == (try? AccessToken(token)), wallet.isLoggedIn { return }
        memory.withLock { $0.issued = nil }
        try await wallet.authenticate(accessToken: token)
    }

    /// The token of the session that the wallet has just begun.
    func issueToken() async throws -> Wallet.TokenResponse {
        let token = try await wallet.accessToken()
        memory.withLock { $0.issued = token }
        return Wallet.TokenResponse(token: Redacted(token.reveal()))
    }

    func perform(
        _ request: URLRequest, scaDetails: Wallet.SCAAuthenticationEventRequest?
    ) async throws -> Wallet.OperationResponse {
        let key = scaDetails.flatMap { details in
            memory.withLock { $0.keys.first { $0.eventID == details.eventID }?.key }
        }
        let sent = key ?? UUID().uuidString
        let (data, response) = try await wallet.perform(
            request, key: sent,
            agreedIn: scaDetails.map { SCA.Details(eventID: $0.eventID, walletOperationID: $0.walletOperationID) })
        guard let required = SCA.Required(data: data, response: response) else {
            return Wallet.OperationResponse(data: data, response: response)
        }
        memory.withLock { $0.keys = $0.keys.suffix(7) + [(required.eventID, sent)] }
        throw WalletError.scaRequired(
            authenticationEvent: Wallet.SCAAuthenticationEventResponse(required), errorID: nil)
    }
}

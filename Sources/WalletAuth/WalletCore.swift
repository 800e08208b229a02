import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where the parts of a wallet meet.
final class WalletCore: Sendable {
    let changes = TokenChangeBroadcast()
    let logoutHooks = LogoutHooks()

    init(configuration: Wallet.Configuration) throws {}
    var isLoggedIn: Bool { false }
    var identity: Wallet.SignedInIdentity? { nil }
    func setUp() async throws -> Wallet.SetUpOutcome { throw unfinished }
    func accessToken() async throws -> AccessToken { throw unfinished }
    func refresh() async throws { throw unfinished }
    func logout() async throws -> Wallet.LogoutOutcome { throw unfinished }
    func perform(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) { throw unfinished }
    func received(_ url: URL) async throws { throw unfinished }
    func authenticate(code: Wallet.VerifiedCode) async throws { throw unfinished }
    func authenticate(accessToken: String, expiresAt: Date?) async throws { throw unfinished }
    func updateToken(_ token: String, expiresAt: Date?) async throws { throw unfinished }
    func login(username: String, password: String) async throws -> LoginOutcome { throw unfinished }
    func callback(_ url: URL) async throws -> Wallet.VerifiedCode { throw unfinished }
    func authenticationDetails(brandIdentity: String, request: Wallet.AuthenticationDetailsRequest) async throws
        -> Wallet.AuthenticationDetails
    { throw unfinished }
    private var unfinished: WalletError {
        WalletError(.unsupportedByServer, .misconfigured, during: .setUp, reason: "being written")
    }
}

import Foundation
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExampleScreens {
    func watch(_ wallet: Wallet) async {
        for await change in wallet.tokenChanges {
            switch change {
            case .new: showHome()
            case .refreshed: break
            case .deleted: showSignIn()
            case .invalidated(.keyLost): showSignIn(because: "This device was restored from a backup.")
            case .invalidated: showSignIn(because: "Please sign in again.")
            case .expiring: break
            }
        }
    }

    #if !canImport(FoundationNetworking)
        func download(_ wallet: Wallet, from api: URL) async throws -> (URL, URLResponse) {
            var request = URLRequest(url: api)
            try await wallet.authorize(&request)
            let (file, response) = try await URLSession.shared.download(for: request)
            return (file, response)
        }
    #endif

    func authorizationHeader(_ wallet: Wallet) async throws -> String {
        let token = try await wallet.accessToken()
        let header = "Bearer \(token.reveal())"
        return header
    }

    func clearOnLogout(_ wallet: Wallet, _ cache: ExampleCache) -> String {
        let hook = wallet.onLogout { await cache.removeAll() }
        return hook
    }

    func signOut(_ wallet: Wallet) async throws {
        switch try await wallet.logout() {
        case .revoked, .queued, .notSignedIn: showSignIn()
        case .refused, .notOffered:
            showSignIn(because: "You are signed out here. Your session may continue on the server.")
        }
    }

    func partial(
        code: String, challenge: OAuthCodeChallenge, issuer: URL, redirectURI: URL, ports: Wallet.Ports?
    ) async throws -> Wallet {
        let wallet = try Wallet(
            configuration: .init(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .partial(
                    codeResponse: OAuthCodeResponse(code: code, challenge: challenge, redirectURI: redirectURI)),
                ports: ports))
        try await wallet.setUp()
        return wallet
    }

    func keptPartial(issuer: URL, ports: Wallet.Ports?) async throws -> Wallet {
        let wallet = try Wallet(
            configuration: .init(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .partial(codeResponse: nil), ports: ports))
        do {
            try await wallet.setUp()
        } catch let error as WalletError {
            guard case .signedOut = error.outcome else { throw error }
            showSignIn()
        }
        return wallet
    }

    func external(_ backend: ExampleBackend, issuer: URL, ports: Wallet.Ports?) async throws -> Wallet {
        let (token, expiresAt) = try await backend.fetchToken()
        let wallet = try Wallet(
            configuration: .init(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .external(token: token, expiresAt: expiresAt), ports: ports))
        try await wallet.setUp()
        return wallet
    }

    func renew(_ wallet: Wallet, _ backend: ExampleBackend) async throws {
        for await case .expiring in wallet.tokenChanges {
            let (token, expiresAt) = try await backend.fetchToken()
            try await wallet.updateToken(token, expiresAt: expiresAt)
        }
    }

    func brandPage(_ wallet: Wallet) async throws -> URL {
        let details = try await wallet.authentication.getAuthenticationDetails(
            brandIdentity: "example-brand",
            request: Wallet.AuthenticationDetailsRequest(
                clientIdentifier: "com.example.wallet",
                codeChallenge: OAuthCodeChallenge(),
                resetCredentialsURL: "https://app.example.com/reset",
                state: UUID().uuidString,
                redirectURI: "https://app.example.com/callback",
                locale: "en-GB",
                loginHint: "ada@example.com",
                loginStrategy: .password))
        return details.authenticationURL
    }

    func finishBrandPage(_ url: URL, _ wallet: Wallet) async throws {
        let code = try await wallet.authentication.callback(url)
        try await wallet.authenticate(code: code)
    }

    func takeToken(of backend: ExampleBackend, _ wallet: Wallet) async throws {
        let (token, expiresAt) = try await backend.fetchToken()
        try await wallet.authenticate(accessToken: token, expiresAt: expiresAt)
    }
}

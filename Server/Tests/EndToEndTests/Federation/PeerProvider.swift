import Crypto
import Foundation
import Testing
import WalletAuth

/// An identity provider as an app sees it: its page, and who signs in there.
struct PeerProvider: Sendable {
    static let redirectURI = "https://app.example.com/idp"

    let authorization: URL
    let person: Person
    let ledger: SecretLedger

    /// What the app brings back from the provider's page: the code flow with PKCE, and the server's nonce.
    func identity(nonce: FederatedNonce) async throws -> FederatedIdentity {
        let (code, verifier) = try await code(nonce: nonce.value)
        return FederatedIdentity(
            provider: "example", authorizationCode: code, redirectURI: URL(string: Self.redirectURI),
            codeVerifier: verifier, nonce: nonce)
    }

    /// The provider's code, and the verifier that redeems it.
    func code(nonce: String) async throws -> (code: String, verifier: String) {
        let verifier = randomText(32)
        ledger.enter(verifier)
        let query = formEncoded([
            ("response_type", "code"), ("client_id", "wallet-server"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("state", "state-of-the-app"), ("nonce", nonce),
            ("code_challenge", base64URL(Data(SHA256.hash(data: Data(verifier.utf8))))),
            ("code_challenge_method", "S256"),
        ])
        let page = try #require(URL(string: authorization.absoluteString + "?" + query))
        let callback = try await HeadlessBrowser(ledger: ledger).signIn(
            at: page, typing: ["username": person.username, "password": person.password], until: Self.redirectURI)
        return (try #require(queryItems(of: callback.absoluteString)["code"], "\(callback)"), verifier)
    }

    /// Runs a test's body with a second server of our own that is a provider of the first.
    /// - Parameters:
    ///   - redirectURI: where it sends its codes.
    ///   - options: what else is said of it when it is added.
    static func ourOwn(
        for server: RunningServer, redirectURI: String = redirectURI, options: [String] = [],
        _ body: (PeerProvider) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = try await RunningServer.onNewDatabase(folder: folder.url)
        try await other.start()
        let person = try await other.makeAccount()
        let client = try await other.makeConfidentialClient(
            "wallet-server", scope: "openid email", options: ["--redirect-uri", redirectURI])
        let secret = try #require(client.secret)
        server.ledger.enter(secret)
        try await add(other.issuer, to: server, secret: secret, options: options)
        try await body(
            PeerProvider(authorization: await other.url("/oauth2/authorize"), person: person, ledger: other.ledger))
        let ending = try await other.stop()
        #expect(ending == .exited(0))
        try expectNoSecrets(in: folder.url, of: other.ledger)
    }

    /// Tells a server of a provider.
    static func add(_ issuer: URL, to server: RunningServer, secret: String, options: [String] = []) async throws {
        try await server.require(
            [
                "provider", "add", "oidc", "example", "--issuer", issuer.absoluteString, "--client-id",
                "wallet-server", "--client-secret-stdin",
            ] + options, input: secret + "\n")
    }
}

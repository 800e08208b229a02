import Crypto
import Foundation
import Testing
import WalletAuth

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The SDK against the server, which asks identity providers over real HTTP: one of our own, and one that is not ours.
@Suite("Signing in by another provider's word, end to end")
struct FederatedIdentityTests {
    private static let redirectURI = "https://app.example.com/idp"

    /// A provider as the app sees it: its page, and who signs in there.
    private struct Provider {
        let authorization: URL
        let person: Person
        let ledger: SecretLedger
    }

    /// What the app brings back from the provider's page: the code flow with PKCE, and the server's nonce.
    private func identity(
        at provider: Provider, nonce: FederatedNonce
    ) async throws -> FederatedIdentity {
        let verifier = randomText(32)
        provider.ledger.enter(verifier)
        let query = formEncoded([
            ("response_type", "code"), ("client_id", "wallet-server"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("state", "state-of-the-app"), ("nonce", nonce.value),
            ("code_challenge", base64URL(Data(SHA256.hash(data: Data(verifier.utf8))))),
            ("code_challenge_method", "S256"),
        ])
        let page = try #require(URL(string: provider.authorization.absoluteString + "?" + query))
        let callback = try await HeadlessBrowser(ledger: provider.ledger).signIn(
            at: page, typing: ["username": provider.person.username, "password": provider.person.password],
            until: Self.redirectURI)
        let code = try #require(queryItems(of: callback.absoluteString)["code"], "\(callback)")
        return FederatedIdentity(
            provider: "example", authorizationCode: code, redirectURI: URL(string: Self.redirectURI),
            codeVerifier: verifier, nonce: nonce)
    }

    /// A person's first sign-in and the next one, from another device too.
    private func journey(_ server: RunningServer, _ provider: Provider) async throws {
        let app = try await server.makePublicClient()
        func wallet() async throws -> Wallet {
            try Device(ledger: server.ledger, person: provider.person, redirectURI: app.redirectURI)
                .wallet(issuer: await server.issuer, client: app)
        }
        let phone = try await wallet()
        let identity = try await identity(at: provider, nonce: phone.federatedNonce())
        guard case .noMatchingGuest(let guest) = try await phone.login(federatedIdentity: identity) else {
            Issue.record("nobody is linked yet")
            return
        }
        // A code is redeemed once, and the nonce in its token serves once.
        let replayed = await #expect(throws: WalletError.self) {
            try await phone.login(federatedIdentity: identity)
        }
        #expect(replayed?.code == .invalidCredentials)
        #expect(replayed?.operation == .loginByFederatedIdentity)

        guard
            case .authenticated = try await phone.enrollment.createAndRegister(
                NewAccount(username: "ada-here"), for: guest)
        else {
            Issue.record("not signed in to the new account")
            return
        }
        let tablet = try await wallet()
        let again = try await self.identity(at: provider, nonce: tablet.federatedNonce())
        guard case .authenticated = try await tablet.login(federatedIdentity: again) else {
            Issue.record("not signed in the second time")
            return
        }
        #expect(tablet.identity?.subject == phone.identity?.subject)
        #expect(tablet.isLoggedIn)
    }

    private func add(
        _ issuer: URL, to server: RunningServer, secret: String
    ) async throws {
        try await server.require(
            [
                "provider", "add", "oidc", "--id", "example", "--issuer", issuer.absoluteString, "--client-id",
                "wallet-server", "--client-secret-stdin",
            ], input: secret + "\n")
    }

    @Test("By a second server of our own: its ID tokens are signed by RSA, and its codes are redeemed with PKCE")
    func ourOwn() async throws {
        try await withServer { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let other = RunningServer(folder: folder.url)
            try await other.start()
            let person = try await other.makeAccount()
            let client = try await other.makeConfidentialClient(
                "wallet-server", scope: "openid", options: ["--redirect-uri", Self.redirectURI])
            let secret = try #require(client.secret)
            server.ledger.enter(secret)
            try await add(other.issuer, to: server, secret: secret)
            try await journey(
                server,
                Provider(
                    authorization: await other.url("/oauth2/authorize"), person: person, ledger: other.ledger))
            let ending = try await other.stop()
            #expect(ending == .exited(0))
            try expectNoSecrets(in: folder.url, of: other.ledger)
        }
    }

    @Test("By Authlib's provider, also after it changed its key; when it is gone, that is what is told")
    func authlib() async throws {
        try await withServer { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
            let secret = "Secret-\(UUID().uuidString)"
            server.ledger.enter(secret)
            let peer = try ChildProcess(
                Programs.python, [Programs.peers.appending(path: "authlib_provider.py").path],
                environment: [
                    "PEER_PASSWORD": person.password, "PEER_SECRET": secret, "PEER_REDIRECT_URI": Self.redirectURI,
                ], folder: folder.url, log: folder.url.appending(path: "peer.log"))
            defer { peer.send(SIGTERM) }
            let ready = try await within(.seconds(60), "Authlib's provider") {
                for await line in peer.lines where line.hasPrefix("ready at ") {
                    return URL(string: String(line.dropFirst(9)))
                }
                return nil
            }
            let issuer = try #require(ready)
            try await add(issuer, to: server, secret: secret)
            let provider = Provider(
                authorization: issuer.appending(path: "authorize"), person: person, ledger: SecretLedger())
            try await journey(server, provider)

            let app = RegisteredClient(id: "com.example.wallet", redirectURI: "com.example.wallet:/callback")
            let wallet = try Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
                .wallet(issuer: await server.issuer, client: app)
            let rotated = try await WebClient(ledger: provider.ledger).post(issuer.appending(path: "rotate"), form: [:])
            #expect(rotated.status == 204)
            // The keys were fetched a moment ago, and are fetched again for an unknown one ten seconds later at the
            // earliest: until then the token is not taken.
            let outcome = try? await wallet.login(
                federatedIdentity: identity(at: provider, nonce: wallet.federatedNonce()))
            if outcome == nil {
                try await Task.sleep(for: .seconds(11))
                guard
                    case .authenticated = try await wallet.login(
                        federatedIdentity: identity(at: provider, nonce: wallet.federatedNonce()))
                else {
                    Issue.record("not signed in after the key changed")
                    return
                }
            }

            let last = try await identity(at: provider, nonce: wallet.federatedNonce())
            peer.send(SIGKILL)
            _ = await peer.wait()
            let gone = await #expect(throws: WalletError.self) { try await wallet.login(federatedIdentity: last) }
            #expect(gone?.code == .temporarilyUnavailable)
            #expect(gone?.outcome == .temporarilyUnavailable(retryAfter: .seconds(10)))
        }
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// The SDK against the server, which asks identity providers over real HTTP: one of our own, and one that is not ours.
@Suite("Signing in by another provider's word, end to end", .covers("loginByFederatedIdentity"))
struct FederatedIdentityTests {
    /// A person's first sign-in and the next one, from another device too.
    private func journey(_ server: RunningServer, _ provider: PeerProvider) async throws {
        let app = try await server.makePublicClient()
        func wallet() async throws -> Wallet {
            try Device(ledger: server.ledger, person: provider.person, redirectURI: app.redirectURI)
                .wallet(issuer: await server.issuer, client: app)
        }
        let phone = try await wallet()
        let identity = try await provider.identity(nonce: phone.federatedNonce())
        let guest = try await phone.login(federatedIdentity: identity).guest()
        // A code is redeemed once, and the nonce in its token serves once.
        let replayed = await #expect(throws: WalletError.self) {
            try await phone.login(federatedIdentity: identity)
        }
        #expect(replayed?.code == .invalidCredentials)
        #expect(replayed?.operation == .loginByFederatedIdentity)

        try await phone.enrollment.createAndRegister(
            NewAccount(username: "ada-here"), for: guest
        ).signedIn()
        let tablet = try await wallet()
        let again = try await provider.identity(nonce: tablet.federatedNonce())
        try await tablet.login(federatedIdentity: again).signedIn()
        #expect(tablet.identity?.subject == phone.identity?.subject)
        #expect(tablet.isLoggedIn)
    }

    @Test("By a second server of our own: its ID tokens are signed by RSA, and its codes are redeemed with PKCE")
    func ourOwn() async throws {
        try await withServer { server in
            try await PeerProvider.ourOwn(for: server) { try await journey(server, $0) }
        }
    }

    @Test("The holder of an account signs in to it, links the provider's identity, and removes it again")
    func joining() async throws {
        try await withServer { server in
            try await PeerProvider.ourOwn(for: server) { provider in
                let app = try await server.makePublicClient()
                let holder = try await server.makeReachableAccount("grace")
                let wallet = try Device(ledger: server.ledger, person: holder, redirectURI: app.redirectURI)
                    .wallet(issuer: await server.issuer, client: app)
                func comesIn() async throws -> LoginOutcome {
                    try await wallet.login(federatedIdentity: provider.identity(nonce: wallet.federatedNonce()))
                }
                guard case .noMatchingGuest(let guest) = try await comesIn(),
                    case .mfaRequired(let asked) = try await wallet.login(
                        username: holder.username, password: holder.password)
                else {
                    Issue.record("no identity is joined yet, and this phone is not linked")
                    return
                }
                _ = try await wallet.register(mfa: asked, answer: server.newestCode())
                let joined = try await wallet.enrollment.join(guest)
                let listed = try await wallet.identities.list()
                #expect(listed == [joined])
                let subject = wallet.identity?.subject
                _ = try await wallet.logout()
                try await comesIn().signedIn()
                #expect(wallet.identity?.subject == subject)
                // By the provider's word alone nothing is taken away.
                let weak = await #expect(throws: WalletError.self) { try await wallet.identities.remove(joined.id) }
                #expect(weak?.code == .insufficientUserAuthentication)
                let outcome = try await wallet.login(
                    username: holder.username, password: holder.password, strength: .twoFactors)
                if case .mfaRequired(let again) = outcome {
                    _ = try await wallet.register(mfa: again, answer: server.newestCode())
                }
                try await wallet.identities.remove(joined.id)
                try await comesIn().guest()
            }
        }
    }

    @Test(
        "By Authlib's provider, even after it changed its key; when it is down, the error says so", .onceForAllEngines)
    func authlib() async throws {
        try await withServer { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
            let secret = "Secret-\(UUID().uuidString)"
            server.ledger.enter(secret)
            let peer = try await PeerProcess.start(
                "authlib_provider.py",
                [
                    "PEER_PASSWORD": person.password, "PEER_SECRET": secret,
                    "PEER_REDIRECT_URI": PeerProvider.redirectURI,
                ], in: folder.url)
            defer { peer.stop() }
            let issuer = try #require(URL(string: peer.address))
            try await PeerProvider.add(issuer, to: server, secret: secret)
            let provider = PeerProvider(
                authorization: issuer.appending(path: "authorize"), person: person, ledger: SecretLedger())
            try await journey(server, provider)

            let app = RegisteredClient(id: "com.example.wallet", redirectURI: "com.example.wallet:/callback")
            let wallet = try Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
                .wallet(issuer: await server.issuer, client: app)
            let rotated = try await WebClient(ledger: provider.ledger).post(issuer.appending(path: "rotate"), form: [:])
            #expect(rotated.status == 204)
            try await wallet.login(
                federatedIdentity: provider.identity(nonce: wallet.federatedNonce())
            ).signedIn()

            let last = try await provider.identity(nonce: wallet.federatedNonce())
            await peer.kill()
            let gone = await #expect(throws: WalletError.self) { try await wallet.login(federatedIdentity: last) }
            #expect(gone?.code == .temporarilyUnavailable)
            #expect(gone?.outcome == .temporarilyUnavailable(retryAfter: .seconds(10)))
        }
    }
}

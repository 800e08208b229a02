import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Signing in by another provider's word")
struct FederatedLoginTests {
    private func identity(
        _ world: World, _ wallet: Wallet, subject: String = "sub-1"
    ) async throws -> FederatedIdentity {
        let nonce = try await wallet.federatedNonce()
        let token = world.server.issueIDToken(provider: "example", subject: subject, nonce: nonce.value)
        return FederatedIdentity(provider: "example", idToken: token, nonce: nonce)
    }

    @Test("A linked person signs in, with the server's nonce in the provider's token")
    func linked() async throws {
        let world = World()
        world.server.link("alice", to: "example", subject: "sub-1")
        let wallet = try world.wallet()
        let outcome = try await wallet.login(federatedIdentity: identity(world, wallet), properties: ["store": "12"])
        try outcome.signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(wallet.identity?.tokenType == .dpop)
    }

    @Test("A guest makes an account in the same sign-in; a taken name leaves the guest one")
    func guest() async throws {
        let world = World()
        let wallet = try world.wallet()
        let outcome = try await wallet.login(federatedIdentity: identity(world, wallet))
        let guest = try outcome.guest()
        #expect(!wallet.isLoggedIn)
        let taken = await failure {
            try await wallet.enrollment.createAndRegister(NewAccount(username: "alice"), for: guest)
        }
        #expect(taken?.code == .usernameTaken)
        #expect(taken?.statusCode == 409)
        #expect(taken?.operation == .loginByFederatedIdentity)
        let made = try await wallet.enrollment.createAndRegister(NewAccount(username: "ada"), for: guest)
        try made.signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
        _ = try await wallet.logout()
        try await wallet.login(federatedIdentity: identity(world, wallet)).signedIn()
    }

    @Test("A token for another nonce, and one that was used, are wrong credentials of this very call")
    func nonce() async throws {
        let world = World()
        let wallet = try world.wallet()
        let (first, second) = (try await wallet.federatedNonce(), try await wallet.federatedNonce())
        let token = world.server.issueIDToken(provider: "example", subject: "sub-1", nonce: first.value)
        let error = await failure {
            try await wallet.login(
                federatedIdentity: FederatedIdentity(provider: "example", idToken: token, nonce: second))
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.statusCode == 401)
        #expect(error?.operation == .loginByFederatedIdentity)
    }

    @Test("A provider that cannot be asked is no wrong credential, and says when to try again")
    func unavailable() async throws {
        let world = World()
        let wallet = try world.wallet()
        let identity = try await identity(world, wallet)
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: 503, headers: ["Content-Type": "application/json", "Retry-After": "10"],
                    body: Data(
                        #"{"error":"temporarily_unavailable","error_code":"server_error","status_code":500}"#.utf8))
            ), at: "/oauth2/authorize-challenge")
        let error = await failure { try await wallet.login(federatedIdentity: identity) }
        #expect(error?.code == .temporarilyUnavailable)
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: .seconds(10)))
    }

    @Test(
        "A provider that the server does not know is a mistake of the app, and is reported before the provider is asked"
    )
    func unknownProvider() async throws {
        let world = World()
        let wallet = try world.wallet()
        let asked = await failure { try await wallet.checkRegistration(provider: "example") }
        #expect(asked?.code == .unknownProvider)
        #expect(asked?.outcome == .misconfigured)
        #expect(asked?.reachedServer == true)
        let known = try await identity(world, wallet)
        try await wallet.checkRegistration(provider: "example")
        try await wallet.login(federatedIdentity: known).guest()
        let misspelled = FederatedIdentity(
            provider: "exmaple", idToken: "a-token", nonce: try await wallet.federatedNonce())
        let refused = await failure { try await wallet.login(federatedIdentity: misspelled) }
        #expect(refused?.code == "invalid_request")
        #expect(refused?.outcome == .misconfigured)
        world.server.addProvider("another")
        try await wallet.checkRegistration(provider: "another")
    }

    @Test("What no provider gives is refused without asking the server, and nothing of it is ever printed")
    func impossible() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = try await wallet.federatedNonce()
        let sent = world.server.requests.count
        for identity in [
            FederatedIdentity(provider: "../other", idToken: "secret-token", nonce: nonce),
            FederatedIdentity(provider: "example", idToken: "", nonce: nonce),
            FederatedIdentity(provider: "example", username: "ada", password: ""),
        ] {
            let error = await failure { try await wallet.login(federatedIdentity: identity) }
            #expect(error?.code == .invalidCredentials)
            #expect(!"\(identity) \(String(reflecting: identity))".contains("secret"))
        }
        #expect(world.server.requests.count == sent)
    }
}

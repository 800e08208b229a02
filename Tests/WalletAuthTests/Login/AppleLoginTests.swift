import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Signing in with Apple", .covers("flow 1: a linked guest", "flow 2: createAndRegister"))
struct AppleLoginTests {
    private static let user = "001245.alice"
    private static let needed = AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"], maximumAge: 300)

    /// A world in which alice's Apple Account is linked to her account.
    private func linkedWorld() -> World {
        let world = World()
        world.server.link("alice", to: "apple", subject: Self.user)
        return world
    }

    private func credential(_ world: World, _ wallet: Wallet, of user: String = user) async throws -> AppleCredential {
        world.server.appleCredential(of: user, nonce: try await wallet.federatedNonce())
    }

    @Test("A known person signs in, and nothing that Apple gave is kept")
    func known() async throws {
        let world = linkedWorld()
        let wallet = try world.wallet()
        let nonce = try await wallet.federatedNonce()
        let code = world.server.issueAuthorizationCode(provider: "apple", subject: Self.user, nonce: nonce.value)
        let token = world.server.issueIDToken(provider: "apple", subject: Self.user, nonce: nonce.value)
        let outcome = try await wallet.login(
            apple: AppleCredential(authorizationCode: code, identityToken: token, nonce: nonce),
            properties: ["store": "12"])
        let attributes = try outcome.signedIn()
        #expect(attributes["push_enabled"] == .bool(false))
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(wallet.identity?.tokenType == .dpop)
        let sent = try #require(world.server.requests.last { $0.path == Endpoints.authorizeChallenge.path })
        #expect(sent.form["login_method"] == "federated_identity")
        #expect(sent.form["provider"] == "apple")
        #expect(sent.form["authorization_code"] == code)
        #expect(sent.form["id_token"] == token)
        #expect(sent.form["redirect_uri"] == nil)
        for value in world.store.items.values {
            let text = String(decoding: value, as: UTF8.self)
            #expect(!text.contains(code) && !text.contains(token))
        }
        let report = wallet.diagnostics.description
        #expect(report.contains("signed in with Apple"))
        #expect(!report.contains(Self.user))
    }

    @Test("An unknown person creates an account with the same credential, and the next tap signs in at once")
    func guest() async throws {
        let world = World()
        let wallet = try world.wallet()
        let outcome = try await wallet.login(apple: credential(world, wallet))
        let guest = try outcome.guest()
        #expect(!wallet.isLoggedIn)
        let taken = await failure {
            try await wallet.enrollment.createAndRegister(NewAccount(username: "alice"), for: guest)
        }
        #expect(taken?.code == .usernameTaken)
        #expect(taken?.operation == .loginByApple)
        let made = try await wallet.enrollment.createAndRegister(
            NewAccount(username: "ada", locale: "bg", acceptedTerms: "2026-11"), for: guest)
        try made.signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
        #expect(wallet.diagnostics.isByApple == true)
        _ = try await wallet.logout()
        try await wallet.login(apple: credential(world, wallet)).signedIn()
        #expect(wallet.identity?.subject == "sub-ada")
    }

    @Test("A second factor is asked for as after any other first one, and the session is still one by Apple")
    func secondFactor() async throws {
        let world = linkedWorld()
        world.server.setState(of: "alice", .secondFactor(answer: "123456"))
        let wallet = try world.wallet()
        let challenge = try await wallet.login(apple: credential(world, wallet)).secondFactor()
        #expect(await failure { try await challenge.answer("000000") }?.operation == .loginByApple)
        try await challenge.answer("123456").signedIn()
        #expect(wallet.diagnostics.isByApple == true)
    }

    @Test("The server may call Apple something else")
    func otherName() async throws {
        let world = World()
        world.server.link("alice", to: "apple-de", subject: Self.user)
        let wallet = try world.wallet()
        let nonce = try await wallet.federatedNonce()
        let credential = world.server.appleCredential(of: Self.user, nonce: nonce, provider: "apple-de")
        try await wallet.login(apple: credential, provider: "apple-de").signedIn()
        let unknown = await failure { try await wallet.login(apple: self.credential(world, wallet), provider: "aple") }
        #expect(unknown?.outcome == .misconfigured)
    }

    @Test("attack: a credential that is used twice, or was made for another nonce, fails this very call as a wrong one")
    func replay() async throws {
        let world = linkedWorld()
        let wallet = try world.wallet()
        let used = try await credential(world, wallet)
        _ = try await wallet.login(apple: used)
        let (first, second) = (try await wallet.federatedNonce(), try await wallet.federatedNonce())
        let code = world.server.issueAuthorizationCode(provider: "apple", subject: Self.user, nonce: first.value)
        let token = world.server.issueIDToken(provider: "apple", subject: Self.user, nonce: first.value)
        let moved = AppleCredential(authorizationCode: code, identityToken: token, nonce: second)
        for credential in [used, moved] {
            let error = await failure { try await wallet.login(apple: credential) }
            #expect(error?.code == .invalidCredentials)
            #expect(error?.statusCode == 401)
            #expect(error?.operation == .loginByApple)
        }
    }

    @Test(
        "attack: a credential without a nonce, as an app or a thief gets it without requesting one, is a wrong one",
        .threat("Sign in with Apple in an app"))
    func nonceMissing() async throws {
        let world = linkedWorld()
        let wallet = try world.wallet()
        let nonce = try await wallet.federatedNonce()
        let credential = AppleCredential(
            authorizationCode: world.server.issueAuthorizationCode(
                provider: "apple", subject: Self.user, nonce: nil),
            identityToken: world.server.issueIDToken(provider: "apple", subject: Self.user, nonce: nil), nonce: nonce)
        #expect(await failure { try await wallet.login(apple: credential) }?.code == .invalidCredentials)
        #expect(!wallet.isLoggedIn)
    }

    @Test("attack: the code of one person with the identity token of another signs in neither")
    func twoPeople() async throws {
        let world = linkedWorld()
        world.server.link("bob", to: "apple", subject: "002.bob")
        let wallet = try world.wallet()
        for (coded, named) in [(Self.user, "002.bob"), ("002.bob", Self.user)] {
            let nonce = try await wallet.federatedNonce()
            let credential = AppleCredential(
                authorizationCode: world.server.issueAuthorizationCode(
                    provider: "apple", subject: coded, nonce: nonce.value),
                identityToken: world.server.issueIDToken(provider: "apple", subject: named, nonce: nonce.value),
                nonce: nonce)
            #expect(await failure { try await wallet.login(apple: credential) }?.code == .invalidCredentials)
        }
        #expect(!wallet.isLoggedIn)
    }

    @Test(
        "attack: another person's credential where the person was asked to sign in again; the person still is signed in"
    )
    func anotherPerson() async throws {
        let world = linkedWorld()
        world.server.link("bob", to: "apple", subject: "002.bob")
        let wallet = try world.wallet()
        _ = try await wallet.login(apple: credential(world, wallet))
        let before = wallet.identity
        let theirs = try await credential(world, wallet, of: "002.bob")
        let error = await failure { try await wallet.login(apple: theirs, strength: .required(Self.needed)) }
        #expect(error?.code == .anotherPerson)
        #expect(error?.operation == .loginByApple)
        #expect(wallet.identity == before)
        let sent = try #require(world.server.requests.last { $0.path == Endpoints.authorizeChallenge.path })
        #expect(sent.form["acr_values"] == "urn:wallet-auth:acr:2fa")
        // It is still Apple's word on alice that the session hangs on.
        world.apple.revoke("002.bob")
        try await wallet.setUp()
        #expect(wallet.identity == before)
        let own = try await wallet.login(apple: credential(world, wallet), strength: .required(Self.needed))
        try own.signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
    }

    @Test("What Apple never gives is refused without asking the server, and nothing of it is ever printed")
    func impossible() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = try await wallet.federatedNonce()
        let sent = world.server.requests.count
        for (code, token) in [("", "secret-token"), ("secret-code", ""), ("secret code\n", "secret-token")] {
            let credential = AppleCredential(authorizationCode: code, identityToken: token, nonce: nonce)
            #expect(await failure { try await wallet.login(apple: credential) }?.code == .invalidCredentials)
            #expect(!"\(credential) \(String(reflecting: credential))".contains("secret"))
            var dumped = ""
            dump(credential, to: &dumped)
            #expect(!dumped.contains("secret"))
        }
        #expect(world.server.requests.count == sent)
        #expect(AppleCredential(authorizationCode: nil, identityToken: Data(), nonce: nonce) == nil)
        #expect(AppleCredential(authorizationCode: Data([0xff]), identityToken: Data(), nonce: nonce) == nil)
    }
}

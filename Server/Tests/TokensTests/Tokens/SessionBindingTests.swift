import ArgumentParser
import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// The key of a session is the one that redeemed its code. Nothing binds it later, and no token counts as bound whose session is not.
@Suite("Binding a session to a key", .article("4(3)(c) protected sessions"), .covers("sessions opened without a key"))
struct SessionBindingTests {
    private static let refused = OAuthRefusal.unusableToken(.otherSessionKey)

    /// A first-party app that may use bearer tokens, Ada's session in it, and a thief with the refresh token.
    private struct Theft {
        let server: TestServer
        let client: TestClient
        let account: AccountID
        let stolen: RefreshToken
        let key = TestKey()

        init() async throws {
            server = try await TestServer.start()
            client = try await server.bearerClient()
            account = try await server.reachableAccount()
            stolen = try #require(try await client.signIn(account, methods: ["pwd", "otp"]).refreshToken)
        }

        /// What the thief calls with: their own key, and tokens.
        func thief(with tokens: TokenResponse) -> TestDevice {
            TestDevice(app: TestApp(client: client, key: key), tokens: tokens)
        }

        /// Tokens as those of a session, which name a key that is not the session's.
        func forged(_ tokens: TokenResponse, key: TestKey) async throws -> TokenResponse {
            var claims = try await server.claims(of: tokens)
            claims.keyThumbprint = key.thumbprint
            return TokenResponse(
                accessToken: try server.context.keyRing.signer(.es256).accessToken(claims), tokenType: .dpop,
                expiresIn: nil)
        }
    }

    /// What a caller achieves who tries everything that changes an account.
    private func takeOver(
        _ account: AccountID, by thief: TestDevice, removing phone: DeviceID
    ) async throws -> [String] {
        let attacks: [(String, @Sendable () async throws -> Bool)] = [
            (
                "the devices",
                {
                    _ = try await thief.list()
                    return true
                }
            ),
            ("removing the phone", { try await thief.remove(phone) == nil }),
            (
                "enrolling a phone",
                { try await thief.enroll(thief.enrollment(account, over: thief.challenge())).refusal == nil }
            ),
            (
                "a new password",
                { try await thief.changePassword(from: nil, to: "the thief's own password").refusal == nil }
            ),
            ("an authenticator app", { try await thief.beginAuthenticator().refusal == nil }),
            ("recovery codes", { try await thief.makeRecoveryCodes().refusal == nil }),
        ]
        var opened: [String] = []
        for (what, attack) in attacks {
            do { if try await attack() { opened.append(what) } } catch is OAuthRefusal { continue }
        }
        return opened
    }

    @Test(
        "attack: the thief of an unbound refresh token renews it with a key of their own, and takes over no account with it"
    )
    func ownKey() async throws {
        let theft = try await Theft()
        let phone = try await TestDevice.signedIn(theft.account, theft.client)
        let enrolled = try await phone.enrolled(theft.account)
        let tokens = try await theft.client.refresh(theft.stolen, proof: theft.key).tokens()
        #expect(tokens.tokenType == .bearer)
        #expect(try await theft.server.claims(of: tokens).keyThumbprint == nil)
        let opened = try await takeOver(theft.account, by: theft.thief(with: tokens), removing: enrolled.id)
        #expect(opened == [])
        #expect(try await phone.list() == [enrolled])
        _ = try await phone.signIn(as: enrolled.id).code()
    }

    @Test("attack: a token that names a key its session was not opened with changes nothing of the account")
    func foreignKey() async throws {
        let theft = try await Theft()
        let phone = try await TestDevice.signedIn(theft.account, theft.client)
        let enrolled = try await phone.enrolled(theft.account)
        let bearer = try await theft.client.refresh(theft.stolen).tokens()
        for tokens in [bearer, phone.tokens] {
            let thief = theft.thief(with: try await theft.forged(tokens, key: theft.key))
            #expect(try await takeOver(theft.account, by: thief, removing: enrolled.id) == [])
        }
        #expect(try await phone.list() == [enrolled])
    }

    @Test(
        "attack: the thief of an unbound refresh token cannot have a consent challenged, with a key of their own or a forged one"
    )
    func consent() async throws {
        let theft = try await Theft()
        let shop = TestShop(
            server: theft.server, client: try await theft.server.confidentialClient("shop"), account: theft.account,
            device: theft.thief(with: try await theft.client.refresh(theft.stolen, proof: theft.key).tokens()))
        let event = try await shop.required(TestShop.transfer())
        await #expect(throws: OAuthRefusal.unusableToken(.unbound)) { try await shop.challenge(.email, of: event) }
        let forged = shop.with(theft.thief(with: try await theft.forged(shop.device.tokens, key: theft.key)))
        await #expect(throws: Self.refused) { try await forged.challenge(.email, of: event) }
        await #expect(throws: Self.refused) { try await forged.attempt("000000", .email, at: event) }
        #expect(try await theft.server.messages().filter { $0.kind == "consent_code" }.isEmpty)
    }

    @Test("An app that begins to send proofs keeps its unbound session, whose tokens stay bearer tokens")
    func laterProofs() async throws {
        let theft = try await Theft()
        let key = TestKey()
        let first = try await theft.client.refresh(theft.stolen, proof: key).tokens()
        let second = try await theft.client.refresh(try #require(first.refreshToken)).tokens()
        let third = try await theft.client.refresh(try #require(second.refreshToken), proof: TestKey()).tokens()
        #expect([first, second, third].map(\.tokenType) == [.bearer, .bearer, .bearer])
    }

    @Test(
        "attack: a backend's DPoP session is not renewed by a request without a proof, which would get a bearer token",
        .threat("Stolen access and refresh tokens"))
    func backendWithoutProof() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient()
        let account = try await server.account()
        let first = try await backend.signIn(account, proof: TestKey())
        #expect(first.tokenType == .dpop)
        let token = try #require(first.refreshToken)
        #expect(try await backend.refresh(token).refusal?.code == "invalid_dpop_proof")
        // Nothing changed, and the client may come with another key.
        let second = try await backend.refresh(token, proof: TestKey()).tokens()
        #expect(second.tokenType == .dpop)
        #expect(try await backend.refresh(try #require(second.refreshToken)).refusal?.code == "invalid_dpop_proof")
    }

    @Test("A backend's session that was opened without a proof goes on without one")
    func backendBearer() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient()
        let first = try await backend.signIn(server.account())
        let bound = try await backend.refresh(try #require(first.refreshToken), proof: TestKey()).tokens()
        #expect(bound.tokenType == .dpop)
        let plain = try await backend.refresh(try #require(bound.refreshToken)).tokens()
        #expect(plain.tokenType == .bearer)
    }

    @Test("A first-party app has to prove a key to redeem its code, which is not spent without one")
    func requiredByDefault() async throws {
        let server = try await TestServer.start()
        let app = try await server.publicClient()
        let code = try await app.code(for: server.account())
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        #expect(try await app.token(grant).refusal?.code == "invalid_dpop_proof")
        let key = TestKey()
        let tokens = try await app.token(grant, proof: key).tokens()
        #expect(tokens.tokenType == .dpop)
        #expect(try await app.refresh(try #require(tokens.refreshToken)).refusal?.code == "invalid_dpop_proof")
        #expect(try await app.refresh(try #require(tokens.refreshToken), proof: key).tokens().tokenType == .dpop)
    }

    @Test(
        "attack: once the app requires DPoP, its unbound sessions renew by no key, and come to no harm",
        .threat("Stolen access and refresh tokens"))
    func requiredLater() async throws {
        let theft = try await Theft()
        func require(_ isRequired: Bool) async throws {
            var change = try ClientChange.parse([])
            change.binding.flags = [isRequired ? .requireDPoP : .allowBearer]
            try await theft.server.administer {
                try await ClientAdministration($0).update(theft.client.id.rawValue, change)
            }
        }
        try await require(true)
        #expect(try await theft.client.refresh(theft.stolen, proof: theft.key).refusal == .invalidGrant)
        #expect(try await theft.client.refresh(theft.stolen).refusal?.code == "invalid_dpop_proof")
        try await require(false)
        #expect(try await theft.client.refresh(theft.stolen).tokens().tokenType == .bearer)
    }

    @Test(
        "attack: a backend's key, which its sessions do not know, changes no account and cannot have a consent challenged"
    )
    func backend() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient { $0.firstParty = true }
        let account = try await server.reachableAccount()
        let phone = try await TestDevice.signedIn(account, try await server.publicClient())
        let enrolled = try await phone.enrolled(account)
        let key = TestKey()
        let tokens = try await backend.signIn(account, methods: ["pwd", "otp"])
        let bound = try await backend.refresh(try #require(tokens.refreshToken), proof: key).tokens()
        #expect(bound.tokenType == .dpop, "an authenticated client may change its keys")
        let caller = TestDevice(app: TestApp(client: backend, key: key), tokens: bound)
        #expect(try await takeOver(account, by: caller, removing: enrolled.id) == [])
        let shop = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account, device: caller)
        let event = try await shop.required(TestShop.transfer())
        await #expect(throws: Self.refused) { try await shop.challenge(.email, of: event) }
    }
}

import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Enrolled devices", .article("25 delivery"))
struct EnrolledDeviceTests {
    private func setUp(
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> (server: TestServer, account: AccountID, client: TestClient) {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        return (server, account, try await server.publicClient("app", adjust))
    }

    @Test("A password and the device's key are two factors")
    func strength() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        let tokens = try await device.app.redeem(device.signIn(as: enrolled.id).code()).tokens()
        let claims = try #require(
            try await server.context.accessTokens.claims(of: tokens.accessToken, now: server.clock.now()))
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test("A proof by another key, or of another account's device, makes no device known and opens nothing more")
    func wrongProof() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        let forged = try await device.app.redeem(device.signIn(as: enrolled.id, provedBy: TestKey()).code()).tokens()
        let claims = try #require(
            try await server.context.accessTokens.claims(of: forged.accessToken, now: server.clock.now()))
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        _ = try await server.account("bob")
        let borrowed = try await device.app.redeem(device.signIn(as: enrolled.id, "bob").code()).tokens()
        let others = try #require(
            try await server.context.accessTokens.claims(
                of: borrowed.accessToken, now: server.clock.now()))
        #expect(others.acr == AuthenticationStrength.singleFactor)
    }

    @Test("The fifth failure in a row deactivates that device alone, tells it so, and ends its sessions")
    func failures() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        let other = try await TestDevice.signedIn(account, client)
        let second = try await other.enrolled(account, name: "Ada's tablet")
        for _ in 0..<4 {
            let wrong = try await device.signIn(as: enrolled.id, password: "a wrong one")
            #expect(wrong.errorCode == "invalid_credentials")
        }
        let last = try #require(try await device.signIn(as: enrolled.id, password: "a wrong one").refusal)
        #expect(last.errorCode == "device_deactivated")
        #expect(last.statusCode == 423)
        let afterwards = try await device.signIn(as: enrolled.id)
        #expect(afterwards.errorCode == "device_deactivated")
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await device.list() }
        // The wallet and the other device go on.
        _ = try await other.signIn(as: second.id).code()
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test("Removing a device ends its sessions and sign-ins under way, and spares those of the others")
    func removal() async throws {
        let (server, account, client) = try await setUp()
        let stolen = try await TestDevice.signedIn(account, client)
        let stolenID = try await stolen.enrolled(account).id
        let kept = try await TestDevice.signedIn(account, client)
        let keptID = try await kept.enrolled(account, name: "Ada's tablet").id
        let code = try await stolen.signIn(as: stolenID).code()
        let removal = try await kept.remove(stolenID)
        #expect(removal == nil)
        let redeemed = try await stolen.app.redeem(code)
        #expect(redeemed.refusal == .invalidGrant)
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await stolen.list() }
        let listed = try await kept.list()
        #expect(listed.map(\.id) == [keptID])
        // The spent key proves nothing any more, nor does the app's other key that once passed a second factor: both are a
        // stranger's.
        let spent = try await stolen.signIn(as: stolenID)
        #expect(spent.errorCode == "mfa_required")
        let unnamed = try await stolen.app.signIn()
        #expect(unnamed.errorCode == "mfa_required")
        let told = try await server.messages().filter { $0.kind == "device_removed" }
        #expect(try told.map { try $0.content.string("device") } == ["Ada's phone"])
    }

    @Test("Removing a device ends what its app opened without naming it, as through the browser (a stolen phone)")
    func unnamedSessions() async throws {
        let (server, account, client) = try await setUp()
        let stolen = try await TestDevice.signedIn(account, client)
        let id = try await stolen.enrolled(account).id
        let browser = try await client.signIn(account, proof: stolen.app.key)
        let kept = try await TestDevice.signedIn(account, client)
        _ = try await kept.enrolled(account, name: "Ada's tablet")
        let removal = try await kept.remove(id)
        #expect(removal == nil)
        let refreshed = try await client.refresh(
            try #require(browser.refreshToken), proof: stolen.app.key)
        #expect(refreshed.refusal == .invalidGrant)
        _ = try await kept.list()
        _ = server
    }

    @Test("Removing a device ends what any browser of the account would go on with: it may be the stolen phone's")
    func browsers() async throws {
        let (server, account, client) = try await setUp()
        let id = try await TestDevice.signedIn(account, client).enrolled(account).id
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let page = try await server.bearerClient("page")
        let browser = TestBrowser(server)
        _ = try await browser.signIn(page.request()).code()
        let none = try page.request { $0["prompt"] = "none" }
        _ = try await browser.open(none).code()
        try await server.administer(["device", "remove", id.rawValue])
        #expect(try await browser.open(none).redirect()["error"] == "login_required")
    }

    @Test("An app that leaves its enrollment out is held to the device's state all the same")
    func leftOut() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        for _ in 0..<5 { _ = try await device.signIn(as: id, password: "a wrong one") }
        let hashes = server.context.passwords.hashesComputed
        let again = try await device.app.signIn(password: "a wrong one")
        #expect(again.errorCode == "device_deactivated")
        #expect(server.context.passwords.hashesComputed == hashes, "nothing is compared on a closed device")
        try await server.administer(["device", "reactivate", id.rawValue])
        try await server.administer(["device", "suspend", id.rawValue])
        let suspended = try await device.app.signIn()
        #expect(suspended.errorCode == "device_suspended")
    }

    @Test("attack: a removed device's failures never deactivate the wallet, and its proof is counted like a stranger's")
    func removedCounts() async throws {
        let (server, account, client) = try await setUp()
        let stolen = try await TestDevice.signedIn(account, client)
        let id = try await stolen.enrolled(account).id
        let removal = try await stolen.remove(id)
        #expect(removal == nil)
        for _ in 0..<6 { _ = try await stolen.signIn(as: id, password: "a wrong one") }
        for _ in 0..<6 { _ = try await stolen.app.signIn(password: "a wrong one") }
        #expect(try await server.record(of: account)?.state == .active)
        let counted = try await server.attempts()
        #expect(counted.contains { $0.tries >= 12 })
    }

    @Test("Another account's device cannot be renamed, removed or redirected")
    func foreignDevice() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        let stranger = try await TestDevice.signedIn(try await server.account("mallory"), client)
        let path = Endpoints.device.path(enrolled.id)
        let renamed = try await server.flows.signIn.devices.rename(
            enrolled.id, to: DeviceName("Mallory's"), call: stranger.call(.patch, path))
        #expect(renamed.refusal == .notFound)
        let removed = try await stranger.remove(enrolled.id)
        #expect(removed == .notFound)
        let address = PushAddress(token: try PushToken(String(repeating: "ab", count: 32)), environment: .production)
        let led = try await server.flows.signIn.devices.setPushAddress(
            address, of: enrolled.id, call: stranger.call(.put, Endpoints.devicePush.path(enrolled.id)))
        #expect(led.refusal == .notFound)
    }

    @Test("attack: a stolen password gives the holder's device no other name; its own session and two factors do")
    func renamedFromAfar() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        let thief = try await TestDevice.signedIn(account, client, methods: ["pwd"])
        let path = Endpoints.device.path(id)
        let refused = try await server.flows.signIn.devices.rename(
            id, to: DeviceName("Lost phone"), call: thief.call(.patch, path))
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300))
        let other = try await TestDevice.signedIn(account, client)
        for session in [device, other] {
            let renamed = try await server.flows.signIn.devices.rename(
                id, to: DeviceName("Ada's new phone"), call: session.call(.patch, path)
            ).get()
            #expect(renamed.name.rawValue == "Ada's new phone")
        }
    }

    @Test("An installation that has to confirm its code signs in only after that")
    func instanceCode() async throws {
        let (server, account, client) = try await setUp { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        #expect(enrolled.awaitsVerification)
        let refusal = try #require(try await device.signIn(as: enrolled.id).refusal)
        #expect(refusal.errorCode == "app_instance_unverified")
        #expect(refusal.statusCode == 511)
        // The code that was sent at the enrollment still counts.
        #expect(refusal.sentCode == CodeSending(isSent: false, resendAfter: 30))
        let session = try #require(refusal.session)
        server.clock.advance(by: .seconds(30))
        let again = try await device.app.proceed(session, .resendAppInstanceCode).refusal
        #expect(again?.sentCode == CodeSending(isSent: true, resendAfter: 60))
        let wrong = try #require(
            try await device.app.proceed(session, .appInstanceCode(OneTimeCode("000000x"))).refusal)
        #expect(wrong.errorCode == "invalid_credentials")
        let message = try #require(try await server.messages().first { $0.kind == "instance_code" })
        let code = try OneTimeCode(message.content.string("code") ?? "")
        _ = try await device.app.proceed(try #require(wrong.session), .appInstanceCode(code)).code()
        _ = try await device.signIn(as: enrolled.id).code()
    }
}

import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Approving an operation with a passkey in the app's own screen",
    .covers("a passkey's signature in that evidence", "passkeys in apps' own screens"),
    .threat("Passkey attacks"))
struct AppPasskeyConsentTests {
    /// A shop whose Ada has a passkey past its cooling period, and an app that the operator named to Apple's devices.
    private func open() async throws -> (TestShop, SoftwarePasskey) {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let account = try #require(try await server.accountID())
        let client = try await server.publicClient {
            $0.accessTokenLifetime = 1_800
            $0.appleAppIDs = ["ABCDE12345.com.example.wallet"]
            $0.androidApps = ["com.example.wallet=" + String(repeating: "0F", count: 32)]
        }
        let shop = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account,
            device: try await TestDevice.signedIn(account, client, methods: ["pwd"]))
        return (shop, passkey)
    }

    private func challenge(_ shop: TestShop, _ event: SCAEventID, id: String = "op-1") async throws -> [UInt8] {
        try #require(try await shop.challenge(.devicePasskey, of: event, id: id).get().passkey).challenge
    }

    private func use(
        _ passkey: SoftwarePasskey, _ challenge: [UInt8], on page: SoftwarePasskey.Page = .own
    ) throws -> String {
        try passkey.use(challenge, on: page).text
    }

    @Test(
        "It approves this operation as two categories, and the audit key is enough to verify the signature",
        arguments: ["https://auth.example.com", "android:apk-key-hash:Dw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8"])
    func agree(origin: String) async throws {
        let (shop, passkey) = try await open()
        let event = try await shop.required(TestShop.transfer())
        let page = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: origin)
        let value = try use(passkey, await challenge(shop, event), on: page)
        #expect(try await shop.attempt(value, .devicePasskey, at: event).get().status == .verified)
        let code = try await shop.consume(TestShop.transfer(), event: event).get().authenticationCode
        guard case .verified(let consent) = try shop.claims(of: code).basis else {
            Issue.record("no consent")
            return
        }
        #expect(Set(consent.methods).isSuperset(of: ["pop", "uv"]))
        let claims = try await shop.verifiedEvidence()
        let signature = try #require(claims.attempts.first?.passkey)
        #expect(claims.version == 2)
        #expect(signature.origin == origin)
        #expect(claims.attempts.first?.device == nil)
    }

    @Test("attack: what was signed for one operation approves no other one, nor does a sign-in's")
    func otherOperation() async throws {
        let (shop, passkey) = try await open()
        let first = try await shop.required(TestShop.transfer())
        let second = try await shop.required(TestShop.transfer(9_000_00, to: "Mallory"), id: "op-2")
        let other = try use(passkey, await challenge(shop, first))
        let own = try await challenge(shop, second, id: "op-2")
        #expect(
            try await shop.attempt(other, .devicePasskey, at: second, id: "op-2").get().reason == .invalidValue)
        let signIn = try use(passkey, await shop.device.app.passkeyOptions().challenge)
        #expect(
            try await shop.attempt(signIn, .devicePasskey, at: second, id: "op-2").get().reason == .invalidValue)
        // Neither used up what was signed for the right one.
        #expect(
            try await shop.attempt(use(passkey, own), .devicePasskey, at: second, id: "op-2").get().status == .verified)
    }

    @Test(
        "attack: another client's origin and no user verification each cost a try, another person's passkey none; nothing is approved"
    )
    func others() async throws {
        let (shop, passkey) = try await open()
        let eve = try await shop.server.reachableAccount("eve")
        var hers = try SoftwarePasskey()
        _ = try await TestDevice.signedIn(eve, shop.device.app.client).add(&hers).get()
        shop.server.clock.advance(by: .hours(24))
        let client = shop.device.app.client
        let fresh = shop.with(try await TestDevice.signedIn(shop.account, client, methods: ["pwd"]))
        let event = try await fresh.required(TestShop.transfer())
        let challenge = try await challenge(fresh, event)
        var unseen = passkey
        unseen.flags = [.userPresent]
        let foreign = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: "https://shop.example.com")
        for (value, left) in [
            (try use(hers, challenge), 5), (try use(passkey, challenge, on: foreign), 4),
            (try use(unseen, challenge), 3),
        ] {
            let outcome = try await fresh.attempt(value, .devicePasskey, at: event).get()
            #expect(outcome.status == .failed)
            #expect(outcome.remainingAttempts == Int64(left))
        }
        // What cannot be a response costs nothing.
        #expect(try await fresh.attempt("{}", .devicePasskey, at: event).get().remainingAttempts == 3)
        #expect(
            try await fresh.attempt(use(passkey, challenge), .devicePasskey, at: event).get().status == .verified)
    }

    @Test("attack: passkeys that are not the account's cost no try of any event, but after ten the app has to wait")
    func foreign() async throws {
        let (shop, passkey) = try await open()
        let event = try await shop.required(TestShop.transfer())
        let challenge = try await challenge(shop, event)
        for _ in 0..<10 {
            // A removed one, as the server knows none of them.
            var other = try SoftwarePasskey()
            other.userHandle = passkey.userHandle
            let outcome = try await shop.attempt(use(other, challenge), .devicePasskey, at: event).get()
            #expect(outcome.reason == .invalidValue)
            #expect(outcome.remainingAttempts == 5)
        }
        let held = try await shop.attempt(use(passkey, challenge), .devicePasskey, at: event)
        #expect(held.refusal == .tooManyAttempts(retryAfter: 60))
        shop.server.clock.advance(by: .minutes(1))
        #expect(try await shop.attempt(use(passkey, challenge), .devicePasskey, at: event).get().status == .verified)
    }

    @Test("attack: a challenge that another one replaced approves nothing")
    func replaced() async throws {
        let (shop, passkey) = try await open()
        let event = try await shop.required(TestShop.transfer())
        let former = try await challenge(shop, event)
        _ = try await challenge(shop, event)
        #expect(
            try await shop.attempt(use(passkey, former), .devicePasskey, at: event).get().reason == .invalidValue)
    }

    @Test("attack: a challenge that another one replaced during the comparison approves nothing, and costs no try")
    func replacedMeanwhile() async throws {
        let (shop, passkey) = try await open()
        let event = try await shop.required(TestShop.transfer())
        let value = try use(passkey, await challenge(shop, event))
        // Of the attempt's two writes, the first charges it and the second settles it.
        let server = shop.server
        server.beforeNextWrite { server.beforeNextWrite { _ = try await challenge(shop, event) } }
        let outcome = try await shop.attempt(value, .devicePasskey, at: event).get()
        #expect(outcome.reason == .notChallenged)
        #expect(outcome.remainingAttempts == 5)
        #expect(try await shop.consume(TestShop.transfer(), event: event).refusal != nil)
    }

    @Test("attack: of 64 attempts with one signature at once one is the consent, and it is carried out once")
    func race() async throws {
        let (shop, passkey) = try await open()
        let event = try await shop.required(TestShop.transfer())
        let value = try use(passkey, await challenge(shop, event))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = try await shop.attempt(value, .devicePasskey, at: event) } }
            try await group.waitForAll()
        }
        #expect(try await shop.server.rows(of: "sca_attempts") == 1)
        _ = try await shop.consume(TestShop.transfer(), event: event).get()
        #expect(try await shop.consume(TestShop.transfer(), event: event).refusal != nil)
    }

    @Test("It is not offered while the passkey is new, nor to an app that the operator named to no one's device")
    func notOffered() async throws {
        let (shop, _) = try await open()
        _ = try await shop.server.context.database.write {
            try $0.execute("UPDATE passkeys SET cooling_until = created_at + 864000000", [])
        }
        let event = try await shop.required(TestShop.transfer())
        guard case .verificationUnavailable? = try await shop.challenge(.devicePasskey, of: event).refusal else {
            Issue.record("a new passkey was challenged")
            return
        }
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let account = try #require(try await server.accountID())
        let plain = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account,
            device: try await TestDevice.signedIn(account, server.publicClient(), methods: ["pwd"]))
        let other = try await plain.required(TestShop.transfer())
        guard case .verificationUnavailable? = try await plain.challenge(.devicePasskey, of: other).refusal else {
            Issue.record("an app without passkeys was challenged")
            return
        }
    }
}

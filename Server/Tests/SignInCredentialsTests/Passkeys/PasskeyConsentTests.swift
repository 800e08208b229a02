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
    "Agreeing to an operation with a passkey",
    .covers("REDIRECT to ISSUER/consent", "a passkey's signature in that evidence"))
struct PasskeyConsentTests {
    /// A shop whose Ada has a passkey.
    private struct Setting {
        let consent: TestConsentPage
        var passkey: SoftwarePasskey

        var shop: TestShop { consent.shop }

        /// Asks for an operation, and opens the page for it.
        func page(
            _ id: String = "op-1", _ operation: WalletOperation? = nil
        ) async throws -> (event: SCAEventID, browser: TestConsentBrowser) {
            let event = try await shop.required(operation ?? TestShop.transfer(), id: id)
            return (event, try await consent.browser(ticket(of: event, id: id)))
        }

        /// Challenges the passkey: the link's ticket.
        func ticket(of event: SCAEventID, id: String = "op-1") async throws -> String {
            let challenge = try await shop.challenge(
                .passkey, of: event, id: id, returnURL: TestConsentPage.returnURL
            ).get()
            let url = try #require(challenge.redirectURL?.rawValue)
            let query = try FormParameters(parsing: String(url.drop { $0 != "?" }.dropFirst()))
            return try #require(query["ticket"])
        }

        func outcome(of event: SCAEventID, id: String = "op-1") async throws -> SCAAttemptResponse {
            try await shop.attempt(nil, .passkey, at: event, id: id).get()
        }
    }

    /// - Parameter cooling: how long the passkey is still inside its cooling period.
    private func open(
        cooling: Duration = .zero, _ algorithm: PasskeyAlgorithm = .es256
    ) async throws -> Setting {
        let consent = try await TestConsentPage.open()
        let passkey = try await add(to: consent.shop.account, consent.shop.server, cooling: cooling, algorithm)
        return Setting(consent: consent, passkey: passkey)
    }

    private func add(
        to account: AccountID, _ server: TestServer, cooling: Duration = .zero,
        _ algorithm: PasskeyAlgorithm = .es256
    ) async throws -> SoftwarePasskey {
        var passkey = try SoftwarePasskey(algorithm)
        passkey.userHandle = account.bytes
        let id = try server.context.random.uniqueID()
        let record = PasskeyRecord(
            id: id, credentialID: passkey.credentialID, accountID: try #require(UniqueID(bytes: account.bytes)),
            relyingParty: "auth.example.com", publicKey: try passkey.publicKey, counter: 0, isBackupEligible: false,
            isBackedUp: false, transports: [],
            name: try PasskeyVault(server.context.sealing).seal("Laptop", .name, of: id),
            createdAt: server.clock.now(), coolingUntil: server.clock.now() + cooling)
        let added = try await server.context.database.write { try Passkeys.add(record, limit: 20, on: $0) }
        try #require(added == .added)
        return passkey
    }

    @Test("A passkey approves this very operation, as two categories, and once")
    func agree() async throws {
        let setting = try await open()
        var (event, browser) = try await setting.page()
        let options = try #require(browser.page?.passkey)
        let use = try setting.passkey.use(options.challenge, on: .own)
        try await browser.press(.usePasskey(use))
        let attempts = try await setting.shop.server.rows(of: "sca_attempts")
        try await browser.press(.usePasskey(use))
        let attemptsAfter = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(attempts == 1)
        #expect(attemptsAfter == 1, "the same signature again is not looked at")
        #expect(browser.location?.hasPrefix(TestConsentPage.returnURL) == true)
        #expect(try await setting.outcome(of: event).status == .verified)
        let authorized = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let found = try setting.shop.claims(of: authorized.authenticationCode).basis
        guard case .verified(let consent) = found else {
            Issue.record("it is exempt: \(String(describing: found))")
            return
        }
        #expect(Set(consent.methods) == ["otp", "pop", "uv"])
    }

    @Test(
        "The evidence has the passkey's own signature, and the audit key is enough to verify it against the operation",
        arguments: PasskeyAlgorithm.allCases)
    func evidence(algorithm: PasskeyAlgorithm) async throws {
        let setting = try await open(algorithm)
        var (event, browser) = try await setting.page()
        let use = try setting.passkey.use(try #require(browser.page?.passkey).challenge, on: .own)
        try await browser.press(.usePasskey(use))
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let keys = try JWKSet(try await setting.shop.server.administer(["audit", "key"]))
        let document = try await setting.shop.evidence()
        let claims = try document.verified(by: keys) { try? RS256Verifier($0) }
        #expect(claims.version == 2)
        let signature = try #require(claims.attempts.first?.passkey)
        #expect(signature.clientData == use.clientData)
        #expect(signature.authenticatorData == use.authenticatorData)
        #expect(signature.signature == use.signature)
        #expect(signature.credentialID == setting.passkey.credentialID)
        #expect(try signature.publicKey == setting.passkey.publicKey)
        #expect(signature.relyingPartyID == "auth.example.com")
        #expect(signature.origin == "https://auth.example.com")
        if algorithm == .rs256 {
            #expect(throws: EvidenceFault.unverifiable("the passkey's signature of attempt 1 is by an RSA key")) {
                try document.verified(by: keys)
            }
        }
    }

    @Test(
        "attack: two proofs by one passkey in one browser do not reveal that it was one browser, nor what its cookie is",
        .threat("Phishing for a consent")
    )
    func unlinked() async throws {
        let setting = try await open()
        var browsers: [[UInt8]] = []
        var passkey = setting.passkey
        var cookies = BrowserCookies()
        for id in ["op-1", "op-2"] {
            let event = try await setting.shop.required(TestShop.transfer(), id: id)
            var browser = TestConsentBrowser(server: setting.shop.server)
            browser.cookies = cookies
            try await browser.open(setting.ticket(of: event, id: id))
            cookies = browser.cookies
            passkey.counter += 1
            try await browser.press(
                .usePasskey(passkey.use(try #require(browser.page?.passkey).challenge, on: .own)))
            let claims = try await setting.shop.verifiedEvidence(id)
            browsers.append(try #require(claims.attempts.first?.passkey).browser)
        }
        #expect(browsers[0] != browsers[1])
        let cookie = try #require(cookies.binding)
        #expect(!browsers.contains(PageSeal.digest(of: cookie)))
    }

    @Test("The proof of what a passkey agreed to is the same when the server has another domain, and holds")
    func formerDomain() async throws {
        let setting = try await open()
        var (event, browser) = try await setting.page()
        let use = try setting.passkey.use(try #require(browser.page?.passkey).challenge, on: .own)
        try await browser.press(.usePasskey(use))
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let before = try await setting.shop.verifiedEvidence()
        let moved = try await setting.shop.server.moved(to: "https://id.example.com")
        let after = try await setting.shop.at(moved).verifiedEvidence()
        #expect(after == before)
        #expect(after.attempts.first?.passkey?.relyingPartyID == "auth.example.com")
    }

    @Test("attack: what was signed for one operation agrees to no other one (dynamic linking), nor does a sign-in's")
    func otherOperation() async throws {
        let setting = try await open()
        let (_, first) = try await setting.page("op-1")
        var (event, second) = try await setting.page("op-2", TestShop.transfer(9_000_00, to: "Mallory"))
        let other = try setting.passkey.use(try #require(first.page?.passkey).challenge, on: .own)
        try await second.press(.usePasskey(other))
        #expect(second.page?.notice == .wrong(remaining: 4))
        let client = try await setting.shop.server.publicClient("other")
        let signIn = try await TestBrowser(setting.shop.server).open(client.request()).page()
        let challenge = try #require(signIn.passkey).challenge
        try await second.press(.usePasskey(setting.passkey.use(challenge, on: .own)))
        #expect(second.page?.notice == .wrong(remaining: 3))
        #expect(try await setting.outcome(of: event, id: "op-2").status == .failed)
    }

    @Test(
        "attack: a passkey in another browser and none at all cost a try, another account's costs none; nothing is agreed to"
    )
    func others() async throws {
        let setting = try await open()
        let eve = try await setting.shop.server.reachableAccount("eve")
        let hers = try await add(to: eve, setting.shop.server)
        let event = try await setting.shop.required(TestShop.transfer())
        let ticket = try await setting.ticket(of: event)
        var browser = try await setting.consent.browser(ticket)
        try await browser.press(.usePasskey(hers.use(try #require(browser.page?.passkey).challenge, on: .own)))
        #expect(browser.page?.notice == .wrong(remaining: 5))
        let mine = try setting.passkey.use(try #require(browser.page?.passkey).challenge, on: .own)
        var other = try await setting.consent.browser(ticket)
        try await other.press(.usePasskey(mine))
        #expect(other.page?.notice == .wrong(remaining: 4))
        try await other.press(.usePasskey(nil))
        #expect(other.page?.notice == .wrong(remaining: 3))
        #expect(try await setting.outcome(of: event).status == .failed)
    }

    @Test(
        "attack: a passkey in its cooling period is offered for no payment, and agrees to none even if a settled one exists"
    )
    func cooling() async throws {
        let setting = try await open(cooling: .hours(24))
        let event = try await setting.shop.required(TestShop.transfer())
        let refused = try await setting.shop.challenge(.passkey, of: event, returnURL: TestConsentPage.returnURL)
        guard case .verificationUnavailable(let offered)? = refused.refusal else {
            Issue.record("it was challenged: \(String(describing: refused.refusal))")
            return
        }
        #expect(!offered.contains { $0.verification == .passkey })
        _ = try await add(to: setting.shop.account, setting.shop.server)
        var (_, browser) = try await setting.page("op-2")
        try await browser.press(
            .usePasskey(setting.passkey.use(try #require(browser.page?.passkey).challenge, on: .own)))
        #expect(browser.page?.notice == .wrong(remaining: 4))
    }
}

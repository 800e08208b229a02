import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on passkeys")
struct PasskeyAttackTests {
    /// Whether a sign-in was refused without a word of why.
    private func isRefused(_ outcome: AuthorizationAnswer.Outcome) throws -> Bool {
        let page = try outcome.page()
        return page.notice == .passkeyRefused && page.step == .credentials(username: nil)
    }

    private func registered() async throws -> (TestServer, TestClient, SoftwarePasskey) {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        return (server, try await server.publicClient(), passkey)
    }

    @Test(
        "attack: a use on a page of another origin, in a frame, or for another relying party does not sign in",
        arguments: [
            ("auth.example.com", "https://auth.example.com.evil.example", false),
            ("auth.example.com", "http://auth.example.com", false),
            ("auth.example.com", "https://auth.example.com:8443", false),
            ("auth.example.com", "https://auth.example.com", true), ("example.com", "https://auth.example.com", false),
            ("evil.example", "https://auth.example.com", false),
        ])
    func wrongSite(party: String, origin: String, isFramed: Bool) async throws {
        let (server, client, passkey) = try await registered()
        var site = SoftwarePasskey.Page(relyingParty: party, origin: origin)
        if isFramed { site.crossOrigin = true }
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey, on: site)))
        let browser = TestBrowser(server)
        #expect(try isRefused(await browser.signIn(to: client, with: passkey, on: site)))
        #expect(browser.cookies.session == nil)
    }

    @Test("attack: a use without user verification does not sign in, and no such registration is accepted")
    func noUserVerification() async throws {
        var (server, client, passkey) = try await registered()
        passkey.flags = [.userPresent]
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey)))
        _ = try await server.reachableAccount("eve")
        var unseen = try SoftwarePasskey()
        unseen.flags = [.userPresent]
        #expect(try await TestBrowser(server).add(&unseen, for: "eve").notice == .passkeyNotTaken)
        #expect(try await server.rows(of: "passkeys") == 1)
    }

    @Test(
        "attack: a use that was seen cannot be replayed, in its browser or another, and neither can one for another page's browser"
    )
    func replay() async throws {
        let (server, client, passkey) = try await registered()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        let use = try passkey.use(try #require(page.passkey).challenge, on: .own)
        let before = browser.cookies
        _ = try await browser.submit(page, .usePasskey(use)).code()
        browser.cookies = before
        #expect(try isRefused(await browser.submit(page, .usePasskey(use))), "the same form again")

        let thief = TestBrowser(server)
        let own = try await thief.open(client.request()).page()
        #expect(try isRefused(await thief.submit(own, .usePasskey(use))), "another browser")
        // One that was never used, made for the holder's browser and stolen on the way.
        let victim = TestBrowser(server)
        let theirs = try await victim.open(client.request()).page()
        let stolen = try passkey.use(try #require(theirs.passkey).challenge, on: .own)
        #expect(try isRefused(await thief.submit(own, .usePasskey(stolen))))
        _ = try await victim.submit(theirs, .usePasskey(stolen)).code()
    }

    @Test("attack: of 32 uses of one challenge at once one signs in")
    func race() async throws {
        let (server, client, passkey) = try await registered()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        let use = try passkey.use(try #require(page.passkey).challenge, on: .own)
        let submission = PageSubmission(
            request: page.request, csrf: page.csrf, action: SignInPage.Action.usePasskey(use))
        let cookies = browser.cookies
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    let answer = try await server.flows.signIn.authorization.submit(
                        submission, cookies: cookies, origin: TestServer.origin)
                    if case .redirect = answer.outcome { return true }
                    return false
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 1)
    }

    @Test("attack: a challenge that was made for a registration, for another use, or not by the server at all is none")
    func foreignChallenge() async throws {
        let (server, client, passkey) = try await registered()
        let holder = TestBrowser(server)
        let management = try await holder.openPasskeys()
        let creation = try #require(management.passkeys?.creation)
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        for challenge in [creation.challenge, [UInt8](repeating: 7, count: 32), []] {
            #expect(
                try isRefused(await browser.submit(page, .usePasskey(passkey.use(challenge, on: .own)))))
        }
        // And the other way round: the sign-in's own, in the place of the registration's.
        var more = try SoftwarePasskey()
        more.userHandle = creation.userHandle
        let mixed = try more.register(try #require(page.passkey).challenge, on: .own)
        let refused = try await holder.press(.changePasskeys(.add(mixed, name: "x")), on: management).accountPage()
        #expect(refused.notice == .passkeyNotTaken)
    }

    @Test("attack: a challenge serves as long as its page, and no longer")
    func oldChallenge() async throws {
        let (server, client, passkey) = try await registered()
        let browser = TestBrowser(server)
        let old = try #require(try await browser.open(client.request()).page().passkey)
        server.clock.advance(by: PageState.lifetime)
        let page = try await browser.open(client.request()).page()
        #expect(try isRefused(await browser.submit(page, .usePasskey(passkey.use(old.challenge, on: .own)))))
    }

    @Test("attack: a passkey opens only its own account, whomever it claims to belong to", .threat("Passkey attacks"))
    func otherAccount() async throws {
        var (server, client, passkey) = try await registered()
        let eve = try await server.reachableAccount("eve")
        let own = passkey.userHandle
        passkey.userHandle = eve.bytes
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey)))
        passkey.userHandle = nil
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey)))
        passkey.userHandle = own
        // Another key under the same name.
        var forged = try SoftwarePasskey()
        forged.credentialID = passkey.credentialID
        forged.userHandle = own
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: forged)))
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).code()
    }

    @Test("attack: a registration for one account is not taken for another, nor in another sign-in of the same")
    func foreignRegistration() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        _ = try await server.reachableAccount("eve")
        let ada = try await TestBrowser(server).openPasskeys()
        let challenge = try #require(ada.passkeys?.creation).challenge
        let made = try SoftwarePasskey().register(challenge, on: .own)
        for name in ["eve", "ada"] {
            let browser = TestBrowser(server)
            server.clock.advance(by: .seconds(31))
            let page = try await browser.openPasskeys(name)
            let refused = try await browser.press(.changePasskeys(.add(made, name: "x")), on: page).accountPage()
            #expect(refused.notice == .passkeyNotTaken)
        }
        #expect(try await server.rows(of: "passkeys") == 0)
    }

    @Test(
        "attack: a credential id that names another person's passkey is refused, and the response does not say whose it is"
    )
    func takenID() async throws {
        let (server, client, passkey) = try await registered()
        _ = try await server.reachableAccount("eve")
        var twin = try SoftwarePasskey()
        twin.credentialID = passkey.credentialID
        let page = try await TestBrowser(server).add(&twin, for: "eve")
        #expect(page.notice == .passkeyNotTaken)
        #expect(page.passkeys?.passkeys.isEmpty == true)
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).code()
    }

    @Test("attack: a counter that goes back is a copied key: refused, and the holder is notified once a day")
    func counterBack() async throws {
        var (server, client, passkey) = try await registered()
        passkey.counter = 5
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).code()
        #expect(try await server.passkeyCounter() == 5)
        for counter: UInt32 in [5, 4, 0] {
            passkey.counter = counter
            #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey)))
        }
        #expect(try await server.passkeyCounter() == 5)
        let told = try await server.messages().filter { $0.kind == "passkey_copied" }
        #expect(told.count == 1)
        #expect(try told.first?.content.string("to") == "ada@example.com")
        let recorded = try await server.context.database.read {
            try $0.row(
                "SELECT COUNT(*) AS number FROM security_events WHERE kind = 'passkey.counter_behind'",
                [])?.integer("number")
        }
        #expect(recorded == 3)
        passkey.counter = 6
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).code()
    }

    @Test("attack: another brand's app is not signed in to by a passkey")
    func otherBrand() async throws {
        let (server, _, passkey) = try await registered()
        try await server.administer(["brand", "create", "aurora", "--name", "Aurora"])
        let client = try await server.publicClient("aurora-app") { $0.brand = "aurora" }
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: passkey)))
    }

    @Test("attack: an unknown passkey, a known one with a wrong signature, and nonsense get the same response")
    func enumeration() async throws {
        let (server, client, passkey) = try await registered()
        let stranger = try SoftwarePasskey()
        #expect(try isRefused(await TestBrowser(server).signIn(to: client, with: stranger)))
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        var tampered = try passkey.use(try #require(page.passkey).challenge, on: .own)
        tampered.signature[8] ^= 1
        #expect(try isRefused(await browser.submit(page, .usePasskey(tampered))))
        #expect(try isRefused(await browser.submit(page, .usePasskey(nil))))
        #expect(try await server.messages().filter { $0.kind.hasPrefix("passkey_copied") }.isEmpty)
    }

    @Test(
        "attack: huge, deep, truncated and endless CBOR, and a key of an algorithm that is not offered, are refused",
        .threat("Passkey attacks"))
    func hostileRegistration() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        var page = try await browser.openPasskeys()
        let nested = [UInt8](repeating: 0x81, count: 30_000) + [0x01]
        let announced: [UInt8] = [0x9B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        let attacks: [([UInt8]) -> [UInt8]] = [
            { _ in [UInt8](repeating: 0x40, count: 1 << 20) }, { _ in nested }, { _ in announced },
            { $0.dropLast(9) }, { $0 + [0x00] }, { _ in [0x9F] }, { _ in [] },
            // ES256's -7 made -9: a number that no option names.
            { object in
                guard let start = object.firstRange(of: [0xA5, 0x01, 0x02, 0x03, 0x26])?.upperBound else { return [] }
                var object = object
                object[start - 1] = 0x28
                return object
            },
        ]
        for attack in attacks {
            let creation = try #require(page.passkeys?.creation)
            var made = try SoftwarePasskey().register(creation.challenge, on: .own)
            made.attestationObject = attack(made.attestationObject)
            page = try await browser.press(.changePasskeys(.add(made, name: "x")), on: page).accountPage()
            #expect(page.notice == .passkeyNotTaken)
        }
        let creation = try #require(page.passkeys?.creation)
        var wrongSite = SoftwarePasskey.Page.own
        wrongSite.origin = "https://auth.example.com.evil.example"
        let phished = try SoftwarePasskey().register(creation.challenge, on: wrongSite)
        page = try await browser.press(.changePasskeys(.add(phished, name: "x")), on: page).accountPage()
        #expect(page.notice == .passkeyNotTaken)
        #expect(try await server.rows(of: "passkeys") == 0)
    }
}

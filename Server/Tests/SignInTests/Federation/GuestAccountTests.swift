import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("An account for a person whom a provider knows", .threat("Integrators' backends"))
struct GuestAccountTests {
    private static func email(_ address: String, verified: Bool) -> (inout JSONObject) -> Void {
        return {
            $0.set("email", address)
            $0["email_verified"] = .bool(verified)
        }
    }

    private func record(_ server: TestServer, _ username: String = "ada") async throws -> AccountRecord? {
        try await server.context.database.read { try Accounts.find(named: username, brand: "default", on: $0) }
    }

    @Test("attack: linking by e-mail: an address, verified or not, never leads to the account that has it")
    func neverByEmail() async throws {
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        _ = try await setting.server.reachableAccount("ada")
        for verified in [true, false] {
            let outcome = try await setting.app.signIn(
                at: setting.provider, Self.email("ada@example.com", verified: verified))
            #expect(outcome.errorCode == "no_matching_guest")
        }
    }

    @Test(
        "account show names no missing password where a provider's word opens the account, and does once that is gone")
    func passwordlessByDesign() async throws {
        let setting = try await ProviderApp.setUp()
        let server = setting.server
        let guest = try await setting.app.signIn(at: setting.provider).guest()
        _ = try await setting.app.createAccount(guest).code()
        #expect(try await record(server)?.password == nil)
        let ada = AdminRequest(["account", "show", "ada"])
        #expect(try await server.administer(ada)["hindrances"] == nil)
        try await server.administer(["provider", "remove", "example"])
        let left = try await server.administer(ada)["hindrances"]?.strings
        #expect(left == ["It has no password yet: run `walletauth account set-password ada`."])
    }

    @Test("An address is verified only where the provider says so, is believed, and it is the very address")
    func emailVerification() async throws {
        for (trusts, told, asked, state) in [
            (true, true, nil, EmailState.verified), (true, false, nil, .unverified), (false, true, nil, .unverified),
            (true, true, "other@example.com", .unverified), (true, true, "ada@example.com", .verified),
            (true, true, "Ada@example.com", .unverified),
        ] as [(Bool, Bool, String?, EmailState)] {
            let setting = try await ProviderApp.setUp(trustsEmail: trusts)
            let guest = try await setting.app
                .signIn(at: setting.provider, Self.email("ada@example.com", verified: told)).guest()
            let outcome = try await setting.app.createAccount(guest) {
                $0.email = try asked.map { try EmailAddress($0) }
            }
            let record = try await record(setting.server)
            #expect(record?.emailState == state, "\(trusts) \(told) \(asked ?? "-")")
            #expect(outcome.errorCode == (state == .verified ? nil : "email_unverified"))
        }
    }

    @Test("attack: an address that Unicode calls equal to the provider's is another mailbox, and not verified")
    func equivalentAddress() async throws {
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        let guest = try await setting.app
            .signIn(at: setting.provider, Self.email("\u{e9}ve@example.com", verified: true)).guest()
        let outcome = try await setting.app.createAccount(guest) {
            $0.email = try EmailAddress("e\u{301}ve@example.com")
        }
        #expect(outcome.errorCode == "email_unverified")
    }

    @Test(
        "attack: no telephone number is taken from a guest, who could otherwise trigger paid messages by creating accounts"
    )
    func noPhone() throws {
        var body = JSONObject(strings: [
            "clientId": "app", "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "authSession": "session",
            "username": "ada",
        ])
        _ = try AccountCreationRequest(body)
        body.set("phone", "+35921234567")
        let refused = #expect(throws: MalformedValue.self) { try AccountCreationRequest(body) }
        #expect(refused?.field == "phone")
    }

    @Test("An address that mail cannot reach is refused before there is an account, and named")
    func unreachableAddress() throws {
        var body = JSONObject(strings: [
            "clientId": "app", "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "authSession": "session",
            "username": "ada",
        ])
        for email in ["ada@example..com", "a..b@example.com", String(repeating: "a", count: 65) + "@example.com"] {
            body.set("email", email)
            let refused = #expect(throws: MalformedValue.self) { try AccountCreationRequest(body) }
            #expect(refused?.field == "email")
        }
        body.set("email", "\tada@example.com ")
        #expect(try AccountCreationRequest(body).email?.rawValue == "ada@example.com")
    }

    @Test("An unverified address is confirmed by its code, and the sign-in goes on")
    func confirmed() async throws {
        let setting = try await ProviderApp.setUp()
        let guest = try await setting.app
            .signIn(at: setting.provider, Self.email("ada@example.com", verified: true)).guest()
        let outcome = try await setting.app.createAccount(guest)
        let refusal = try #require(outcome.refusal)
        #expect(refusal.statusCode == 418)
        let session = try #require(refusal.session)
        let confirmed = try await setting.app.proceed(session, .emailCode(setting.server.emailedCode()))
        let tokens = try await setting.app.redeem(confirmed.code()).tokens()
        // It is the provider's own, and shows nothing beyond the provider's word.
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.amr == ["fed"])
    }

    @Test("A taken name is reported, and the same session takes another one")
    func nameTaken() async throws {
        let setting = try await ProviderApp.setUp()
        _ = try await setting.server.account("ada")
        let guest = try await setting.app.signIn(at: setting.provider).guest()
        let taken = try await setting.app.createAccount(guest)
        #expect(taken.errorCode == "username_taken")
        #expect(taken.refusal?.status == 409)
        #expect(taken.refusal?.session == guest)
        let links = try await setting.server.rows(of: "federated_identities")
        #expect(links == 0)
        _ = try await setting.app.createAccount(guest, username: "ada2").code()
    }

    @Test("attack: a guest gets no name that looks like another account's, and no address but the provider's as a name")
    func misleadingNames() async throws {
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        _ = try await setting.server.account("bob")
        let guest = try await setting.app
            .signIn(at: setting.provider, Self.email("ada@example.com", verified: true)).guest()
        let alike = try await setting.app.createAccount(guest, username: "b0b")
        #expect(alike.errorCode == "username_taken")
        #expect(alike.refusal?.status == 409)
        let foreign = try await setting.app.createAccount(guest, username: "victim@example.com") {
            $0.email = try EmailAddress("victim@example.com")
        }
        guard case .invalid = foreign else {
            Issue.record("\(foreign)")
            return
        }
        let links = try await setting.server.rows(of: "federated_identities")
        #expect(links == 0)
        _ = try await setting.app.createAccount(guest, username: "ada@example.com").code()
    }

    @Test("attack: no guest takes as a name an address that the provider did not verify, or that another account has")
    func addressesAsNames() async throws {
        let told = Self.email("ada@example.com", verified: false)
        let unverified = try await ProviderApp.setUp(trustsEmail: true)
        let stranger = try await unverified.app.signIn(at: unverified.provider, told).guest()
        guard case .invalid = try await unverified.app.createAccount(stranger, username: "ada@example.com") else {
            Issue.record("An unverified address is a name.")
            return
        }
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        _ = try await setting.server.reachableAccount("ada")
        let guest = try await setting.app
            .signIn(at: setting.provider, Self.email("ada@example.com", verified: true)).guest()
        let taken = try await setting.app.createAccount(guest, username: "ada@example.com")
        #expect(taken.errorCode == "username_taken")
        _ = try await TestApp(client: setting.app.client).signIn("ada@example.com").asked()
    }

    @Test("The same request again, its answer lost, signs in to the account that it made; 16 at once make one")
    func repeated() async throws {
        let setting = try await ProviderApp.setUp()
        let app = setting.app
        let guest = try await app.signIn(at: setting.provider).guest()
        let codes = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<16 {
                group.addTask { try await app.createAccount(guest, username: "name-\(number)").errorCode }
            }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(codes.allSatisfy { $0 == nil })
        let accounts = try await setting.server.rows(of: "accounts")
        #expect(accounts == 1)
    }

    @Test("attack: one guest's proof opens one session, however often the account is requested")
    func oneSession() async throws {
        let setting = try await ProviderApp.setUp()
        let guest = try await setting.app.signIn(at: setting.provider).guest()
        let codes = [
            try await setting.app.createAccount(guest).code(), try await setting.app.createAccount(guest).code(),
        ]
        _ = try await setting.app.redeem(codes[1]).tokens()
        let refused = try await setting.app.redeem(codes[0])
        #expect(refused.refusal == .invalidGrant)
        let sessions = try await setting.server.rows(of: "sessions WHERE revoked_at IS NULL")
        #expect(sessions == 1)
    }

    @Test("attack: a guest's session opens no account that was secured since, or that was there before it")
    func outdated() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, app, database) = (setting.server, setting.app, setting.server.context.database)
        let guest = try await app.signIn(at: setting.provider).guest()
        _ = try await app.createAccount(guest).code()
        // Its own answer was lost.
        _ = try await app.createAccount(guest).code()
        let account = try #require(try await record(server))
        try await database.write { try Accounts.raiseSecurityVersionKeepingSessions(of: account.id, on: $0) }
        #expect(try await app.createAccount(guest).errorCode == "bad_request")
        // Here the identity was joined, after the offer, to an account that is older.
        _ = try await server.account("grace")
        let owner = try #require(try await record(server, "grace"))
        server.clock.advance(by: .seconds(1))
        let late = try await app.signIn(at: setting.provider, as: "sub-2").guest()
        let digest = try #require(
            GuestSession.sealed(by: server.context.sealing).open(late.reveal(), now: server.clock.now())?.identity
                .digest)
        let joined = FederatedIdentityRecord(
            brandID: "default", digest: digest, accountID: owner.id, providerID: "example", subject: [1],
            linkedAt: server.clock.now(), assertsAddress: false)
        let isLinked = try await database.write { try FederatedIdentities.link(joined, on: $0) }
        #expect(isLinked)
        #expect(try await app.createAccount(late).errorCode == "bad_request")
    }

    @Test("attack: a guest's session in another app, with another key, another verifier, too late, or as another kind")
    func bindings() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, app) = (setting.server, setting.app)
        let guest = try await app.signIn(at: setting.provider).guest()
        let late = try await app.signIn(at: setting.provider, as: "sub-2").guest()
        let other = try await server.publicClient("other-app")
        #expect(try await app.createAccount(guest, client: other).errorCode == "bad_request")
        #expect(try await TestApp(client: app.client).createAccount(guest).errorCode == "bad_request")
        let verifier = try CodeVerifier(String(repeating: "v", count: 43))
        let otherChallenge = try await app.createAccount(guest) { $0.codeChallenge = CodeChallenge(verifier: verifier) }
        #expect(otherChallenge.errorCode == "bad_request")
        let asStep = try await app.proceed(guest, .resendEmail)
        #expect(asStep.isOver)
        let before = try await server.rows(of: "accounts")
        #expect(before == 0)
        // Where nothing is wrong, it makes the account up to its last second.
        server.clock.advance(by: .minutes(10) - .seconds(1))
        _ = try await app.createAccount(guest).code()
        server.clock.advance(by: .seconds(1))
        #expect(try await app.createAccount(late, username: "grace").errorCode == "bad_request")
        let accounts = try await server.rows(of: "accounts")
        #expect(accounts == 1)
    }

    /// A guest as servers sealed one before it held its identity as a member.
    private struct FormerGuest: Codable {
        var provider: ProviderID
        var registration: [UInt8]
        var brand: BrandID
        var digest: [UInt8]
        var subject: String
        var isEmailVerified: Bool
        var authTime: Timestamp
        var client: ClientID
        var thumbprint: JWKThumbprint
        var challenge: CodeChallenge
        var scope: Scope
        var requiredACR: [String]

        init(_ guest: GuestSession) {
            provider = guest.identity.provider
            registration = guest.identity.registration
            brand = guest.identity.brand
            digest = guest.identity.digest
            subject = guest.identity.subject
            isEmailVerified = guest.identity.isEmailVerified
            authTime = guest.identity.provenAt
            client = guest.client
            thumbprint = guest.thumbprint
            challenge = guest.challenge
            scope = guest.scope
            requiredACR = guest.requiredACR
        }
    }

    @Test("A guest's session that was sealed in another form counts as expired, and the next sign-in makes the account")
    func formerForm() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, app) = (setting.server, setting.app)
        let session = try await app.signIn(at: setting.provider).guest()
        let now = server.clock.now()
        let guest = try #require(GuestSession.sealed(by: server.context.sealing).open(session.reveal(), now: now))
        let former = SealedState<FormerGuest>(
            server.context.sealing, purpose: .signIn, label: "guest-session", lifetime: ProvenIdentity.guestLifetime)
        let sealed = try AuthSession(former.seal(FormerGuest(guest), now: now))
        let refused = try await app.createAccount(sealed)
        #expect(refused.errorCode == "bad_request")
        #expect(refused.refusal?.status == 400)
        let accounts = try await server.rows(of: "accounts")
        #expect(accounts == 0)
        _ = try await app.createAccount(app.signIn(at: setting.provider).guest()).code()
    }

    @Test("A provider that was removed between sign-in and enrollment vouches for no account")
    func providerRemoved() async throws {
        let setting = try await ProviderApp.setUp()
        let guest = try await setting.app.signIn(at: setting.provider).guest()
        try await setting.server.administer(["provider", "remove", "example"])
        #expect(try await setting.app.createAccount(guest).errorCode == "bad_request")
    }

    @Test(
        "attack: a provider that got another's name, or other terms, vouches for no guest of the former one",
        .threat("A forged or misused provider identity"))
    func providerReplaced() async throws {
        let (first, second) = (TestProvider(), TestProvider(issuer: "https://other.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(first, second))
        let app = TestApp(client: try await server.publicClient())
        for (provider, trusts) in [(second, true), (first, false)] {
            try await server.add(first, trustsEmail: true)
            let guest = try await app.signIn(at: first, Self.email("ada@example.com", verified: true)).guest()
            try await server.administer(["provider", "remove", "example"])
            try await server.add(provider, trustsEmail: trusts)
            #expect(try await app.createAccount(guest).errorCode == "bad_request")
            try await server.administer(["provider", "remove", "example"])
        }
        let accounts = try await server.rows(of: "accounts")
        #expect(accounts == 0)
    }

    @Test("Trying names is slowed like trying passwords")
    func names() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http) { $0.lockout.network.failures = 4 }
        try await server.add(provider)
        _ = try await server.account("ada")
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider).guest()
        for _ in 0..<4 { #expect(try await app.createAccount(guest).errorCode == "username_taken") }
        #expect(try await app.createAccount(guest).refusal?.status == 429)
    }

    @Test("What was accepted is written down; export tells the identity, and erasure unlinks it")
    func personalData() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, app) = (setting.server, setting.app)
        let guest = try await app.signIn(at: setting.provider).guest()
        _ = try await app.createAccount(guest) {
            $0.acceptedTerms = "2026-11"
            $0.locale = try? LocaleTag("bg")
        }.code()
        let record = try await record(server)
        #expect(record?.locale == "bg")
        let exported = try await server.administer(["account", "export", "ada"])
        let identity = try #require(exported["identities"]?.array?.first?.object)
        #expect(identity["provider"] == "example")
        #expect(identity["subject"] == "sub-1")
        let linked = exported["events"]?.array?.compactMap(\.object).first { $0["event"] == "identity.linked" }
        #expect(linked?["details"]?.object?["properties"]?.object?["accepted_terms"] == "2026-11")
        try await server.administer(["account", "erase", "ada"])
        #expect(try await app.signIn(at: setting.provider).errorCode == "no_matching_guest")
    }
}

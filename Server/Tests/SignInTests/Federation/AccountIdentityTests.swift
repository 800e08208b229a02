import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Joining a provider's identity to an account that exists", .threat("Linking someone else's identity"),
    .covers("/v1/account/federated-identities"))
struct AccountIdentityTests {
    private struct Setting {
        let provider: TestProvider
        let server: TestServer
        let app: TestApp
        let account: AccountID

        /// The app's session of an account.
        func session(
            _ account: AccountID? = nil, methods: [String] = ["pwd", "otp"], app other: TestApp? = nil
        ) async throws -> TestDevice {
            let app = other ?? app
            return TestDevice(
                app: app,
                tokens: try await app.client.signIn(account ?? self.account, proof: app.key, methods: methods))
        }

        /// What carries on a sign-in that found no account.
        func guest(_ subject: String = "sub-1", app other: TestApp? = nil) async throws -> AuthSession {
            try await (other ?? app).signIn(at: provider, as: subject).guest()
        }

        func events(_ kind: String) async throws -> Int {
            try await server.context.database.read {
                try $0.query("SELECT id FROM security_events WHERE kind = $1", [.text(kind)]).count
            }
        }
    }

    private func setUp() async throws -> Setting {
        let provider = TestProvider()
        return try await setUp(provider, on: try await TestServer.start(providers: provider.http))
    }

    private func setUp(_ provider: TestProvider, on server: TestServer) async throws -> Setting {
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        return Setting(provider: provider, server: server, app: app, account: try await server.reachableAccount("ada"))
    }

    private func join(_ guest: AuthSession, _ device: TestDevice) async throws -> Result<JoinedIdentity, FactorRefusal>
    {
        try await device.app.client.server.flows.signIn.federation.identities.join(
            IdentityJoining(session: guest), call: device.call(.put, Endpoints.accountIdentities.path))
    }

    private func list(_ device: TestDevice) async throws -> [JoinedIdentity] {
        try await device.app.client.server.flows.signIn.federation.identities.list(
            call: device.call(.get, Endpoints.accountIdentities.path)
        ).identities
    }

    private func leave(_ id: JoinedIdentityID, _ device: TestDevice) async throws -> FactorRefusal? {
        let outcome = try await device.app.client.server.flows.signIn.federation.identities.leave(
            id, call: device.call(.delete, Endpoints.accountIdentity.path(id)))
        if case .failure(let refusal) = outcome { return refusal }
        return nil
    }

    @Test("Signing in to one's account links it, notifies the holder, and lets the provider sign them in from then on")
    func joins() async throws {
        let setting = try await setUp()
        let guest = try await setting.guest()
        let device = try await setting.session()
        let joined = try await join(guest, device).get()
        let again = try await join(guest, device).get()
        #expect(again == joined, "its answer lost")
        let listed = try await list(device)
        #expect(listed == [joined])
        let told = try await setting.server.messages().filter { $0.kind == "identity_joined" }
        #expect(told.count == 1)
        let linked = try await setting.events("identity.linked")
        #expect(linked == 1)
        let tokens = try await setting.app.redeem(setting.app.signIn(at: setting.provider).code()).tokens()
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.subject == setting.account.rawValue)
        #expect(claims.amr == ["fed"])
    }

    @Test("attack: a stolen session that is weak or old joins nothing and takes nothing away")
    func strength() async throws {
        let setting = try await setUp()
        let joined = try await join(setting.guest("sub-2"), setting.session()).get()
        let guest = try await setting.guest()
        let twoFactors = FactorRefusal.strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors)
        let weak = try await setting.session(methods: ["pwd"])
        let outcome = try await join(guest, weak)
        guard case .failure(twoFactors) = outcome else {
            Issue.record("joined by one factor: \(String(describing: outcome))")
            return
        }
        let kept = try await leave(joined.id, weak)
        #expect(kept == twoFactors)
        let shown = try await list(weak)
        #expect(shown == [joined])
    }

    @Test("attack: who came in by a login nonce joins no identity of their own to an account of one factor")
    func loginNonce() async throws {
        let setting = try await setUp()
        let plain = try await setting.server.account("eve")
        let guest = try await setting.guest()
        let thief = try await setting.session(plain, methods: ["nonce"])
        let refused = try await join(guest, thief)
        #expect(
            refusal(refused) == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.singleFactor))
        setting.server.clock.advance(by: .milliseconds(1))
        _ = try await join(guest, setting.session(plain, methods: ["pwd"])).get()
    }

    @Test("attack: what continues a sign-in works only for its own key, app and brand, within ten minutes")
    func foreignContinuation() async throws {
        let setting = try await setUp()
        let thief = TestApp(client: setting.app.client)
        let stolen = try await join(setting.guest(), setting.session(app: thief))
        #expect(refusal(stolen) == .invalidSession)
        let planted = try await join(setting.guest(app: thief), setting.session())
        #expect(refusal(planted) == .invalidSession)
        let second = TestApp(client: try await setting.server.publicClient("second"), key: setting.app.key)
        let elsewhere = try await join(setting.guest(), setting.session(app: second))
        #expect(refusal(elsewhere) == .invalidSession)
        let old = try await setting.guest()
        setting.server.clock.advance(by: .minutes(10))
        let late = try await join(old, setting.session())
        #expect(refusal(late) == .invalidSession)
        let none = try await join(AuthSession("no-session"), setting.session())
        #expect(refusal(none) == .invalidSession)
        let events = try await setting.events("identity.linked")
        #expect(events == 0)
    }

    @Test("attack: an identity that is another account's stays there, however it came to be so meanwhile")
    func taken() async throws {
        let setting = try await setUp()
        let guest = try await setting.guest()
        _ = try await setting.app.createAccount(guest, username: "eve").code()
        let refused = try await join(guest, setting.session())
        #expect(refusal(refused) == .identityTaken)
    }

    @Test("attack: an address that both have joins nothing: the sign-in finds no account, verified or not")
    func neverByEmail() async throws {
        let setting = try await setUp()
        let outcome = try await setting.app.signIn(at: setting.provider) {
            $0.set("email", "ada@example.com")
            $0["email_verified"] = .bool(true)
        }
        #expect(outcome.errorCode == "no_matching_guest")
    }

    @Test("A provider that was removed in the meantime, or whose name now belongs to another, links no account")
    func removed() async throws {
        let (first, second) = (TestProvider(), TestProvider(issuer: "https://other.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(first, second))
        try await server.add(first)
        let setting = Setting(
            provider: first, server: server, app: TestApp(client: try await server.publicClient()),
            account: try await server.reachableAccount("ada"))
        let guest = try await setting.guest()
        try await server.administer(["provider", "remove", "example"])
        let gone = try await join(guest, setting.session())
        #expect(refusal(gone) == .invalidSession)
        try await server.add(second)
        let renamed = try await join(guest, setting.session())
        #expect(refusal(renamed) == .invalidSession)
    }

    @Test(
        "Removed, it opens nothing, not even by an earlier code; the holder is notified and stays signed in")
    func leaves() async throws {
        let setting = try await setUp()
        let device = try await setting.session()
        let joined = try await join(setting.guest(), device).get()
        let begun = try await setting.app.signIn(at: setting.provider).code()
        let refused = try await leave(joined.id, device)
        #expect(refused == nil)
        let redeemed = try await setting.app.redeem(begun)
        #expect(throws: (any Error).self) { try redeemed.tokens() }
        let next = try await setting.app.signIn(at: setting.provider)
        #expect(next.errorCode == "no_matching_guest")
        let twice = try await leave(joined.id, device)
        #expect(twice == .identityNotFound)
        let left = try await list(device)
        #expect(left.isEmpty)
        let told = try await setting.server.messages().filter { $0.kind == "identity_left" }
        #expect(told.count == 1)
    }

    @Test(
        "attack: a provider's thief stays signed in after the holder unlinked the identity",
        .threat("A forged or misused provider identity"))
    func endsOthers() async throws {
        let setting = try await setUp()
        let holder = try await setting.session()
        let joined = try await join(setting.guest(), holder).get()
        let thief = try await setting.app.redeem(setting.app.signIn(at: setting.provider).code()).tokens()
        let refused = try await leave(joined.id, holder)
        #expect(refused == nil)
        let renewed = try await setting.app.client.refresh(try #require(thief.refreshToken), proof: setting.app.key)
        #expect(renewed.refusal == .invalidGrant)
        // The session that took it away goes on.
        #expect(try await list(holder).isEmpty)
    }

    @Test("The last way in stays: without a password one identity of a provider that is there has to be left")
    func lastWayIn() async throws {
        let setting = try await setUp()
        let made = try await setting.app.redeem(
            setting.app.createAccount(setting.guest(), username: "guest").code()
        ).tokens()
        let device = TestDevice(app: setting.app, tokens: made)
        let first = try await list(device)
        let only = try #require(first.first)
        let refused = try await leave(only.id, device)
        #expect(refused == .lastWayIn)
        let second = try await join(setting.guest("sub-2"), device).get()
        let fine = try await leave(second.id, device)
        #expect(fine == nil)
        let still = try await leave(only.id, device)
        #expect(still == .lastWayIn)
    }

    @Test(
        "attack: of two identities that are taken away at once one stays, whichever process is asked",
        arguments: Deployment.allCases)
    func race(deployment: Deployment) async throws {
        let provider = TestProvider()
        try await deployment.run(providers: provider.http) { here, there in
            let setting = try await setUp(provider, on: here)
            let app = setting.app
            let made = try await app.redeem(app.createAccount(setting.guest(), username: "guest").code()).tokens()
            let device = TestDevice(app: app, tokens: made)
            let elsewhere = TestDevice(app: TestApp(client: app.client.at(there), key: app.key), tokens: made)
            _ = try await join(setting.guest("sub-2"), device).get()
            let both = try await list(device)
            let rows = try await here.context.database.read { try $0.query("SELECT * FROM federated_identities", []) }
            for _ in 0..<Deployment.attackRounds {
                async let one = leave(both[0].id, device)
                async let other = leave(both[1].id, elsewhere)
                let outcomes = try await [one, other]
                #expect(outcomes.contains(.lastWayIn))
                let left = try await list(device)
                #expect(left.count == 1)
                try await restore(rows, on: here)
            }
        }
    }

    /// Links the identities again that a round took away.
    private func restore(_ rows: [SQLRow], on server: TestServer) async throws {
        try await server.context.database.write { connection in
            for row in rows {
                let places = row.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                try connection.execute(
                    """
                    INSERT INTO federated_identities (\(row.columns.joined(separator: ", "))) VALUES (\(places))
                    ON CONFLICT DO NOTHING
                    """, row.values)
            }
        }
    }

    @Test("attack: another account's identities cannot be seen or removed, and their number has a limit")
    func foreign() async throws {
        let setting = try await setUp()
        let joined = try await join(setting.guest(), setting.session()).get()
        let eve = TestApp(client: setting.app.client)
        let session = try await setting.session(setting.server.reachableAccount("eve"), app: eve)
        let seen = try await list(session)
        #expect(seen.isEmpty)
        let refused = try await leave(joined.id, session)
        #expect(refused == .identityNotFound)
        for number in 2...AccountIdentities.most {
            // Joining is limited in time as well: the holder is notified of each.
            setting.server.clock.advance(by: .hours(25))
            _ = try await join(setting.guest("sub-\(number)"), setting.session()).get()
        }
        setting.server.clock.advance(by: .hours(25))
        let beyond = try await join(setting.guest("one more"), setting.session())
        #expect(refusal(beyond) == .tooManyIdentities(limit: AccountIdentities.most))
    }

    private func refusal<Value>(_ outcome: Result<Value, FactorRefusal>) -> FactorRefusal? {
        if case .failure(let refusal) = outcome { refusal } else { nil }
    }
}

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

@Suite("Factors that a restore brought back")
struct RestoredFactorTests {
    /// What of a sign-in counts for a payment.
    private func counted(_ device: TestDevice, _ account: AccountID, at server: TestServer) async throws -> [String] {
        let sid = try #require(try await server.claims(of: device.tokens).sessionID)
        let id = try #require(UniqueID(bytes: sid.bytes))
        let record = try #require(try await server.record(of: account))
        let now = server.clock.now()
        return try await server.context.database.read { connection in
            let session = try Sessions.living(id, now: now, on: connection)
            return try session.map { try OperationSession($0, of: record, at: now, on: connection).methods } ?? ["none"]
        }
    }

    @Test("attack: a passkey that was removed after the backup is two factors in the restored database")
    func removedPasskey() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let app = try await server.bearerClient()
        let copy = try await server.backup()
        let id = try await server.context.database.read {
            try $0.row("SELECT id FROM passkeys", [])?.id("id")
        }
        let removed = try #require(id)
        try await server.administer(["passkey", "remove", removed.uuid])
        let restored = try await server.restarted(epoch: 1, from: copy)
        func signIn() async throws -> AuthorizationAnswer.Outcome {
            restored.clock.advance(by: .seconds(31))
            return try await TestBrowser(restored).signIn(to: app.at(restored), with: passkey)
        }
        let outcome = try await signIn().page().step
        guard case .secondFactor = outcome else {
            Issue.record("the restored passkey opened the account by itself: \(String(describing: outcome))")
            return
        }
        restored.clock.advance(by: .hours(24))
        let claims = try await restored.claims(of: app.at(restored).redeem(signIn().code()).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors, "after a day it counts again")
    }

    @Test("attack: while restored passkeys cool, the mailbox alone recovers an account that has one")
    func recoveryBesidePasskey() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let app = try await server.publicClient()
        let restored = try await server.restarted(epoch: 1)
        let outcome = try await TestApp(client: app.at(restored)).recoverByCode()
        guard case .refused(.recoveryUnavailable) = outcome else {
            Issue.record("recovered by the mailbox: \(outcome.errorCode ?? "code")")
            return
        }
    }

    @Test("attack: an authenticator app that was replaced after the backup agrees to a payment")
    func replacedAuthenticator() async throws {
        let before = try await TestShop.open(methods: ["pwd", "otp"])
        _ = try await before.device.authenticator()
        before.server.clock.advance(by: .hours(24))
        let copy = try await before.server.backup()
        let server = try await before.server.restarted(epoch: 1, from: copy)
        func offersAuthenticator(_ id: String) async throws -> Bool {
            try await before.signedInAgain(at: server).ask(TestShop.transfer(), id: id).get().availableVerifications
                .contains { $0.verification == .authenticator }
        }
        func countedMethods() async throws -> [String] {
            let device = try await before.signedInAgain(at: server, methods: ["pwd", "otp"]).device
            return try await counted(device, before.account, at: server)
        }
        #expect(try await !offersAuthenticator("op-1"))
        #expect(try await countedMethods() == ["pwd"], "nor does its code at a sign-in count")
        server.clock.advance(by: .hours(24))
        #expect(try await offersAuthenticator("op-2"))
        #expect(try await countedMethods() == ["pwd", "otp"])
    }

    @Test("attack: an enrolled device that was removed after the backup pays and changes the account")
    func removedDevice() async throws {
        let before = try await TestPINShop.open(pastCooling: true)
        let copy = try await before.shop.server.backup()
        let restored = try await before.shop.server.restarted(epoch: 1, from: copy)
        let (phone, id) = (before.pin.device, before.pin.id)
        let app = TestApp(client: phone.app.client.at(restored), key: phone.app.key)
        func session() async throws -> TestDevice {
            restored.clock.advance(by: .seconds(1))
            let signedOut = TestDevice(app: app, tokens: phone.tokens, deviceKey: phone.deviceKey)
            let tokens = try await app.redeem(signedOut.signIn(as: id).code()).tokens()
            return TestDevice(app: app, tokens: tokens, deviceKey: phone.deviceKey)
        }
        func offersDevice(_ device: TestDevice, _ operation: String) async throws -> Bool {
            let shop = TestShop(
                server: restored, client: before.shop.client.at(restored), account: before.shop.account,
                device: device)
            return try await shop.ask(TestShop.transfer(), id: operation).get().availableVerifications
                .contains { $0.verification.channel == .device }
        }
        let early = try await session()
        #expect(try await counted(early, before.shop.account, at: restored) == ["pwd"])
        #expect(try await !offersDevice(early, "op-1"))
        let refused = try await early.makeRecoveryCodes()
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
        restored.clock.advance(by: .hours(24))
        let late = try await session()
        #expect(try await counted(late, before.shop.account, at: restored) == ["pwd", "swk"])
        _ = try await late.makeRecoveryCodes().get()
    }

    @Test("attack: an identity that was unlinked after the backup changes the account and pays")
    func unlinkedIdentity() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider).guest()
        _ = try await app.redeem(app.createAccount(guest).code()).tokens()
        let account = try #require(try await server.accountID())
        let copy = try await server.backup()

        func session(_ restored: TestServer) async throws -> TestDevice {
            restored.clock.advance(by: .seconds(1))
            let app = TestApp(client: app.client.at(restored))
            return TestDevice(app: app, tokens: try await app.redeem(app.signIn(at: provider).code()).tokens())
        }
        let restored = try await server.restarted(epoch: 1, from: copy, providers: provider.http)
        let early = try await session(restored)
        let found = try await early.beginAuthenticator()
        guard case .failure(.cooling(let seconds)) = found else {
            Issue.record("the restored identity set an authenticator app up: \(String(describing: found))")
            return
        }
        #expect((86_000...86_400).contains(seconds))
        #expect(try await counted(early, account, at: restored) == [])
        restored.clock.advance(by: .hours(24))
        let late = try await session(restored)
        #expect(try await counted(late, account, at: restored) == ["fed"])
        _ = try await late.beginAuthenticator().get()
    }

    @Test("What a restore brought back is listed for the operator, a page of accounts at a time")
    func listed() async throws {
        let server = try await TestServer.start()
        #expect(try await server.administer(["database", "restore-report"])["factors"]?.array == [])
        _ = try await server.settledPasskey()
        let app = try await server.publicClient()
        let bob = try await server.account("bob")
        _ = try await TestDevice.signedIn(bob, app).enrolled(bob, name: "Bob's phone")
        _ = try await server.account("nobody")
        let restored = try await server.restarted(epoch: 1)
        let coolingEnd = restored.clock.now() + restored.context.settings.devices.coolingPeriod
        // What is added afterwards is none of it.
        restored.clock.advance(by: .seconds(1))
        let device = try await TestDevice.signedIn(bob, app.at(restored))
        _ = try await device.authenticator()
        let first = try await restored.administer(["database", "restore-report", "--limit", "1"])
        let next = try #require(first["next"]?.string)
        let second = try await restored.administer(["database", "restore-report", "--after", next, "--limit", "1"])
        #expect(second["next"] == nil)
        let rows = [first, second].flatMap { $0["factors"]?.array ?? [] }.compactMap(\.object)
        let listed = rows.map {
            "\($0["username"]?.string ?? "") \($0["kind"]?.string ?? "") \($0["name"]?.string ?? "")"
        }
        #expect(Set(listed) == ["ada passkey Laptop", "bob device Bob's phone"])
        #expect(first["coolingUntil"]?.string == coolingEnd.text)
    }

    @Test("What a restore brought back comes whole, however much there is on a page")
    func largePage() async throws {
        let server = try await TestServer.start()
        // An account has at most a hundred identities.
        for number in 0..<10 {
            let person = try await server.account("person\(number)", password: nil)
            let account = try #require(UniqueID(bytes: person.bytes))
            try await server.context.database.write { connection in
                _ = try connection.execute(
                    """
                    INSERT INTO federated_identities (brand_id, digest, account_id, provider_id, subject, linked_at)
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
                    SELECT 'default', CAST(printf('%032d', n + $2) AS BLOB), $1, 'p', zeroblob(1), 0 FROM numbers
                    """, [.id(account), .integer(Int64(100 * number))])
            }
        }
        let restored = try await server.restarted(epoch: 1)
        let answer = await restored.flows.administration.execute(["database", "restore-report"])
        let factors = try answer.document()["factors"]?.array
        #expect(factors?.count == 1000)
    }

    @Test("The list of what a restore brought back says until when it counts as new, and how to remove it")
    func listedWithAdvice() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let restored = try await server.restarted(epoch: 1)
        let coolingEnd = restored.clock.now() + restored.context.settings.devices.coolingPeriod
        let answer = await restored.flows.administration.execute(["database", "restore-report"])
        let text = answer.lines.joined(separator: "\n")
        #expect(text.contains("until \(coolingEnd.text)."), "\(text)")
        for command in ["passkey remove ID", "device remove ID", "account deactivate USERNAME", "operator grant"] {
            #expect(text.contains("`walletauth \(command)`"), "\(text)")
        }
    }
}

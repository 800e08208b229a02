import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Device authentication tokens", .covers("/v1/device-authentication-tokens…"))
struct DeviceTokenTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    @Test("A token signs in with the device's PIN, and each use restarts its ninety days")
    func sliding() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let token = try await session.issue().get()
        #expect(token.expiresIn == 90 * 86_400)
        #expect(try await session.consent() == .active)
        for _ in 0..<3 {
            server.clock.advance(by: .days(89))
            _ = try await session.device.app.redeem(session.signIn(token.token).code()).tokens()
        }
        server.clock.advance(by: .days(90))
        let late = try await session.signIn(token.token)
        #expect(late.errorCode == "device_token_expired")
        #expect(late.refusal?.statusCode == 401 && late.refusal?.status == 401)
        let messages = try await server.messages().filter { $0.kind == "device_token_issued" }
        #expect(messages.count == 1)
    }

    @Test("A token alone opens nothing: not without the device's key and PIN, and not from another device")
    func alone() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let token = try await session.issue().get().token
        let wrong = try await session.signIn(token, "000001")
        #expect(wrong.errorCode == "invalid_credentials")
        let copied = try await session.pin.signInAssertion("271828")
        let thief = TestApp(client: session.device.app.client)
        let stolen = try await thief.step(
            .begin(.deviceToken(DeviceTokenLogin(deviceID: session.pin.id, token: token, assertion: copied))))
        #expect(stolen.errorCode == "invalid_credentials")
        let other = try await TestLongSession.another(of: session.pin.account, session.device.app.client)
        let foreign = try await other.signIn(token)
        #expect(foreign.errorCode == "device_token_expired")
        let guessed = try await session.signIn(try DeviceAuthenticationToken(String(repeating: "A", count: 43)))
        #expect(guessed.errorCode == "device_token_expired")
        _ = try await session.signIn(token).code()
    }

    @Test("Generating takes the password once more and the device's signature over the very request")
    func generating() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        _ = try await server.account("eve")
        #expect(try await session.issue(password: "wrong wrong wrong").refusal == .credentials(.invalid))
        #expect(try await session.issue("eve").refusal == .credentials(.invalid))
        #expect(try await session.issue("nobody").refusal == .credentials(.invalid))
        #expect(try await session.issue(signedBy: TestKey()).refusal == .credentials(.invalid))
        #expect(try await session.issue(signedBody: Array("{}".utf8)).refusal == .credentials(.invalid))
        #expect(try await session.consent() == .none)
        let first = try await session.issue().get().token
        let second = try await session.issue().get().token
        #expect(try await session.signIn(first).errorCode == "device_token_expired", "a new one takes its place")
        _ = try await session.signIn(second).code()
        #expect(ErrorCode.invalidCredentials.statusCode(during: .generatingDeviceToken) == 419)
    }

    @Test("attack: right passwords of another person, tried by requests for a token, are counted as wrong ones")
    func passwordOfAnother() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        _ = try await server.account("eve")
        for _ in 0..<4 { #expect(try await session.issue("eve").refusal == .credentials(.invalid)) }
        let found = try await server.context.database.read {
            try Accounts.find(named: "eve", brand: "default", on: $0)
        }
        let subject = try server.flows.signIn.passwords.untrustedDevices(at: try #require(found))
        let now = server.clock.now()
        let counted = try await server.context.database.read { try Attempts.state(subject, now: now, on: $0) }
        #expect(counted?.failures == 4)
    }

    @Test("A client that may not, and an account without a password of its own, are refused as unsupported")
    func unsupported() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server) { _ in }
        #expect(try await session.issue().refusal == .unsupported)
        let token = try DeviceAuthenticationToken(String(repeating: "A", count: 43))
        let outcome = try await session.signIn(token)
        #expect(outcome.errorCode == "device_authentication_unsupported")
        #expect(outcome.refusal?.statusCode == 432 && outcome.refusal?.status == 400)

        let allowed = try await TestServer.start()
        let federated = try await TestLongSession.start(on: allowed)
        try await allowed.context.database.write { connection in
            _ = try connection.execute(
                "UPDATE accounts SET password = NULL, password_state = 'none', password_changed_at = NULL", [])
        }
        #expect(try await federated.issue().refusal == .unsupported)
        var registration = ClientRegistration(name: "Third party", kind: .public)
        registration.redirectURIs = ["https://app.example.com/callback"]
        registration.deviceTokens = true
        let answer = await allowed.flows.administration.execute {
            try await ClientAdministration($0).create(registration)
        }
        #expect(answer.status == .refused)
    }

    @Test(
        "It ends with a new password, the wallet's deactivation and the device's removal, and not with another device's"
    )
    func ends() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let client = session.device.app.client
        let other = try await TestLongSession.another(of: session.pin.account, client)
        let token = try await session.issue().get().token
        #expect(try await session.device.remove(other.pin.id) == nil)
        _ = try await session.signIn(token).code()

        try await server.administer(AdminRequest(["account", "deactivate"] + Self.ada.words))
        let closed = try await session.signIn(token)
        #expect(closed.errorCode == "wallet_deactivated")
        #expect(closed.refusal?.statusCode == 412 && closed.refusal?.status == 403)
        try await server.administer(AdminRequest(["account", "reactivate"] + Self.ada.words))
        #expect(try await session.signIn(token).errorCode == "device_token_expired")

        let changed = try await TestServer.start()
        let second = try await TestLongSession.start(on: changed)
        let old = try await second.issue().get().token
        try await changed.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: "another horse entirely"))
        #expect(try await second.signIn(old).errorCode == "device_token_expired")

        try await changed.administer(["device", "remove", second.pin.id.rawValue])
        let rows = try await changed.context.database.read {
            try $0.query("SELECT device_id FROM device_tokens", []).count
        }
        #expect(rows == 0, "what a removed device had is gone")
    }

    @Test("A database that was restored revives no token; what its holder had declined stays declined")
    func restored() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let other = try await TestLongSession.another(of: session.pin.account, session.device.app.client)
        _ = try await session.issue().get()
        _ = try await other.decline().get()
        let restored = try await server.restarted(epoch: 1)
        let states = try await restored.context.database.read {
            try $0.query("SELECT state FROM device_tokens WHERE digest IS NULL ORDER BY state", []).map {
                try $0.text("state")
            }
        }
        #expect(states == ["declined", "expired"])
    }

    @Test("attack: a session that ended while a token was requested gets none", .threat("A stolen device token"))
    func endedSession() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        // Between the check of the call and the write the session ends: here, as the challenge is used.
        try await server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER ended AFTER INSERT ON attempts BEGIN
                    UPDATE sessions SET revoked_at = 1, revoked_reason = 'administrator';
                END
                """)
        }
        #expect(try await session.issue().refusal == .device(.accountChanged))
        let rows = try await server.rows(of: "device_tokens")
        #expect(rows == 0)
    }

    @Test("A suspended device gets 503, a deactivated one 423, and neither uses its token")
    func closedDevices() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let token = try await session.issue().get().token
        let first = try await session.pin.signInAssertion("271828")
        try await server.administer(["device", "suspend", session.pin.id.rawValue])
        let suspended = try await session.signIn(token, by: first)
        #expect(suspended.refusal?.statusCode == 503)
        try await server.administer(["device", "deactivate", session.pin.id.rawValue])
        let deactivated = try await session.signIn(token, by: first)
        #expect(deactivated.refusal?.statusCode == 423 && deactivated.refusal?.status == 423)
    }

    @Test("The holder's choice is kept: none, active, expired, declined; expiring twice is reported")
    func consents() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        #expect(try await session.consent() == .none)
        #expect(try await session.expire().refusal == .alreadyExpired)
        _ = try await session.decline().get()
        _ = try await session.decline().get()
        #expect(try await session.consent() == .declined)
        let token = try await session.issue().get().token
        #expect(try await session.consent() == .active)
        _ = try await session.expire().get()
        #expect(try await session.expire().refusal == .alreadyExpired)
        #expect(try await session.consent() == .expired)
        #expect(try await session.signIn(token).errorCode == "device_token_expired")
        let second = try await session.issue().get().token
        _ = try await session.decline().get()
        #expect(try await session.signIn(second).errorCode == "device_token_expired")
        let tail = try await server.administer(["audit", "tail", "--account", "ada", "--limit", "100"])
        let kinds = (tail["entries"]?.array ?? []).compactMap { $0.object?["kind"]?.string }
        #expect(kinds.filter { $0 == "device_token.declined" }.count == 2)
        #expect(kinds.filter { $0 == "device_token.issued" }.count == 2)
        #expect(kinds.filter { $0 == "device_token.expired" }.count == 1)
    }

    @Test(
        "Of 64 expirations at once one ends the token, and no sign-in that begins afterwards gets in",
        .threat("A stolen device token"))
    func race() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let token = try await session.issue().get().token
        // The same assertion is right as often as it is sent, so that only the token decides.
        let assertion = try await session.pin.signInAssertion("271828")
        _ = try await session.signIn(token, by: assertion).code()
        let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<128 {
                group.addTask {
                    if number % 2 == 0 { return try await session.expire().refusal == nil }
                    let outcome = try await session.signIn(token, by: assertion)
                    #expect(outcome.errorCode == nil || outcome.errorCode == "device_token_expired")
                    return false
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == 1)
        #expect(try await session.signIn(token, by: assertion).errorCode == "device_token_expired")
    }
}

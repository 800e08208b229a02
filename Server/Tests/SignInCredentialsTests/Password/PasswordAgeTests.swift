import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The age of passwords", .covers("lastPasswordUpdate, \"Password is about to expire!\"; 508"))
struct PasswordAgeTests {
    private func scene() async throws -> (server: TestServer, app: TestApp) {
        let server = try await TestServer.start()
        _ = try await server.account()
        return (server, TestApp(client: try await server.publicClient()))
    }

    private func limit(_ days: Int, in server: TestServer) async throws {
        try await server.administer(["brand", "update", "default", "--password-days", String(days)])
    }

    private func attributes(of outcome: NativeSignInOutcome) throws -> JSONObject {
        guard case .authorized(let answer) = outcome else {
            throw NativeSignInOutcome.Unexpected(what: outcome.errorCode ?? "\(outcome)")
        }
        return answer.additionalAttributes
    }

    @Test(
        "A brand without a limit reports none; with one, each native sign-in reports the second at which the password expires"
    )
    func told() async throws {
        let (server, app) = try await scene()
        #expect(try attributes(of: await app.signIn())["password_expires_at"] == nil)
        let changed = server.clock.now()
        try await limit(90, in: server)
        server.clock.advance(by: .days(80))
        let told = try attributes(of: await app.signIn())
        #expect(try told.integer("password_expires_at") == (changed + .days(90)).seconds)
    }

    @Test("At that second the password has to be changed, natively and on the page, and the new one has its own time")
    func expired() async throws {
        let (server, app) = try await scene()
        try await limit(90, in: server)
        server.clock.advance(by: .days(90))
        let refusal = try #require(try await app.signIn().refusal)
        #expect(refusal.errorCode == "password_change_required")
        #expect(refusal.statusCode == 508)
        let page = try await TestBrowser(server).signIn(app.client.request()).page()
        #expect(page.step == .newPassword)
        let session = try #require(refusal.session)
        let changed = try await app.proceed(session, .newPassword(Password("a better horse battery")))
        let expiry = try attributes(of: changed).integer("password_expires_at")
        #expect(expiry == (server.clock.now() + .days(90)).seconds)
    }

    @Test("The limit is one brand's: other brands' passwords grow old, and 0 takes it away")
    func oneBrand() async throws {
        let (server, app) = try await scene()
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        try await server.administer(["brand", "update", "acme", "--password-days", "1"])
        server.clock.advance(by: .days(30))
        _ = try await app.signIn().code()
        try await limit(7, in: server)
        #expect(try await app.signIn().errorCode == "password_change_required")
        try await limit(0, in: server)
        _ = try await app.signIn().code()
    }

    @Test("account show says when the password expires, and once it has that it is in the way")
    func accountShown() async throws {
        let (server, _) = try await scene()
        try await limit(90, in: server)
        let expiry = server.clock.now() + .days(90)
        func shown() async throws -> JSONObject {
            try await server.administer(["account", "show", "ada"])
        }
        #expect(try await shown().string("passwordExpiresAt") == expiry.text)
        #expect(try await shown()["hindrances"] == nil)
        server.clock.advance(by: .days(90))
        let hindrances = try await shown().strings("hindrances") ?? []
        #expect(hindrances.count == 1 && hindrances[0].contains("older than its brand allows"), "\(hindrances)")
    }

    @Test("brand show says the limit, and a number of days that is none is refused", arguments: [-1, 3651])
    func shown(days: Int) async throws {
        let (server, _) = try await scene()
        try await limit(90, in: server)
        let shown = try await server.administer(["brand", "show", "default"])
        #expect(try shown.integer("passwordDays") == 90)
        let refused = await server.flows.administration.execute(
            ["brand", "update", "default", "--password-days", String(days)])
        #expect(refused.status != .done)
        let after = try await server.administer(["brand", "show", "default"])
        #expect(try after.integer("passwordDays") == 90)
    }
}

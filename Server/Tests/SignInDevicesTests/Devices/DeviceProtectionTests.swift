import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("A device protects the account that has it", .threat("A stolen password", "A device enrolled by a thief"))
struct DeviceProtectionTests {
    private static let old = "correct horse battery"

    /// An account whose only other factor is a device, and an attacker who knows its password.
    private func setUp() async throws -> (server: TestServer, id: DeviceID, thief: TestDevice) {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = try await TestDevice.signedIn(account, server.publicClient())
        let id = try await holder.enrolled(account).id
        let app = TestApp(client: holder.app.client)
        return (server, id, TestDevice(app: app, tokens: try await app.redeem(app.signIn().code()).tokens()))
    }

    /// What an attacker with the password alone may not do.
    private func changesNothing(_ thief: TestDevice) async throws {
        let twoFactors = FactorRefusal.strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors)
        let authenticator = try await thief.beginAuthenticator()
        #expect(authenticator.refusal == twoFactors)
        let password = try await thief.changePassword(from: Self.old, to: "thief phrase 999")
        #expect(password.refusal == twoFactors)
    }

    @Test("attack: the password alone removes no device, and changes nothing")
    func removal() async throws {
        let (_, id, thief) = try await setUp()
        let removal = try await thief.remove(id)
        #expect(removal == .strongerSignIn(maximumAge: 300))
        #expect(try await thief.list().map(\.id) == [id])
        try await changesNothing(thief)
    }

    @Test("attack: a device that was suspended, deactivated or removed still blocks a stolen password")
    func closed() async throws {
        let (server, id, thief) = try await setUp()
        try await server.administer(["device", "suspend", id.rawValue])
        try await changesNothing(thief)
        try await server.administer(["device", "deactivate", id.rawValue])
        try await changesNothing(thief)
        try await server.administer(["device", "remove", id.rawValue])
        try await changesNothing(thief)
    }

    @Test(
        "The device that one holds is removed by whatever sign-in, and an operator's confirmed address is the way back")
    func wayBack() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.email = "ada@example.com" }
        let holder = try await TestDevice.signedIn(account, server.publicClient())
        let id = try await holder.enrolled(account).id
        let weak = try await holder.app.client.signIn(account, proof: holder.app.key)
        let session = TestDevice(app: holder.app, tokens: weak)
        // Its session names no device: it is not the device's own.
        let foreign = try await session.remove(id)
        #expect(foreign == .strongerSignIn(maximumAge: 300))
        let own = try await holder.remove(id)
        #expect(own == nil)
        try await server.administer(["account", "verify-email", "ada"])
        let app = TestApp(client: holder.app.client)
        let back = TestDevice(app: app, tokens: try await app.redeem(app.signInWithCode().code()).tokens())
        _ = try await back.authenticator()
    }

    @Test("attack: a device inside its cooling period removes, enrolls and changes nothing by its own key")
    func cooling() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let kept = try await TestDevice.signedIn(account, client)
        let keptID = try await kept.enrolled(account, name: "Ada's tablet").id
        let tricked = try await TestDevice.signedIn(account, client)
        let id = try await tricked.enrolled(account, name: "thief").id
        let tokens = try await tricked.app.redeem(tricked.signIn(as: id).code()).tokens()
        let thief = TestDevice(app: tricked.app, tokens: tokens)
        let removal = try await thief.remove(keptID)
        #expect(removal == .strongerSignIn(maximumAge: 300))
        let enrolled = try await thief.enroll(thief.enrollment(account, over: thief.challenge(), name: "another"))
        #expect(enrolled.refusal == .strongerSignIn(maximumAge: 300))
        try await changesNothing(thief)
        let codes = try await thief.makeRecoveryCodes()
        #expect(codes.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
        // The question of another factor is asked where two are asked for by name, and answers it.
        let asked = try await tricked.signIn(as: id, acrValues: [AuthenticationStrength.twoFactors]).asked()
        let proved = try await thief.app.redeem(thief.app.answer(server.sentCode(), to: asked).code()).tokens()
        let claims = try await server.claims(of: proved)
        #expect(claims.amr == ["pwd", "swk", "otp"])
        _ = try await TestDevice(app: thief.app, tokens: proved).makeRecoveryCodes().get()
        // After a day its key counts like any.
        server.clock.advance(by: .hours(24))
        let later = try await thief.app.redeem(tricked.signIn(as: id).code()).tokens()
        _ = try await TestDevice(app: thief.app, tokens: later).makeRecoveryCodes().get()
    }
}

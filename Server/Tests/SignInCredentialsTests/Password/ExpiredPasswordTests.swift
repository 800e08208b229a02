import FlowSupport
import Kernel
import SignIn
import Testing
import WalletAuthWire

@testable import Operations

@Suite("An expired password and who sets the new one", .threat("A stolen password"))
struct ExpiredPasswordTests {
    private static let new = "a fresh phrase 7"

    @Test(
        "attack: if a device protects the account, the expired password alone sets no new one; with the device it does"
    )
    func device() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = try await TestDevice.signedIn(account, server.publicClient())
        let id = try await holder.enrolled(account).id
        try await server.administer(["account", "expire-password", "ada"])
        let thief = TestApp(client: holder.app.client)
        let outcome = try await thief.signIn()
        #expect(outcome.refusal?.session == nil)
        #expect(outcome.refusal?.error == "redirect_to_web")
        let asked = try #require(try await holder.signIn(as: id).refusal)
        #expect(asked.errorCode == "password_change_required")
        _ = try await holder.app.proceed(try #require(asked.session), .newPassword(Password(Self.new))).code()
    }

    @Test(
        "attack: a brand that lets new devices in asks for the factor all the same before an expired password is replaced"
    )
    func allowed() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        try await server.administer(["account", "expire-password", "ada"])
        let asked = try await app.signIn().asked()
        let next = try await app.answer(server.sentCode(), to: asked)
        #expect(next.errorCode == "password_change_required")
        let session = try #require(next.refusal?.session)
        _ = try await app.proceed(session, .newPassword(Password(Self.new))).code()
    }
}

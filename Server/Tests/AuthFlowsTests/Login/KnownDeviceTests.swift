import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("Devices that an account knows")
struct KnownDeviceTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    @Test("attack: a device that was known under the old password cannot deactivate the wallet under the new one")
    func oldKey() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        try await thief.becomeKnown()
        server.clock.advance(by: .seconds(1))
        try await server.administer(.account(.setPassword(Self.ada, password: "another phrase 9")))
        for _ in 0..<6 {
            #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test("attack: a browser's cookie from under the old password cannot deactivate the wallet under the new one")
    func oldCookie() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let thief = TestBrowser(server)
        _ = try await thief.signIn(client.request()).code()
        thief.cookies.session = nil
        server.clock.advance(by: .seconds(1))
        try await server.administer(.account(.setPassword(Self.ada, password: "another phrase 9")))
        for _ in 0..<6 {
            #expect(
                try await thief.signIn(client.request(), password: "a wrong one").page().notice == .invalidCredentials)
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test("attack: many known devices do not multiply the guesses; ten failures on all of them deactivate")
    func ceiling() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let devices = [TestApp(client: client), TestApp(client: client), TestApp(client: client)]
        for device in devices { try await device.becomeKnown() }
        var answers: [String?] = []
        for device in devices {
            for _ in 0..<4 { answers.append(try await device.signIn(password: "a wrong one").errorCode) }
        }
        #expect(answers.prefix(9).allSatisfy { $0 == "invalid_credentials" })
        #expect(answers.suffix(3).allSatisfy { $0 == "wallet_deactivated" })
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test("A deactivation that a crash cut off is carried out by the next attempt, but not under a running comparison")
    func healing() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { _ = try await holder.signIn(password: "a wrong one") }
        // As if the process had ended between the last charge and the deactivation.
        try await server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET state = 'active', security_version = 1", [])
        }
        #expect(try await holder.signIn().errorCode == "invalid_credentials")
        #expect(try await server.record(of: account)?.state == .active)
        server.clock.advance(by: .seconds(61))
        #expect(try await holder.signIn().errorCode == "wallet_deactivated")
        #expect(try await server.record(of: account)?.state == .deactivated)
    }
}

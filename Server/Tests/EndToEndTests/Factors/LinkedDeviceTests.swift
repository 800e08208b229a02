import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// Second factors by the SDK against the running program, codes read where a developer reads them.
@Suite("Linking a device by a second factor")
struct LinkedDeviceTests {
    /// A person with a confirmed address, and a phone with the app on it.
    private func withPhone(
        _ body: (RunningServer, RegisteredClient, Person, Wallet) async throws -> Void
    ) async throws {
        try await withServer { server in
            let person = try await server.makeReachableAccount("grace")
            let client = try await server.makePublicClient()
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            try await body(
                server, client, person, try phone.wallet(issuer: await server.issuer, client: client))
        }
    }

    @Test("A code links the phone; it signs in by password alone afterwards, and an authenticator app is set up on it")
    func links() async throws {
        try await withPhone { server, client, person, wallet in
            let asked = try await wallet.login(username: person.username, password: person.password).secondFactor()
            #expect(asked.method == "otp")
            #expect(asked.destination == "g…@example.com")
            let registration = try await wallet.register(mfa: asked, answer: try await server.newestCode())
            let device = try registration.link.linked()
            let devices = try await wallet.devices.list()
            #expect(devices.map(\.id) == [device.id])

            let setup = try await wallet.factors.beginAuthenticator()
            server.ledger.enter(setup.secret.reveal())
            let app = AuthenticatorApp(secret: setup.secret.reveal())
            try await wallet.factors.confirmAuthenticator(code: try await app.nextCode())
            let codes = try await wallet.factors.makeRecoveryCodes()
            for code in codes { server.ledger.enter(code.reveal()) }
            let factors = try await wallet.factors.list()
            #expect(factors.factors.map(\.method) == ["totp", "otp", "recovery_code"])

            _ = try await wallet.logout()
            try await wallet.login(username: person.username, password: person.password).signedIn()

            // Another phone gets in by a recovery code, though the authenticator's is asked for first.
            let other = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let second = try other.wallet(issuer: await server.issuer, client: client)
            let first = try await second.login(username: person.username, password: person.password).secondFactor()
            #expect(first.method == "totp")
            let alternative = try #require(first.alternatives.first { $0.method == "recovery_code" })
            let chosen = try await first.choose(alternative).secondFactor()
            try await second.register(mfa: chosen, answer: codes[0].reveal()).link.linked()
        }
    }

    @Test("A new password ends the other phone's session and leaves the one that set it signed in")
    func changesPassword() async throws {
        try await withPhone { server, client, person, wallet in
            let asked = try await wallet.login(username: person.username, password: person.password).secondFactor()
            _ = try await wallet.register(mfa: asked, answer: try await server.newestCode())
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            let wrong = await #expect(throws: WalletError.self) {
                try await wallet.changePassword(current: "not-the-password", new: new)
            }
            #expect(wrong?.code == .invalidCredentials)
            try await wallet.changePassword(current: person.password, new: new)
            let devices = try await wallet.devices.list()
            #expect(devices.count == 1)
            _ = try await wallet.logout()
            try await wallet.login(username: person.username, password: new).signedIn()
        }
    }
}

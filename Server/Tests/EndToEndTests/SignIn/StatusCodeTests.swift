import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The numbers that wallet apps of the older kind switch on: each row of their tables of errors, by the SDK against the running
/// program. What those tables call "not an error" is an outcome here, with its number.
@Suite("Every number of the tables of errors", .onceForAllEngines)
struct StatusCodeTests {
    private static let pin = "804613972558"

    /// A way to sign in, with a table of its own.
    enum Way: String, CaseIterable, Sendable {
        case password
        case pin
        case nonce

        var operation: WalletError.Operation {
            switch self {
            case .password: .loginByUsernamePassword
            case .pin: .loginByPIN
            case .nonce: .loginByNonce
            }
        }
    }

    /// A linked phone with a PIN, and a backend that vouches.
    private struct Scene: Sendable {
        let phone: LinkedPhone
        let backend: RegisteredClient

        var server: RunningServer { phone.server }

        /// What a way of signing in needs in addition to the phone, got before anything is broken.
        func ready(_ way: Way) async throws -> @Sendable () async throws -> LoginOutcome {
            let (wallet, person) = (phone.wallet, phone.person)
            switch way {
            case .password: return { try await wallet.login(username: person.username, password: person.password) }
            case .pin: return { try await wallet.login(pin: StatusCodeTests.pin) }
            case .nonce:
                let nonce = try await server.issueNonce(
                    by: backend, for: person, app: phone.client.id, key: try await wallet.signInKeyThumbprint())
                return { try await wallet.login(nonce: nonce) }
            }
        }

        /// The phone's id, as the operator names it.
        func deviceID() async throws -> String {
            try #require(try await phone.wallet.devices.list().first).id.rawValue
        }
    }

    private func withScene(clientOptions: [String] = [], _ body: (Scene) async throws -> Void) async throws {
        try await LinkedPhone.use(clientOptions) { phone in
            phone.server.ledger.enter(Self.pin)
            try await phone.wallet.pin.set(Self.pin)
            let backend = try await phone.server.makeConfidentialClient(scope: "login_nonces")
            try await body(Scene(phone: phone, backend: backend))
        }
    }

    /// The number that a sign-in ends with; 200 for a finished sign-in.
    private func number(_ way: Way, _ signIn: () async throws -> LoginOutcome) async throws -> Int? {
        do {
            let outcome = try await signIn()
            if case .authenticated = outcome { return 200 }
            return outcome.statusCode
        } catch let error as WalletError {
            #expect(error.operation == way.operation)
            #expect(error.reachedServer)
            #expect(UserErrorMessages.builtIn.text(for: error, languages: ["bg"]) != nil)
            return error.statusCode
        }
    }

    /// The numbers that ways of signing in end with, one after the other; what each needs is got before something happens.
    private func numbers(
        of ways: [Way] = Way.allCases, at scene: Scene, after happening: () async throws -> Void = {}
    ) async throws -> [Int?] {
        var signIns: [@Sendable () async throws -> LoginOutcome] = []
        for way in ways { signIns.append(try await scene.ready(way)) }
        try await happening()
        var numbers: [Int?] = []
        for (way, signIn) in zip(ways, signIns) { numbers.append(try await number(way, signIn)) }
        return numbers
    }

    @Test("401: wrong, unknown and spent credentials")
    func credentials() async throws {
        try await withScene { scene in
            let (wallet, person) = (scene.phone.wallet, scene.phone.person)
            let password = try await number(.password) {
                try await wallet.login(username: person.username, password: "not-the-password")
            }
            #expect(password == 401)
            let pin = try await number(.pin) { try await wallet.login(pin: "170395826641") }
            #expect(pin == 401)
            let nonce = try await scene.server.issueNonce(
                by: scene.backend, for: person, app: scene.phone.client.id,
                key: try await wallet.signInKeyThumbprint())
            _ = try await wallet.login(nonce: nonce)
            for wrong in [nonce, Base64URL.encode([UInt8](repeating: 7, count: 32))] {
                let told = try await number(.nonce) { try await wallet.login(nonce: wrong) }
                #expect(told == 401)
            }
        }
    }

    @Test("412: a device that is not linked; a wrong second factor is 401 of the sign-in that was begun")
    func notLinked() async throws {
        try await withScene { scene in
            let other = Device(
                ledger: scene.server.ledger, person: scene.phone.person, redirectURI: scene.phone.client.redirectURI)
            let wallet = try other.wallet(issuer: await scene.server.issuer, client: scene.phone.client)
            let asked = try await wallet.login(
                username: scene.phone.person.username, password: scene.phone.person.password
            ).secondFactor()
            let code = try await scene.server.newestCode()
            let refused = await #expect(throws: WalletError.self) {
                try await wallet.register(mfa: asked, answer: code == "000000" ? "000001" : "000000")
            }
            #expect(refused?.statusCode == 401)
            #expect(refused?.operation == .loginByUsernamePassword)
            let nonce = try await scene.server.issueNonce(
                by: scene.backend, for: scene.phone.person, app: scene.phone.client.id)
            let told = try await number(.nonce) { try await wallet.login(nonce: nonce) }
            #expect(told == 412)
        }
    }

    @Test("418: the e-mail address is not confirmed")
    func email() async throws {
        try await withScene { scene in
            let told = try await numbers(at: scene) {
                // No command takes a confirmation back: this is the state of an account that was imported.
                try await scene.server.write("UPDATE accounts SET email_state = 'unverified'")
            }
            #expect(told == [418, 418, 418])
        }
    }

    @Test("421 and 503 and 423: the wallet deactivated, the device suspended, the device deactivated")
    func closed() async throws {
        try await withScene { scene in
            let device = try await scene.deviceID()
            for (close, open, expected) in [
                (["device", "suspend", device], ["device", "resume", device], 503),
                (["device", "deactivate", device], ["device", "reactivate", device], 423),
            ] {
                let told = try await numbers(at: scene) { try await scene.server.require(close) }
                #expect(told == [Int?](repeating: expected, count: Way.allCases.count), "\(close)")
                try await scene.server.require(open)
            }
            let told = try await numbers(at: scene) {
                try await scene.server.require(["account", "deactivate", scene.phone.person.username])
            }
            #expect(told == [421, 421, 421])
        }
    }

    @Test("508: the password has expired")
    func expired() async throws {
        try await withScene { scene in
            let told = try await numbers(of: [.password, .pin], at: scene) {
                try await scene.server.require([
                    "account", "expire-password", scene.phone.person.username,
                ])
            }
            #expect(told == [508, 508])
        }
    }

    @Test("511: the installation has not confirmed its code")
    func installation() async throws {
        try await withScene(clientOptions: ["--verify-app-installation"]) { scene in
            let told = try await numbers(at: scene)
            #expect(told == [511, 511, 511])
        }
    }

    @Test("500: the server failed, and names the lines of its log")
    func failed() async throws {
        try await withScene { scene in
            let told = try await numbers(at: scene) {
                try await scene.server.write("ALTER TABLE accounts RENAME TO accounts_lost")
            }
            #expect(told == [500, 500, 500])
            try await scene.server.write("ALTER TABLE accounts_lost RENAME TO accounts")
        }
    }

    @Test("500 while a second factor is answered: the sign-in goes on once the server can")
    func failedSecondFactor() async throws {
        try await withScene { scene in
            let other = Device(
                ledger: scene.server.ledger, person: scene.phone.person, redirectURI: scene.phone.client.redirectURI)
            let wallet = try other.wallet(issuer: await scene.server.issuer, client: scene.phone.client)
            let asked = try await wallet.login(
                username: scene.phone.person.username, password: scene.phone.person.password
            ).secondFactor()
            let code = try await scene.server.newestCode()
            try await scene.server.write("ALTER TABLE accounts RENAME TO accounts_lost")
            let failed = await #expect(throws: WalletError.self) {
                try await wallet.register(mfa: asked, answer: code)
            }
            #expect(failed?.statusCode == 500)
            #expect(failed?.operation == .loginByUsernamePassword)
            try await scene.server.write("ALTER TABLE accounts_lost RENAME TO accounts")
            _ = try await wallet.register(mfa: asked, answer: code)
            #expect(wallet.isLoggedIn)
        }
    }

    @Test("403: signing out without a signed-in person, which is an outcome here")
    func signedOut() async throws {
        try await withScene { scene in
            _ = try await scene.phone.wallet.logout()
            let again = try await scene.phone.wallet.logout()
            #expect(again == .notSignedIn)
            #expect(again.statusCode == 403)
        }
    }
}

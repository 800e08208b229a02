import Foundation
import PaydiantCompat
import PaydiantPage
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting

/// The numbers of the page's tables, as the page's code gets them from the running program. They belong to the suite of the page's
/// journey, because the module has one configuration for the whole process.
extension PaydiantTests {
    private static let wrongPIN = "170395826641"

    /// A sign-in that has a table on the page.
    private enum Way: CaseIterable {
        case password
        case pin
        case nonce
        case provider
        case token

        var domain: String {
            switch self {
            case .password: kUserErrorLoginWithUsernamePasswordDomain
            case .pin: kUserErrorLoginWithPinDomain
            case .nonce: kUserErrorLoginWithNonceDomain
            case .provider: kUserErrorLoginWithFederatedIdentityDomain
            case .token: kUserErrorLoginWithDeviceAuthenticationTokenDomain
            }
        }
    }

    /// The app on a linked phone with a PIN. A provider knows the person, and a backend issues nonces for them.
    @MainActor
    private struct MovedApp {
        let linked: LinkedPhone
        let provider: PeerProvider
        let backend: RegisteredClient
        let page = PaydiantPage()

        var server: RunningServer { linked.server }
        var username: String { linked.person.username }

        /// The phone's id, as the operator names it.
        func deviceID() async throws -> String {
            try #require(try await linked.wallet.devices.list().first).id.rawValue
        }

        func stayLoggedIn() async {
            let shown = await page.result {
                page.stayLoggedIn(username: username, password: linked.person.password)
            }
            #expect(shown == "stays logged in")
        }

        /// A sign-in, with what it needs from elsewhere.
        private func prepared(_ way: Way) async throws -> @MainActor () -> Void {
            let (page, person) = (page, linked.person)
            switch way {
            case .password: return { page.signIn(username: person.username, password: person.password) }
            case .pin: return { page.signIn(pin: PaydiantTests.pin) }
            case .nonce:
                let nonce = try await server.issueNonce(by: backend, for: person, app: linked.client.id)
                return { page.signIn(nonce: nonce) }
            case .provider:
                let nonce = try #require(await page.federatedNonce())
                let (code, verifier) = try await provider.code(nonce: nonce)
                return {
                    page.signIn(identityProvider: "example", authorizationCode: code) { request in
                        request.redirectURI = URL(string: PeerProvider.redirectURI)
                        request.codeVerifier = verifier
                    }
                }
            case .token: return { page.resume(pin: PaydiantTests.pin) }
            }
        }

        /// What the app shows for each sign-in. All are prepared before something happens.
        func shown(
            _ ways: [Way] = Way.allCases, after happening: @MainActor () async throws -> Void = {}
        ) async throws -> [String] {
            var calls: [@MainActor () -> Void] = []
            for way in ways { calls.append(try await prepared(way)) }
            try await happening()
            var results: [String] = []
            for (way, call) in zip(ways, calls) {
                let result = await page.result { call() }
                results.append(result)
                guard result.hasPrefix("error") else { continue }
                #expect(page.error?.domain == way.domain)
                #expect(page.error?.message.isEmpty == false)
            }
            return results
        }

        /// What the app shows for five wrong passwords.
        func mistypePasswords() async -> [String] {
            var results: [String] = []
            for _ in 0..<5 {
                results.append(
                    await page.result { page.signIn(username: username, password: "not the password") })
            }
            return results
        }

        /// What the device coordinator reports.
        func registration() async -> String {
            await withCheckedContinuation { continuation in
                PDDeviceCoordinator().isDeviceRegistered(
                    completion: { continuation.resume(returning: "registered: \($0), active: \($1)") },
                    failure: { continuation.resume(returning: "error \($0.code)") })
            }
        }
    }

    private func withMovedApp(
        _ options: [String] = ["--device-tokens"],
        _ body: @escaping @Sendable @MainActor (MovedApp) async throws -> Void
    ) async throws {
        try await withServer { @Sendable @MainActor server in
            try await PeerProvider.ourOwn(for: server) { @Sendable @MainActor provider in
                for pin in [Self.pin, Self.wrongPIN] { server.ledger.enter(pin) }
                let client = try await server.makePublicClient(options: options)
                let person = try await server.makeReachableAccount("grace")
                let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
                let wallet = try phone.wallet(issuer: await server.issuer, client: client)
                let linked = LinkedPhone(
                    server: server, client: client, person: person, phone: phone, wallet: wallet)
                let identity = try await provider.identity(nonce: wallet.federatedNonce())
                let guest = try await wallet.login(federatedIdentity: identity).guest()
                try await linked.link(person)
                _ = try await wallet.enrollment.join(guest)
                try await wallet.pin.set(Self.pin)
                try await configure(phone, server, client)
                let backend = try await server.makeConfidentialClient(scope: "login_nonces")
                try await body(MovedApp(linked: linked, provider: provider, backend: backend))
            }
        }
    }

    private func errors(_ number: Int, count: Int = Way.allCases.count) -> [String] {
        [String](repeating: "error \(number)", count: count)
    }

    @Test(
        "Each sign-in gives 503, 423, 418, 500 or 421 in its own domain while that lasts; a token gives 412 for 421",
        .onceForAllEngines,
        .covers("error tables"))
    func closed() async throws {
        try await withMovedApp { app in
            let device = try await app.deviceID()
            await app.stayLoggedIn()
            for (close, open, number) in [
                (["device", "suspend", device], ["device", "resume", device], 503),
                (["device", "deactivate", device], ["device", "reactivate", device], 423),
            ] {
                let closed = try await app.shown { try await app.server.require(close) }
                #expect(closed == errors(number))
                try await app.server.require(open)
                let opened = try await app.shown([.pin])
                #expect(opened == ["signed in, with attributes"])
            }
            // No command takes a confirmation back: this is the state of an account that was imported.
            let unconfirmed = try await app.shown {
                try await app.server.write("UPDATE accounts SET email_state = 'unverified'")
            }
            #expect(unconfirmed == errors(418))
            try await app.server.require(["account", "verify-email", app.username])
            let failed = try await app.shown {
                try await app.server.write("ALTER TABLE accounts RENAME TO accounts_lost")
            }
            #expect(failed == errors(500))
            try await app.server.write("ALTER TABLE accounts_lost RENAME TO accounts")
            let opened = try await app.shown([.pin, .token])
            #expect(opened == ["signed in, with attributes", "resumed"])
            let deactivated = try await app.shown {
                try await app.server.require(["account", "deactivate", app.username])
            }
            #expect(deactivated == errors(421, count: 4) + errors(412, count: 1))
            try await app.server.require(["account", "reactivate", app.username])
            let reactivated = try await app.shown([.pin, .token])
            #expect(reactivated == ["signed in, with attributes", "error 401"])
        }
    }

    @Test(
        "An expired password is 508 by password and PIN and 401 by token; a nonce and a provider sign in",
        .onceForAllEngines)
    func expired() async throws {
        try await withMovedApp { app in
            await app.stayLoggedIn()
            let own = try await app.shown([.token, .password, .pin]) {
                try await app.server.require(["account", "expire-password", app.username])
            }
            #expect(own == ["error 401", "error 508", "error 508"])
            guard case .passwordChangeRequired? = app.page.error?.outcome else {
                Issue.record("no new password can be chosen")
                return
            }
            let others = try await app.shown([.nonce, .provider])
            #expect(others == ["signed in, with a response", "signed in, with a response"])
        }
    }

    @Test("An app whose installation is not confirmed gets 511 from every sign-in that has it on the page")
    func installation() async throws {
        try await withMovedApp(["--verify-app-installation"]) { app in
            let shown = try await app.shown([.password, .pin, .nonce, .provider])
            #expect(shown == errors(511, count: 4))
            guard case .appInstanceUnverified? = app.page.error?.outcome else {
                Issue.record("the installation cannot be confirmed")
                return
            }
        }
    }

    @Test(
        "Five wrong PINs lock the PIN with 423, five wrong passwords the device with 423, ten the wallet with 421",
        .onceForAllEngines)
    func failedAttempts() async throws {
        try await withMovedApp { app in
            let device = try await app.deviceID()
            await app.stayLoggedIn()
            let page = app.page
            var pins: [String] = []
            for _ in 0..<5 { pins.append(await page.result { page.signIn(pin: Self.wrongPIN) }) }
            #expect(pins == errors(401, count: 4) + errors(423, count: 1))
            let locked = try await app.shown([.pin, .token, .password])
            #expect(locked == ["error 423", "error 423", "signed in, with attributes"])

            let onDevice = try await app.shown {
                let passwords = await app.mistypePasswords()
                #expect(passwords == errors(401, count: 4) + errors(423, count: 1))
            }
            #expect(onDevice == errors(423))

            try await app.server.require(["device", "reactivate", device])
            let onWallet = try await app.shown([.password, .nonce, .provider]) {
                let passwords = await app.mistypePasswords()
                #expect(passwords == errors(401, count: 4) + errors(421, count: 1))
            }
            #expect(onWallet == errors(421, count: 3))
        }
    }

    @Test(
        "A removed device is asked for a second factor like a new one, and its PIN and token give 401",
        .onceForAllEngines)
    func removed() async throws {
        try await withMovedApp { app in
            let device = try await app.deviceID()
            await app.stayLoggedIn()
            let shown = try await app.shown([.pin, .token, .password, .nonce]) {
                try await app.server.require(["device", "remove", device])
            }
            // A nonce from before the removal has ended with it.
            #expect(shown == ["error 401", "error 401", "question", "error 401"])
            #expect(try await app.shown([.nonce]) == ["question"])
        }
    }

    @Test(
        "A provider's sign-in on a new device asks for the authenticator app's code, which links the device",
        .onceForAllEngines)
    func authenticator() async throws {
        try await withMovedApp { app in
            let setup = try await app.linked.wallet.factors.beginAuthenticator()
            app.server.ledger.enter(setup.secret.reveal())
            let authenticator = AuthenticatorApp(secret: setup.secret.reveal())
            try await app.linked.wallet.factors.confirmAuthenticator(code: try await authenticator.nextCode())

            let tablet = Device(
                ledger: app.server.ledger, person: app.linked.person, redirectURI: app.linked.client.redirectURI)
            try await configure(tablet, app.server, app.linked.client)
            let page = app.page
            _ = try #require(await page.federatedNonce())
            let unknown = await page.result {
                page.signIn(identityProvider: "example", authorizationCode: randomText(32)) { request in
                    request.redirectURI = URL(string: PeerProvider.redirectURI)
                    request.codeVerifier = randomText(32)
                }
            }
            #expect(unknown == "error 401")
            let asked = try await app.shown([.provider])
            #expect(asked == ["question"])
            #expect(page.question?.challenge?.method == "totp")
            #expect(page.question?.question?.isEmpty == false)
            let code = try await authenticator.nextCode()
            let mistyped = await page.result { page.answer(code == "000000" ? "000001" : "000000") }
            #expect(mistyped == "error 401")
            #expect(page.error?.domain == kUserErrorLoginWithFederatedIdentityDomain)
            try await app.server.write("ALTER TABLE accounts RENAME TO accounts_lost")
            let failed = await page.result { page.answer(code) }
            #expect(failed == "error 500")
            try await app.server.write("ALTER TABLE accounts_lost RENAME TO accounts")
            let answered = await page.result { page.answer(code) }
            #expect(answered == "signed in, with attributes")
            #expect(await app.registration() == "registered: true, active: true")
            let again = try await app.shown([.provider])
            #expect(again == ["signed in, with a response"])
        }
    }

    @Test(
        "The token signs in with a face; a suspended device has no session to ask with, and its sign-in gives 503",
        .onceForAllEngines)
    func biometrics() async throws {
        try await withMovedApp { app in
            let (device, page) = (try await app.deviceID(), app.page)
            await app.stayLoggedIn()
            try await app.linked.wallet.biometrics.enable(pin: Self.pin)
            #expect(await page.result { page.leave() } == "logged out")
            #expect(await page.result { page.resume() } == "resumed")
            #expect(app.linked.phone.keys.presence.reasons.count == 1)
            #expect(await app.registration() == "registered: true, active: true")
            for (close, open, number) in [
                (["device", "suspend", device], ["device", "resume", device], 503),
                (["device", "deactivate", device], ["device", "reactivate", device], 423),
            ] {
                try await app.server.require(close)
                #expect(await app.registration() == "error 401")
                #expect(await page.result { page.resume() } == "error \(number)")
                #expect(page.error?.domain == kUserErrorLoginWithDeviceAuthenticationTokenDomain)
                try await app.server.require(open)
                #expect(await page.result { page.resume() } == "resumed")
                #expect(await app.registration() == "registered: true, active: true")
            }
            try await app.server.require(["account", "deactivate", app.username])
            #expect(await page.result { page.resume() } == "error 412")
        }
    }

    @Test(
        "Generating and expiring a token give 1003 without one, 500 for a fault and 400 for a malformed request",
        .onceForAllEngines)
    func tokens() async throws {
        try await withMovedApp { app in
            let (page, person, network) = (app.page, app.linked.person, app.linked.phone.network)
            @MainActor func generate() async -> String {
                await page.result { page.stayLoggedIn(username: person.username, password: person.password) }
            }
            #expect(await page.result { page.resume(pin: Self.pin) } == "error 1003")
            #expect(await page.result { page.revert() } == "error 1003")
            #expect(page.error?.domain == kUserErrorExpireDeviceAuthenticationTokenDomain)
            try await app.server.write("ALTER TABLE device_tokens RENAME TO device_tokens_lost")
            #expect(await generate() == "error 500")
            #expect(page.error?.domain == kUserErrorGenerateDeviceAuthenticationTokenDomain)
            try await app.server.write("ALTER TABLE device_tokens_lost RENAME TO device_tokens")
            #expect(await generate() == "stays logged in")
            try await app.server.write("ALTER TABLE device_tokens RENAME TO device_tokens_lost")
            #expect(await page.result { page.revert() } == "error 500")
            try await app.server.write("ALTER TABLE device_tokens_lost RENAME TO device_tokens")
            network.spoil("/v1/device-authentication-tokens/current")
            #expect(await page.result { page.revert() } == "error 400")
            network.spoil("/v1/device-authentication-tokens")
            #expect(await generate() == "error 400")
        }
    }

    @Test("Generating a token gives 432 in an app that may not have one", .onceForAllEngines)
    func unsupported() async throws {
        try await LinkedPhone.use { @Sendable @MainActor phone in
            try await configure(phone.phone, phone.server, phone.client)
            let page = PaydiantPage()
            let shown = await page.result {
                page.stayLoggedIn(username: phone.person.username, password: phone.person.password)
            }
            #expect(shown == "error 432")
        }
    }
}

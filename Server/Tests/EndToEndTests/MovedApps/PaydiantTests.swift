import Foundation
import PaydiantCompat
import PaydiantPage
import Testing
import WalletAuth
import WalletAuthPIN

/// The code of Paydiant's page, in an app that changed its import, against the running program. The module has one configuration for the
/// whole process, so the steps are one test.
@MainActor
@Suite(
    "An app that moved here from Paydiant", .onceForAllEngines, .covers("the flows as each page prints them"),
    .serialized)
struct PaydiantTests {
    static let pin = "804613972558"

    func configure(_ device: Device, _ server: RunningServer, _ client: RegisteredClient) async throws {
        try await PDAthenticationCoordinator.configure(
            WalletAuth.Wallet.Configuration(
                environment: .sandbox(issuer: await server.issuer), clientID: client.id,
                signIn: .full(redirectURI: try #require(URL(string: client.redirectURI))),
                scopes: ["openid", "profile"], ports: device.ports))
    }

    private func signIn(_ page: PaydiantPage, by provider: PeerProvider) async throws -> String {
        let nonce = try #require(await page.federatedNonce())
        let (code, verifier) = try await provider.code(nonce: nonce)
        return await page.result {
            page.signIn(identityProvider: "example", authorizationCode: code) { request in
                request.redirectURI = URL(string: PeerProvider.redirectURI)
                request.codeVerifier = verifier
            }
        }
    }

    /// What the device coordinator says of this device: registered, active.
    private func isRegistered() async -> [Bool] {
        await withCheckedContinuation { continuation in
            PDDeviceCoordinator().isDeviceRegistered(
                completion: { continuation.resume(returning: [$0, $1]) },
                failure: { _ in continuation.resume(returning: []) })
        }
    }

    @Test("Signs in by password, PIN, nonce and provider, links the device, and keeps and ends a long-running session")
    func journey() async throws {
        try await withServer { @Sendable @MainActor server in
            try await PeerProvider.ourOwn(for: server) { @Sendable @MainActor provider in
                server.ledger.enter(Self.pin)
                let client = try await server.makePublicClient(options: ["--device-tokens"])
                let person = try await server.makeReachableAccount("grace")
                let backend = try await server.makeConfidentialClient(scope: "login_nonces")
                let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
                try await configure(phone, server, client)
                let page = PaydiantPage()

                // A provider's person without an account, then the holder, whose device is not linked.
                #expect(try await signIn(page, by: provider) == "error 404")
                guard case .noMatchingGuest(let guest)? = page.error?.outcome else {
                    Issue.record("no identity is joined yet")
                    return
                }
                let wrong = await page.result { page.signIn(username: person.username, password: "not the password") }
                #expect(wrong == "error 401")
                let asked = await page.result { page.signIn(username: person.username, password: person.password) }
                #expect(asked == "question")
                let code = try await server.newestCode()
                let mistyped = await page.result { page.answer(code == "000000" ? "000001" : "000000") }
                #expect(mistyped == "error 401")
                #expect(page.error?.domain == kUserErrorLoginWithUsernamePasswordDomain)
                let linked = await page.result { page.answer(code) }
                #expect(linked == "signed in, with attributes")
                #expect(page.attributes["lastPasswordUpdate"] as? Int != nil)
                #expect(await isRegistered() == [true, true])
                let wallet = try phone.wallet(issuer: await server.issuer, client: client)
                _ = try await wallet.enrollment.join(guest)
                try await wallet.pin.set(Self.pin)

                // The device is linked: no question any more.
                #expect(try await signIn(page, by: provider) == "signed in, with a response")
                let nonce = try await server.issueNonce(by: backend, for: person, app: client.id)
                #expect(await page.result { page.signIn(nonce: nonce) } == "signed in, with a response")
                #expect(await page.result { page.signIn(nonce: nonce) } == "error 401")
                #expect(await page.result { page.signIn(pin: "170395826641") } == "error 401")
                #expect(page.error?.domain == kUserErrorLoginWithPinDomain)
                #expect(await page.result { page.signIn(pin: Self.pin) } == "signed in, with attributes")

                // The long-running session.
                #expect(await page.result { page.resume() } == "log in")
                let refused = await page.result { page.stayLoggedIn(username: person.username, password: "not it") }
                #expect(refused == "error 419")
                let stays = await page.result {
                    page.stayLoggedIn(username: person.username, password: person.password)
                }
                #expect(stays == "stays logged in")
                #expect(await page.result { page.leave() } == "logged out")
                #expect(await page.result { page.leave() } == "error 403")
                #expect(await page.result { page.resume() } == "error 0")
                #expect(page.error?.reason.contains("loginWithDeviceAuthenticationToken(pin:)") == true)
                #expect(await page.result { page.resume(pin: Self.pin) } == "resumed")
                #expect(await page.result { page.revert() } == "reverted")
                #expect(await page.result { page.revert() } == "error 403")

                // Another device is asked.
                let tablet = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
                try await configure(tablet, server, client)
                #expect(await isRegistered() == [false, false])
                let other = try await server.issueNonce(by: backend, for: person, app: client.id)
                #expect(await page.result { page.signIn(nonce: other) } == "question")
            }
        }
    }
}

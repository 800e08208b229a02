import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("What a session that a scan opened may do", .threat("A relayed sign-in code"))
struct ScanSessionAttackTests {
    private static let methods = ["pin", KeyStorage.software.method, AuthenticationStrength.crossDevice]

    /// Ada's shop, in a session that her phone approved for another device.
    private func opened() async throws -> TestShop {
        let shop = try await TestShop.open()
        return shop.with(
            try await TestDevice.signedIn(shop.account, shop.device.app.client, methods: Self.methods))
    }

    @Test("A sign-in by a scan reaches the lower class, whatever the phone proved, and asks for no second factor")
    func strength() {
        #expect(AuthenticationStrength.acr(of: Self.methods) == AuthenticationStrength.singleFactor)
        #expect(AuthenticationStrength.acr(of: Self.methods + ["otp"]) == AuthenticationStrength.singleFactor)
        let factors = SignInPolicy.Factors(
            securityVersion: 1, amr: Self.methods, authTime: Timestamp(milliseconds: 0))
        #expect(factors.hasSecondFactor)
    }

    @Test("attack: a session that a scan opened enrolls no device and changes no factor")
    func changes() async throws {
        let shop = try await opened()
        let device = shop.device
        let enrolled = try await device.enroll(device.enrollment(shop.account, over: device.challenge()))
        guard case .failure(.strongerSignIn) = enrolled else {
            Issue.record("a device was enrolled: \(enrolled)")
            return
        }
        let presented = try device.presented(.post, Endpoints.recoveryCodes.path)
        let codes = try await shop.server.flows.signIn.security.recoveryCodes.make(
            call: shop.server.flows.callers.app(presented))
        guard case .failure(.strongerSignIn) = codes else {
            Issue.record("recovery codes were made")
            return
        }
    }

    @Test("attack: a session that a scan opened pays nothing: no exemption applies, and no consent can be given in it")
    func payments() async throws {
        let shop = try await opened()
        let response = try await shop.ask(TestShop.transfer(1_00)).get()
        #expect(response.status == .scaRequired)
        #expect(response.availableVerifications.isEmpty)
        let event = try #require(response.eventID)
        for way in [SCAVerification.sms, .email, .devicePIN, .deviceBiometric] {
            #expect(try await shop.challenge(way, of: event).refusal == .strongerSignIn)
        }
    }

    @Test("attack: no scan leads to a consent to another company's app, which would outlast the session")
    func thirdParty() async throws {
        let table = try await ScanTable.set()
        let partner = table.opened(by: try await table.server.bearerClient("partner") { $0.firstParty = false })
        let page = try await partner.browser.open(partner.client.request()).page()
        #expect(!page.offersScan)
        // A button that the page does not have.
        let pressed = try await partner.press(.useScan, on: page, in: partner.browser, from: ScanTable.home)
        #expect(try pressed.page().step == .credentials(username: nil))
        #expect(try await table.server.rows(of: "scan_sign_ins") == 0)
    }

    @Test("attack: no scan leads to the account's page, which ends sessions, changes factors and withdraws consents")
    func accountPage() async throws {
        let table = try await ScanTable.set()
        let page = try await table.browser.openAccount().page()
        #expect(!page.offersScan)
        // A button that the page does not have.
        #expect(try await !table.browser.press(.useScan, on: page).page().offersScan)
        #expect(try await table.server.rows(of: "scan_sign_ins") == 0)
        // Nor does a scan for an app leave a session that the page accepts.
        _ = try await table.signIn()
        _ = try await table.browser.openAccount().page()
    }

    @Test(
        "attack: a scan that signs in an app on an enrolled device makes it approve, list and refuse nothing, and get no push messages"
    )
    func approvals() async throws {
        let table = try await ScanTable.set()
        let phone = table.till.phone
        let app = table.opened(by: phone.device.app.client)
        let shown = try await app.show { $0["dpop_jkt"] = phone.device.app.key.thumbprint.rawValue }
        let chosen = try await app.chosen(shown)
        let assertion = try await phone.assertion(of: app.act(chosen), TestTill.pin)
        _ = try await app.sign(chosen, assertion).get()
        let grant = TokenRequest.Grant.authorizationCode(
            try await app.look(shown.id).code(), redirectURI: nil, verifier: TestClient.verifier)
        let tokens = try await app.client.token(grant, proof: phone.device.app.key).tokens()
        let session = TestDevice(app: phone.device.app, tokens: tokens, deviceKey: phone.device.deviceKey)
        let call = try await session.call(.get, Endpoints.approvals.path)
        #expect(call.device?.id.uuid == phone.id.rawValue)

        let flows = TransactionFlows(table.server.flows)
        #expect(try await flows.approvals.page(after: nil, call: call).refusal == .consent(.strongerSignIn))
        let event = try SCAEventID(table.server.context.random.uniqueID().uuid)
        let operation = try WalletOperationID("op-1")
        let approvals = table.server.flows.consent.approvals
        let approved = try await approvals.approve(
            ApprovalAttempt(operationID: operation, assertion: assertion), of: event,
            by: session.call(.post, Endpoints.approvalAttempts.path(event)))
        #expect(approved.refusal == .consent(.strongerSignIn))
        let refused = try await approvals.refuse(
            SCARefusalRequest(operationID: operation), of: event,
            by: session.call(.post, Endpoints.approvalRefusal.path(event)))
        #expect(refused.refusal == .consent(.strongerSignIn))

        let address = PushAddress(token: try PushToken(String(repeating: "7", count: 64)), environment: .sandbox)
        let diverted = try await table.server.flows.signIn.devices.setPushAddress(
            address, of: phone.id, call: session.call(.put, Endpoints.devicePush.path(phone.id)))
        guard case .failure(.strongerSignIn) = diverted else {
            Issue.record("push messages go to an app that a scan signed in")
            return
        }
    }

    @Test("attack: the key of a browser that a scan signed in does not become known to the account")
    func unknownKey() async throws {
        let shop = try await opened()
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        let key = shop.device.app.key.thumbprint.bytes
        let isKnown = try await shop.server.context.database.read {
            try Sessions.knows(key, by: "app", of: account, on: $0)
        }
        #expect(!isKnown)
    }

    @Test("attack: the key of an app that a scan signed in guesses login nonces as a stranger's")
    func nonces() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        let ada = try await server.account()
        let app = try await TestDevice.signedIn(ada, server.publicClient(), methods: Self.methods).app
        let backend = try await TestBackend.registered(at: server)
        let other = TestApp(client: app.client)
        for number in 0..<5 { _ = try await other.signIn(nonce: LoginNonce("a-wrong-one-\(number)")) }
        #expect(try await app.signIn(nonce: backend.nonce(app: app.client)).refusal?.status == 429)
    }

    @Test("attack: the key of an app that a scan signed in has recoveries begun as a stranger's")
    func recoveries() async throws {
        let server = try await TestServer.start()
        let ada = try await server.reachableAccount()
        let app = try await TestDevice.signedIn(ada, server.publicClient(), methods: Self.methods).app
        let other = TestApp(client: app.client)
        for _ in 0..<20 { _ = try await other.beginRecovery().recovery() }
        #expect(try await other.beginRecovery().refusal?.status == 429)
        #expect(try await app.beginRecovery().refusal?.status == 429)
    }
}

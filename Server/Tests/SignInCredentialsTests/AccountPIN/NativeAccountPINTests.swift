import Core
import FlowSupport
import Foundation
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Native sign-in by the PIN of the account", .covers("login_method=account_pin, login_strategy=PIN"))
struct NativeAccountPINTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    @Test("The right PIN yields a code, the app's key redeems it, and the tokens say pin")
    func signsIn() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let app = TestApp(client: client)
        let tokens = try await app.redeem(app.signIn(byPIN: TestServer.pin).code()).tokens()
        #expect(try await server.claims(of: tokens).subject == account.rawValue)
        #expect(try await server.newestMethods() == "pin")
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    @Test("A wrong PIN, a locked one, none and an unknown name are answered like a wrong password, by the same work")
    func oracle() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 10_000 }
        try await server.offerPINs()
        for name in ["ada", "bob"] { try await server.setPIN(of: server.account(name)) }
        _ = try await server.account("eve")
        let client = try await server.publicClient()
        for _ in 0..<5 { _ = try await TestApp(client: client).signIn(byPIN: TestServer.wrongPIN, "bob") }
        let password = try #require(try await TestApp(client: client).signIn(password: "a wrong one").refusal)
        for name in ["ada", "bob", "eve", "nobody"] {
            let before = server.context.passwords.hashesComputed
            let refusal = try #require(
                try await TestApp(client: client).signIn(byPIN: TestServer.wrongPIN, name).refusal)
            #expect(server.context.passwords.hashesComputed - before == 1, "\(name)")
            #expect(refusal.errorCode == password.errorCode, "\(name)")
            #expect(refusal.status == password.status)
            #expect(refusal.session == nil)
        }
    }

    @Test(
        "Text that cannot be a PIN is answered like a wrong one, and costs the holder no guess",
        arguments: ["12345", "pin"])
    func noPIN(text: String) async throws {
        let (server, client, account) = try await TestServer.withPIN()
        #expect(try await TestApp(client: client).signIn(byPIN: text).errorCode == "invalid_credentials")
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    @Test(
        "Five wrong PINs, on a page and in an app together, lock it: the right one is refused, and the holder is notified"
    )
    func locked() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        for _ in 0..<2 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        let app = TestApp(client: client)
        for _ in 0..<3 { #expect(try await app.signIn(byPIN: TestServer.wrongPIN).errorCode == "invalid_credentials") }
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        #expect(try await app.signIn(byPIN: TestServer.pin).errorCode == "invalid_credentials")
        #expect(try await server.told("account_pin_locked") == 1)
        _ = try await app.signIn().code()
    }

    @Test("Where the brand takes no PIN, or no longer, the app learns this, and nothing is compared")
    func off() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        try await server.offerPINs(false)
        let before = server.context.passwords.hashesComputed
        let refusal = try #require(try await TestApp(client: client).signIn(byPIN: TestServer.pin).refusal)
        #expect(refusal.errorCode == "login_strategy_unavailable")
        #expect(refusal.error == "unauthorized_client")
        #expect(refusal.status == 400)
        #expect(server.context.passwords.hashesComputed == before)
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    // MARK: - Devices

    @Test("attack: guesses from behind the holder's address slow down the guesser's device, and not the known one")
    func sameAddress() async throws {
        let (server, client, _) = try await TestServer.withPIN { $0.lockout.network.failures = 3 }
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        server.clock.advance(by: .milliseconds(1))
        let thief = TestApp(client: client)
        var last: NativeSignInRefusal?
        for number in 0..<5 { last = try await thief.signIn(byPIN: TestServer.wrongPIN, "person\(number)").refusal }
        #expect(last?.status == 429)
        _ = try await holder.signIn(byPIN: TestServer.pin).code()
    }

    @Test(
        "attack: an unknown device locks the PIN with five guesses, but not its owner, whose device accepts the password"
    )
    func unknownDevice() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        server.clock.advance(by: .milliseconds(1))
        var thief = TestApp(client: client)
        thief.address = "198.51.100.7"
        for _ in 0..<12 { _ = try await thief.signIn(byPIN: TestServer.wrongPIN) }
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        #expect(try await server.record(of: account)?.state == .active)
        #expect(try await holder.signIn(byPIN: TestServer.pin).errorCode == "invalid_credentials")
        _ = try await holder.signIn().code()
    }

    @Test("attack: a PIN alone makes no device known, so its guesser cannot deactivate the wallet")
    func makesNothingKnown() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let thief = TestApp(client: client)
        _ = try await thief.redeem(thief.signIn(byPIN: TestServer.pin).code()).tokens()
        server.clock.advance(by: .milliseconds(1))
        try await thief.expectNoHarm(to: account)
    }

    @Test("Only a known device learns that the wallet is deactivated")
    func deactivated() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        server.clock.advance(by: .milliseconds(1))
        try await server.administer(AdminRequest(["account", "deactivate"] + Self.ada.words))
        #expect(try await holder.signIn(byPIN: TestServer.pin).errorCode == "wallet_deactivated")
        #expect(try await TestApp(client: client).signIn(byPIN: TestServer.pin).errorCode == "invalid_credentials")
    }

    @Test("A new device is asked for the second factor, as after the password, and for none the next time")
    func newDevice() async throws {
        let (server, client, _) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        let app = TestApp(client: client)
        let asked = try await app.signIn(byPIN: TestServer.pin).asked()
        let answered = try await app.answer(try await server.sentCode(), to: asked)
        _ = try await app.redeem(answered.code()).tokens()
        #expect(try await server.newestMethods() == "pin otp")
        server.clock.advance(by: .milliseconds(1))
        _ = try await app.signIn(byPIN: TestServer.pin).code()
    }

    @Test("attack: a PIN set a moment ago and a code change no factor of the account; a day later they do")
    func newPIN() async throws {
        let (server, client, account) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        try await server.setPIN(of: account, coolingFor: .days(1))
        for isSettled in [false, true] {
            if isSettled { server.clock.advance(by: .days(1)) }
            let app = TestApp(client: client)
            let asked = try await app.signIn(byPIN: TestServer.pin).asked()
            let answered = try await app.answer(try await server.sentCode(), to: asked)
            let tokens = try await app.redeem(answered.code()).tokens()
            let phone = TestDevice(app: app, tokens: tokens)
            let call = try await phone.call(.post, Endpoints.recoveryCodes.path)
            #expect(call.methods == ["pin", "otp"])
            #expect(call.settledMethods == (isSettled ? ["pin", "otp"] : ["otp"]))
            let outcome = try await server.flows.signIn.security.recoveryCodes.make(call: call)
            switch outcome {
            case .success: #expect(isSettled)
            case .failure(let refusal):
                #expect(!isSettled, "\(refusal)")
            }
        }
    }

    /// A server with an enrolled device, and an app on it with a new DPoP key.
    private func enrolled() async throws -> (TestServer, AccountID, TestApp, Enrolled) {
        let (server, client, account) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        server.clock.advance(by: .milliseconds(1))
        return (server, account, TestApp(client: client), Enrolled(device: device, id: id))
    }

    private struct Enrolled {
        let device: TestDevice
        let id: DeviceID

        func signIn(_ app: TestApp, byPIN pin: String, acrValues: [String] = []) async throws -> NativeSignInOutcome {
            let proof = try await device.proof(of: id, dpopKey: app.key)
            return try await app.signIn(byPIN: pin, on: (id, proof), acrValues: acrValues)
        }
    }

    @Test("An enrolled device that proves its key is linked, but with the account PIN its key is no factor")
    func enrolledDevice() async throws {
        let (server, _, app, phone) = try await enrolled()
        _ = try await app.redeem(phone.signIn(app, byPIN: TestServer.pin).code()).tokens()
        #expect(try await server.newestMethods() == "pin")
        let strong = try await phone.signIn(
            TestApp(client: app.client), byPIN: TestServer.pin, acrValues: [AuthenticationStrength.twoFactors])
        #expect(strong.errorCode == "mfa_required")
    }

    @Test("A sign-in that waits for an answer keeps the device that proved its key, in its sealed form as well")
    func pending() async throws {
        let account = try #require(UniqueID(uuid: "6ba7b810-9dad-41d1-80b4-00c04fd430c8"))
        let factors = SignInPolicy.Factors(
            securityVersion: 1, amr: [AuthenticationStrength.pin], authTime: Timestamp(seconds: 1))
        for isProved in [true, false] {
            let pending = PendingSignIn(
                .merchant, account: account, factors: factors, device: account, isDeviceProved: isProved)
            let opened = try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(pending))
            #expect(SignInProof(opened)?.isDeviceProved == isProved)
        }
    }

    @Test("A suspended device that proves its key learns this, and no guess is charged")
    func suspended() async throws {
        let (server, account, app, phone) = try await enrolled()
        try await server.administer(["device", "suspend", phone.id.rawValue])
        #expect(try await phone.signIn(app, byPIN: TestServer.wrongPIN).errorCode == "device_suspended")
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    // MARK: - What a PIN must not do

    @Test(
        "attack: the PIN sets no password, not even with an enrolled device's proof: the response offers no way to continue"
    )
    func expiredPassword() async throws {
        let (server, _, app, phone) = try await enrolled()
        try await server.administer(AdminRequest(["account", "expire-password"] + Self.ada.words))
        let refusal = try #require(try await phone.signIn(app, byPIN: TestServer.pin).refusal)
        #expect(refusal.errorCode == "password_change_required")
        #expect(refusal.error == "access_denied")
        #expect(refusal.status == 403)
        #expect(refusal.session == nil)
    }

    @Test(
        "attack: a session by the PIN on an enrolled device ends with the PIN, and another session goes on",
        .threat("Guessing an account PIN"))
    func removed() async throws {
        let (server, _, app, phone) = try await enrolled()
        _ = try await app.redeem(phone.signIn(app, byPIN: TestServer.pin).code()).tokens()
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 2)
        try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL AND amr = 'pin'") == 0)
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 1)
    }
}

extension TestApp {
    /// Signs in by the PIN of the account.
    /// - Parameter device: an enrolled device and the proof of its key.
    func signIn(
        byPIN pin: String, _ username: String = "ada", on device: (id: DeviceID, proof: DeviceProof)? = nil,
        acrValues: [String] = []
    ) async throws -> NativeSignInOutcome {
        let login = AccountPINLogin(
            username: try Username(username), pin: try Password(pin), deviceID: device?.id, deviceProof: device?.proof)
        return try await step(.begin(.accountPIN(login)), acrValues: acrValues)
    }
}

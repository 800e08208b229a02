import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("One-time passwords for guests")
struct OneTimePasswordTests {
    private static let phone = "514-299-1649"

    private func start() async throws -> (LoyaltyServer, Integrator) {
        let server = try await LoyaltyServer.start()
        return (server, try await server.integrator { $0.guestPasswords = true })
    }

    /// Enrolls a guest who proves the number.
    private func enroll(_ integrator: Integrator) async throws {
        let request = try integrator.enrollment(of: "sub-1") { $0.profile.mobilePhone = Self.phone }
        let token = try await integrator.enroll(request).get().tokens.accessToken
        _ = try await integrator.prove(Self.phone, with: token).get()
    }

    @Test("A guest gets a code by SMS at the proved number, and it signs in once")
    func signedIn() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        #expect(try await integrator.send(Self.phone).code == nil)
        let message = try #require(try await server.sentCodes().first)
        #expect(message.to == "+15142991649" && message.channel == .sms)
        let code = message.code
        #expect(try await integrator.redeem(code, "+1 514 299 1649").get().tokens.username == "ada")
        #expect(try await integrator.redeem(code, Self.phone).code == .invalidCredentials)
    }

    @Test("attack: an unknown number gets the same answer, and no message")
    func unknown() async throws {
        let (server, integrator) = try await start()
        #expect(try await integrator.send("212-555-0100").code == nil)
        #expect(try await server.sentCodes().isEmpty)
        #expect(try await integrator.redeem("123456", "212-555-0100").code == .invalidCredentials)
        #expect(try await integrator.send("call me").code == .invalidFields)
    }

    @Test("attack: messages to one number are limited, and so are guesses at its codes: the right one comes too late")
    func limited() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        for _ in 0..<5 { #expect(try await integrator.send(Self.phone).code == nil) }
        let codes = try await server.sentCodes()
        #expect(codes.count == 1)
        let right = try #require(codes.first?.code)
        let wrong = right == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try await integrator.redeem(wrong, Self.phone).code == .invalidCredentials) }
        #expect(try await integrator.redeem(right, Self.phone).code == .invalidCredentials)
        server.clock.advance(by: .minutes(2))
        #expect(try await integrator.redeem(right, Self.phone).code == nil)
    }

    @Test(
        "attack: one code tried at the numbers of many guests makes the backend wait, a minute at most",
        .threat("Integrators' backends"))
    func spraying() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.sharedFailures = 4 }
        let integrator = try await server.integrator { $0.guestPasswords = true }
        try await enroll(integrator)
        _ = try await integrator.send(Self.phone)
        let right = try #require(try await server.sentCodes().first?.code)
        let wrong = right == "000000" ? "000001" : "000000"
        for number in 0..<5 { _ = try await integrator.redeem(wrong, "212-555-010\(number)") }
        #expect(try await integrator.redeem(right, Self.phone).code == .invalidCredentials)
        server.clock.advance(by: .minutes(1))
        #expect(try await integrator.redeem(right, Self.phone).code == nil)
    }

    @Test(
        "attack: a code is good for five minutes, for the client that had it sent, and not for another merchant's backend"
    )
    func bound() async throws {
        let (server, integrator) = try await start()
        try await server.addIntegration("second", of: 20_202_020, provider: "apple-2", namespace: "team-2")
        let twin = try await server.integrator("twin") { $0.guestPasswords = true }
        let other = try await server.integrator("other") {
            $0.guestPasswords = true
            $0.loyaltyMerchants = [20_202_020]
        }
        try await enroll(integrator)
        #expect(try await other.send(Self.phone, merchant: 20_202_020).code == nil)
        #expect(try await other.send(Self.phone).code == .unknownMerchant)
        #expect(try await server.sentCodes().isEmpty)
        server.clock.advance(by: .minutes(1))
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await twin.redeem(code, Self.phone).code == .invalidCredentials)
        #expect(try await other.redeem(code, Self.phone, merchant: 20_202_020).code == .invalidCredentials)
        server.clock.advance(by: .minutes(5))
        #expect(try await integrator.redeem(code, Self.phone).code == .invalidCredentials)
    }

    @Test("attack: codes are guessed without having any sent, so that the guest hears of nothing: none is right")
    func unsent() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        let account = try #require(
            try await server.read { try Accounts.find(named: "ada", brand: "default", on: $0) })
        let client = try await integrator.call().client.id.rawValue
        // What the guest would get now.
        func code() throws -> String {
            let key = try server.context.keyRing.active(.signIn)
            return SixDigits(
                parts: ["guest-code", account.id.uuid, "+15142991649", client], span: .milliseconds(150_000)
            ).code(at: server.clock.now(), key: key)
        }
        #expect(try await integrator.redeem(code(), Self.phone).code == .invalidCredentials)
        _ = try await integrator.send(Self.phone)
        #expect(try await server.sentCodes().map(\.code) == [code()])
        // The next span has another code.
        server.clock.advance(by: .seconds(150))
        #expect(try await integrator.redeem(code(), Self.phone).code == .invalidCredentials)
        let sent = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(sent, Self.phone).code == nil)
    }

    @Test("The number that an operator enters takes the proved one's place, and so does its removal")
    func numbers() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        let reference = AccountReference.username("ada", brand: nil)
        try await server.administer(
            AdminRequest(["account", "set-phone"] + reference.words + ["--phone", "+35921234567"]))
        #expect(try await integrator.send(Self.phone).code == nil)
        #expect(try await integrator.send("+35921234567").code == nil)
        #expect(try await server.sentCodes().map(\.to) == ["+35921234567"])
        try await server.administer(AdminRequest(["account", "set-phone"] + reference.words + ["--remove"]))
        server.clock.advance(by: .hours(3))
        _ = try await integrator.send("+35921234567")
        _ = try await integrator.send(Self.phone)
        #expect(try await server.sentCodes().count == 1)
    }

    @Test("A code by SMS is one factor: a guest with another one is sent to the app")
    func secondFactor() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        try await server.administer(
            ["account", "set-email", "ada", "--email", "ada@example.com", "--verified"])
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).code == .secondFactorRequired)
    }

    @Test("attack: who gets a code by SMS, at a reassigned number, neither links nor unlinks a provider")
    func links() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        let token = try await integrator.redeem(code, Self.phone).get().tokens.accessToken
        let redeemed = server.vendor.redeemed.count
        #expect(try await integrator.edit(integrator.linking("sub-2", with: token)).code == .loginRequired)
        #expect(try await integrator.edit(integrator.unlinking(with: token)).code == .loginRequired)
        #expect(server.vendor.redeemed.count == redeemed)
        // The guest's own sign-in is enough.
        let own = try await integrator.signIn("sub-1").get().tokens.accessToken
        #expect(try await integrator.edit(integrator.linking("sub-2", with: own)).code == nil)
    }

    @Test("Without SMS, or for a client that may not pass on passwords, the feature is off")
    func disabled() async throws {
        let (server, _) = try await start()
        let plain = try await server.integrator("plain")
        #expect(try await plain.send(Self.phone).code == .oneTimePasswordDisabled)
        #expect(try await plain.redeem("123456", Self.phone).code == .oneTimePasswordDisabled)
        let silent = try await LoyaltyServer.start { $0.undeliverableFactors = [.sms] }
        let integrator = try await silent.integrator { $0.guestPasswords = true }
        #expect(try await integrator.send(Self.phone).code == .oneTimePasswordDisabled)
    }

    @Test("A request is read from query or form; a missing number or merchant, and a token in the query, are refused")
    func messages() throws {
        var plain = FormParameters()
        plain.append("merchantId", "1")
        plain.append("mobilePhone", "+1 514 299 1649")
        var expected = OneTimePasswordRequest(merchantID: 1, mobilePhone: "+1 514 299 1649")
        #expect(try OneTimePasswordRequest(query: plain) == expected)
        var signedIn = plain
        signedIn.append("access_token", "token")
        expected.accessToken = try AccessToken("token")
        #expect(try OneTimePasswordRequest(form: signedIn, query: FormParameters()) == expected)
        #expect(throws: LoyaltyFailure.self) { try OneTimePasswordRequest(query: signedIn) }
        #expect(throws: LoyaltyFailure.self) { try OneTimePasswordRequest(form: plain, query: plain) }
        #expect(throws: LoyaltyFailure.self) { try OneTimePasswordRequest(query: FormParameters()) }
        var query = FormParameters()
        query.append("merchantId", "1")
        #expect(throws: LoyaltyFailure.field("mobilePhone", .required)) { try OneTimePasswordRequest(query: query) }
    }
}

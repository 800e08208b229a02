import AuthAdministration
import AuthCore
import AuthFoundation
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthEvents
@testable import Loyalty

@Suite("One-time passwords for guests")
struct OneTimePasswordTests {
    private static let phone = "514-299-1649"

    private func start() async throws -> (LoyaltyServer, Integrator) {
        let server = try await LoyaltyServer.start()
        return (server, try await server.integrator { $0.guestPasswords = true })
    }

    private func enroll(_ integrator: Integrator, _ subject: String = "sub-1", _ username: String = "ada") async throws
    {
        let request = try integrator.enrollment(of: subject, username: username) {
            $0.profile.mobilePhone = Self.phone
        }
        _ = try await integrator.enroll(request).get()
    }

    @Test("A guest gets a code by SMS at the number of the enrollment, and it signs in once")
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

    @Test("attack: one code tried at the numbers of many guests makes the backend wait, a minute at most")
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

    @Test("Two guests with one number get no code, and the operator's change of a number is followed")
    func numbers() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        try await enroll(integrator, "sub-2", "bob")
        #expect(try await integrator.send(Self.phone).code == .duplicatePhoneNumbers)
        try await server.administer(
            .account(.setPhone(.username("bob", brand: nil), ContactChange("+35921234567"))))
        #expect(try await integrator.send(Self.phone).code == nil)
        #expect(try await integrator.send("+35921234567").code == nil)
        #expect(Set(try await server.sentCodes().map(\.to)) == ["+15142991649", "+35921234567"])
        try await server.administer(.account(.setPhone(.username("bob", brand: nil), ContactChange(nil))))
        server.clock.advance(by: .minutes(10))
        _ = try await integrator.send("+35921234567")
        #expect(try await server.sentCodes().count == 2)
    }

    @Test("attack: guests who enter the number of another one do not keep its owner out")
    func othersNumber() async throws {
        let (server, integrator) = try await start()
        try await enroll(integrator)
        try await server.administer(.account(.setPhone(.username("ada", brand: nil), ContactChange("+15142991649"))))
        for number in 2..<24 { try await enroll(integrator, "sub-\(number)", "guest-\(number)") }
        #expect(try await integrator.send(Self.phone).code == nil)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "ada")
    }

    @Test("A code by SMS is one factor: a guest with another one is sent to the app")
    func secondFactor() async throws {
        let (server, integrator) = try await start()
        let request = try integrator.enrollment(of: "sub-1", email: "ada@example.com") {
            $0.profile.mobilePhone = Self.phone
        }
        _ = try await integrator.enroll(request).get()
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).code == .secondFactorRequired)
    }

    @Test("attack: who gets a code by SMS, at a mistyped or reassigned number, neither links nor unlinks a provider")
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

    @Test("The query of a request is read, and a number or merchant that is missing is refused")
    func messages() throws {
        let request = OneTimePasswordRequest(merchantID: 1, mobilePhone: "+1 514 299 1649")
        #expect(try OneTimePasswordRequest(request.query) == request)
        #expect(throws: LoyaltyFailure.self) { try OneTimePasswordRequest(FormParameters()) }
        var query = FormParameters()
        query.append("merchantId", "1")
        #expect(throws: LoyaltyFailure.field("mobilePhone", .required)) { try OneTimePasswordRequest(query) }
    }
}

extension Integrator {
    fileprivate func send(
        _ phone: String, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<Void, LoyaltyFailure> {
        try await server.loyalty.sendOneTimePassword(
            OneTimePasswordRequest(merchantID: merchant, mobilePhone: phone), call: call())
    }

    fileprivate func redeem(
        _ code: String, _ phone: String, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await token(.oneTimePassword(mobilePhone: phone, OneTimeCode(code)), merchant: merchant)
    }
}

extension LoyaltyServer {
    /// The codes that were sent, the newest first.
    fileprivate func sentCodes() async throws -> [(code: String, to: String, channel: OutboxChannel)] {
        try await read { try Outbox.recent(limit: 100, on: $0) }.filter { $0.kind == "second_factor_code" }.map {
            let bytes = context.open($0.sealed, for: .outbox, context: AuditLog.context($0.id)) ?? []
            let content = try JSONValue.object(parsing: bytes)
            return (content["code"]?.string ?? "", content["to"]?.string ?? "", $0.channel)
        }
    }
}

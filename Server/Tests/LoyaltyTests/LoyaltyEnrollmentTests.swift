import Core
import Foundation
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("Enrollments of guests", .covers("cardTemplateCode, activationStoreCode", "a new account and a token pair"))
struct LoyaltyEnrollmentTests {
    @Test("A guest whom the provider knows gets an account, its number and tokens, and signs in at once from then on")
    func enrolled() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let answer = try await integrator.enroll(integrator.enrollment(of: "sub-1", email: "ada@example.com")).get()
        #expect((100_000_000...2_147_483_647).contains(answer.accountID))
        #expect(answer.tokens.username == "ada")
        #expect(answer.tokens.scope == integrator.scope)
        let exported = try await server.administer(["account", "export", "ada"])
        let loyalty = try #require(exported["loyaltyAccount"]?.object)
        #expect(loyalty["number"]?.integer == answer.accountID)
        #expect(loyalty["merchantId"]?.integer == LoyaltyServer.merchant)
        #expect(loyalty["cardTemplateCode"]?.integer == 0)
        #expect(loyalty["activationStoreCode"] == "pxweb")
        #expect(loyalty["enrolledAt"]?.string == server.clock.now().text)
        #expect(exported["email"] == "ada@example.com")
        let kinds = exported["events"]?.array?.compactMap { $0.object?["event"]?.string } ?? []
        for kind in ["account.created", "identity.linked", "loyalty.enrolled", "account.signed_in"] {
            #expect(kinds.contains(kind), "\(kind)")
        }
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "ada")
    }

    @Test(
        "The password of an enrollment signs the guest in, and an address that the provider does not vouch for is not kept"
    )
    func password() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator { $0.guestPasswords = true }
        _ = try await integrator.enroll(integrator.enrollment(of: "sub-1")).get()
        let grant = GuestTokenRequest.Grant.password(username: "ada", try Password("correct horse battery"))
        #expect(try await integrator.token(grant).code == nil)
        let account = try await server.read { try Accounts.find(named: "ada", brand: "default", on: $0) }
        #expect(account?.emailState == EmailState.none)
    }

    @Test(
        "A template or store that is not the integration's is refused and costs no code; an integration without one accepts any"
    )
    func unknownCodes() async throws {
        let server = try await LoyaltyServer.start()
        try await server.addIntegration("bare", cardTemplate: nil, activationStore: nil)
        let integrator = try await server.integrator()
        let wrong = try [
            integrator.enrollment(of: "sub-1") { $0.cardTemplateCode = 7 },
            integrator.enrollment(of: "sub-1") { $0.cardTemplateCode = nil },
        ]
        for request in wrong { #expect(try await integrator.enroll(request).code == .unknownCardTemplate) }
        for store in ["corp", nil] {
            let request = try integrator.enrollment(of: "sub-1") { $0.activationStoreCode = store }
            #expect(try await integrator.enroll(request).code == .unknownStore)
        }
        let unknown = try integrator.enrollment(of: "sub-1") {
            $0.externalAccount.integration = try IntegrationID("none")
        }
        #expect(try await integrator.enroll(unknown).code == .unknownIntegration)
        let merchant = try integrator.enrollment(of: "sub-1") { $0.merchantID = 5 }
        #expect(try await integrator.enroll(merchant).code == .unknownMerchant)
        #expect(server.vendor.redeemed.isEmpty)
        let bare = try integrator.enrollment(of: "sub-1") {
            $0.externalAccount.integration = try IntegrationID("bare")
            $0.cardTemplateCode = 7
            $0.activationStoreCode = nil
        }
        #expect(try await integrator.enroll(bare).code == nil)
        let kept = try await server.read { try $0.row("SELECT card_template FROM loyalty_accounts", []) }
        #expect(try kept?.integer("card_template") == 7)
    }

    @Test("A taken name is found before the code is redeemed, and the same code takes another name")
    func takenName() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-0")
        let integrator = try await server.integrator()
        var request = try integrator.enrollment(of: "sub-1")
        let taken = try await integrator.enroll(request).failure
        #expect(taken?.code == .usernameTaken)
        #expect(taken?.fields == [LoyaltyFieldError("username", .taken)])
        #expect(server.vendor.redeemed.isEmpty)
        request.username = try Username("ada2")
        #expect(try await integrator.enroll(request).get().tokens.username == "ada2")
    }

    @Test(
        "attack: an enrollment's tokens are as old as the session at the provider, even if repeated or under another name"
    )
    func oldSession() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let then = server.clock.now() - .days(1)
        var request = try integrator.enrollment(of: "sub-1", authTime: then)
        server.vendor.whileRedeeming { try await server.guest("sub-0") }
        #expect(try await integrator.enroll(request).code == .usernameTaken)
        request.username = try Username("ada2")
        for _ in 0..<2 {
            let tokens = try await integrator.enroll(request).get().tokens
            #expect(try server.claims(of: tokens.accessToken).authenticatedAt?.secondsSince1970 == then.seconds)
        }
        #expect(server.vendor.redeemed.count == 1)
    }

    @Test("A request given up while the provider redeems its code makes the account, which its repetition gets")
    func givenUp() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        await server.vendor.givingUp { _ = try await integrator.enroll(request) }
        #expect(try await server.rows(of: "accounts") == 1)
        #expect(try await integrator.enroll(request).get().tokens.username == "ada")
        #expect(server.vendor.redeemed.count == 1)
    }

    @Test("A name that is taken while the provider is asked does not cost the guest the code")
    func takenMeanwhile() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        var request = try integrator.enrollment(of: "sub-1")
        server.vendor.whileRedeeming { try await server.guest("sub-0") }
        #expect(try await integrator.enroll(request).code == .usernameTaken)
        #expect(try await server.rows(of: "accounts") == 1)
        request.username = try Username("ada2")
        #expect(try await integrator.enroll(request).get().tokens.username == "ada2")
        #expect(server.vendor.redeemed.count == 1)
    }

    @Test("A password that others know is refused for the field, and only the sandbox takes a common one")
    func passwords() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        for (password, reason) in [
            ("testPassword", LoyaltyFieldError.Reason.tooCommon), ("short", .tooShort),
            (String(repeating: "long", count: 65), .tooLong),
        ] {
            let refused = try await integrator.enroll(integrator.enrollment(of: "sub-1", password: password)).failure
            #expect(refused?.code == .invalidFields)
            #expect(refused?.fields == [LoyaltyFieldError("password", reason)])
        }
        #expect(server.vendor.redeemed.isEmpty)
        let sandbox = try await LoyaltyServer.start { $0.environment = .sandbox }
        let developer = try await sandbox.integrator()
        let request = try developer.enrollment(of: "sub-1", username: "testUsername", password: "testPassword")
        #expect(try await developer.enroll(request).get().tokens.username == "testUsername")
        let short = try developer.enrollment(of: "sub-2", username: "other", password: "short")
        #expect(try await developer.enroll(short).code == .invalidFields)
    }

    @Test(
        "The same request after a lost response gets the same account, even from another process and past the token's age"
    )
    func repeated() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        let first = try await integrator.enroll(request).get()
        let second = try await integrator.enroll(request).get()
        #expect(second.accountID == first.accountID)
        #expect(second.tokens.username == "ada")
        server.clock.advance(by: .minutes(50))
        let restarted = try await server.restarted()
        let again = Integrator(server: restarted, id: integrator.id, secret: integrator.secret)
        #expect(try await again.enroll(request).get().accountID == first.accountID)
        #expect(try await restarted.rows(of: "accounts") == 1)
        #expect(server.vendor.redeemed.count == 1)
        server.clock.advance(by: .minutes(11))
        #expect(try await again.enroll(request).code == .invalidExternalAccount)
    }

    @Test("A repetition opens nothing once the account was changed or erased")
    func repeatedLate() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        _ = try await integrator.enroll(request).get()
        let account = AccountReference.username("ada", brand: nil)
        try await server.administer(
            AdminRequest(["account", "set-password"] + account.words, input: "another horse battery"))
        #expect(try await integrator.enroll(request).code == .accountChanged)
        try await server.administer(AdminRequest(["account", "erase"] + account.words))
        #expect(try await server.rows(of: "loyalty_enrollments") == 0)
        #expect(try await server.rows(of: "loyalty_accounts") == 0)
    }

    @Test("A process that ends after the redemption makes nothing half, and the same request goes on from there")
    func killedAfterRedemption() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        // The write of the account fails as it does where the process ends in the middle of it.
        try await server.define(
            "CREATE TRIGGER killed BEFORE INSERT ON loyalty_accounts BEGIN SELECT RAISE(ABORT, 'killed'); END")
        await #expect(throws: (any Error).self) { try await integrator.enroll(request) }
        for table in ["accounts", "account_names", "federated_identities", "loyalty_accounts", "sessions"] {
            #expect(try await server.rows(of: table) == 0, "\(table)")
        }
        let restarted = try await server.restarted()
        try await restarted.define("DROP TRIGGER killed")
        let again = Integrator(server: restarted, id: integrator.id, secret: integrator.secret)
        #expect(try await again.enroll(request).code == nil)
        #expect(server.vendor.redeemed.count == 1)
        #expect(try await restarted.rows(of: "accounts") == 1)
    }

    @Test(
        "A process that ends before the redemption is stored leaves nothing half done", .threat("Integrators' backends")
    )
    func killedBeforeMemory() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        try await server.define(
            "CREATE TRIGGER killed BEFORE INSERT ON loyalty_enrollments BEGIN SELECT RAISE(ABORT, 'killed'); END")
        await #expect(throws: (any Error).self) { try await integrator.enroll(request) }
        try await server.define("DROP TRIGGER killed")
        #expect(try await server.rows(of: "accounts") == 0)
        // The code is spent at the provider: the guest signs in there once more.
        #expect(try await integrator.enroll(request).code == .externalCodeRefused)
        #expect(try await integrator.enroll(integrator.enrollment(of: "sub-1")).code == nil)
    }

    @Test("A process that ends between account and session leaves an account that the same request signs in to")
    func killedBeforeSession() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        try await server.define(
            "CREATE TRIGGER killed BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'killed'); END")
        await #expect(throws: (any Error).self) { try await integrator.enroll(request) }
        try await server.define("DROP TRIGGER killed")
        #expect(try await server.rows(of: "accounts") == 1)
        #expect(try await integrator.enroll(request).get().tokens.username == "ada")
        #expect(try await server.rows(of: "accounts") == 1)
    }

    @Test("An outage makes nothing and is not counted; the code is good afterwards")
    func outage() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 2 }
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        server.vendor.setDownForCodes(true)
        for _ in 0..<4 {
            let failure = try await integrator.enroll(request).failure
            #expect(failure?.code == .providerUnavailable)
            #expect(failure?.retryAfter == 10)
        }
        server.vendor.setDownForCodes(false)
        #expect(try await integrator.enroll(request).code == nil)
    }

    @Test("What is remembered of an enrollment is swept when its time is over")
    func swept() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        _ = try await integrator.enroll(integrator.enrollment(of: "sub-1")).get()
        #expect(try await server.rows(of: "loyalty_enrollments") == 1)
        server.clock.advance(by: .hours(1))
        try await server.administer(["database", "sweep"])
        #expect(try await server.rows(of: "loyalty_enrollments") == 0)
        #expect(try await server.rows(of: "loyalty_accounts") == 1)
    }
}

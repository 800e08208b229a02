import Core
import FlowSupport
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Signing in by a vendor's provider on the hosted pages")
struct VendorPageTests {
    /// A vendor whose service vouches for one person, for one code.
    private struct Vendor: ProviderVendor, VendorProvider {
        final class Memory: Sendable {
            struct Kept {
                var asked: [VendorAuthorization] = []
                var redeemed: [(code: VendorCode, nonce: Nonce?)] = []
                var grants: [[UInt8]] = []
                var authTime: Timestamp?
            }

            let kept = Mutex(Kept())
        }

        let memory = Memory()
        var kind: String { "pear" }
        var namespace: String { place }
        var place: String { "https://id.pear.example" }
        var trustsEmail: Bool { true }
        var emailIsSecondFactor: Bool { false }
        var facts: [VendorFact] { [] }
        var name: String { "Pear" }
        var pageName: String? { name }

        func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider { self }

        func authorizationURL(for request: VendorAuthorization) -> String? {
            memory.kept.withLock { $0.asked.append(request) }
            return place + "/auth/authorize?response_mode=form_post&state=" + request.state.rawValue
        }

        func verify(_ token: IDToken, nonce: Nonce?, call: VendorCall) async throws -> VerifiedToken? { nil }

        func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorCall) async throws -> VendorRedemption {
            memory.kept.withLock { $0.redeemed.append((code, nonce)) }
            guard code.code.reveal() == "right" else { return .refused }
            return .redeemed(
                try ProvenIdentity(
                    "001", email: "ada@relay.pear.example", isEmailVerified: true,
                    grant: VendorGrant(bytes: Array("refresh".utf8)), authTime: memory.kept.withLock { $0.authTime },
                    at: call.provider, now: call.now))
        }

        func keep(
            _ grant: VendorGrant, of identity: [UInt8], call: VendorCall, on connection: any SQLConnection
        ) throws {
            memory.kept.withLock { $0.grants.append(grant.bytes) }
        }

        func problems(
            http: ProviderHTTP, environment: ServerSettings.Environment, now: Timestamp
        ) async throws -> [String] { [] }
    }

    @Test(
        "Its button has the vendor's words; its answer is redeemed with the page's URI and nonce, and its grant is kept with the link"
    )
    func journey() async throws {
        let vendor = Vendor()
        let server = try await TestServer.start(vendors: [vendor])
        let vault = server.context.providerVault
        let record = try vault.record(
            kind: "pear", id: ProviderID("pear"), brand: BrandID("default"), settings: "{}", secret: nil,
            now: server.clock.now())
        _ = try await server.context.database.write { try IdentityProviders.add(record, on: $0) }
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        #expect(page.providers.map(\.isVendor) == [true])
        #expect(page.providers.map(\.name) == ["Pear"])
        let departed = try await browser.leave(page, for: "pear")
        let asked = try #require(vendor.memory.kept.withLock { $0.asked.last })
        #expect(asked.redirectURI == "https://auth.example.com/sign-in/provider/default/pear")
        #expect(try departed.state == asked.state.rawValue)
        let offered = try await browser.arrive(departed.state, .code("right"), at: .to("pear")).page()
        #expect(try offered.offer().username == "ada")
        let redeemed = try #require(vendor.memory.kept.withLock { $0.redeemed.last })
        #expect(redeemed.nonce?.rawValue == asked.nonce.rawValue)
        #expect(redeemed.code.redirectURI == asked.redirectURI)
        #expect(redeemed.code.verifier.map(CodeChallenge.init(verifier:)) == asked.challenge)
        #expect(redeemed.code.idToken == nil)
        // The vendor learns of the guest too, to give the grant back if no account is made.
        #expect(vendor.memory.kept.withLock { $0.grants } == [Array("refresh".utf8)])
        _ = try await browser.submit(offered, .createAccount(username: "ada")).code()
        #expect(vendor.memory.kept.withLock { $0.grants }.count == 2)
        // From then on each sign-in brings a new one.
        let again = TestBrowser(server)
        let second = try await again.leave(again.open(client.request()).page(), for: "pear")
        _ = try await again.arrive(second.state, .code("right"), at: .to("pear")).code()
        #expect(vendor.memory.kept.withLock { $0.grants }.count == 3)
        let wrong = try await browser.leave(browser.open(client.request { $0["prompt"] = "login" }).page(), for: "pear")
        let refused = try await browser.arrive(wrong.state, .code("other"), at: .to("pear")).page()
        #expect(refused.notice == .providerFailed(name: "Pear"))
        let mixedUp = try await browser.leave(
            browser.open(client.request { $0["prompt"] = "login" }).page(), for: "pear")
        let answer = try await browser.arrive(
            mixedUp.state, .code("right", issuer: "https://evil.example"), at: .to("pear")
        ).page()
        #expect(answer.notice == .providerFailed(name: "Pear"))
    }
    @Test("attack: a vendor, which nothing makes prompt, shows a fresh sign-in by its token's time and by nothing else")
    func fresh() async throws {
        let vendor = Vendor()
        let server = try await TestServer.start(vendors: [vendor])
        let vault = server.context.providerVault
        let record = try vault.record(
            kind: "pear", id: ProviderID("pear"), brand: BrandID("default"), settings: "{}", secret: nil,
            now: server.clock.now())
        _ = try await server.context.database.write { try IdentityProviders.add(record, on: $0) }
        let client = try await server.bearerClient()
        func arrive(prompt: String?) async throws -> AuthorizationAnswer.Outcome {
            let browser = TestBrowser(server)
            let page = try await browser.open(client.request { $0["prompt"] = prompt }).page()
            let departed = try await browser.leave(page, for: "pear")
            let outcome = try await browser.arrive(departed.state, .code("right"), at: .to("pear"))
            guard case .page(let page) = outcome, case .newAccount = page.step else { return outcome }
            return try await browser.submit(page, .createAccount(username: "ada"))
        }
        _ = try await arrive(prompt: nil).code()
        let now = server.clock.now()
        for (time, isTaken) in [(nil, false), (now - .days(30), false), (now, true)] as [(Timestamp?, Bool)] {
            vendor.memory.kept.withLock { $0.authTime = time }
            let outcome = try await arrive(prompt: "login")
            if isTaken {
                _ = try outcome.code()
            } else {
                #expect(try outcome.page().notice == .providerSessionOld(name: "Pear"))
            }
            _ = try await arrive(prompt: nil).code()
        }
    }
}

import Testing
import WalletAuthWire

@testable import Core
@testable import Kernel
@testable import SignIn

@Suite("What a code grants")
struct AuthorizationGrantTests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let now = Timestamp(seconds: 1_800_000_000)

    private func grant() throws -> AuthorizationGrant {
        AuthorizationGrant(
            id: [UInt8](0..<16), client: try ClientID("com.example.wallet"),
            redirectURI: "https://app.example.com/callback",
            challenge: CodeChallenge(verifier: try CodeVerifier(verifier)),
            account: try AccountID("01890a5d-ac96-774b-bcce-b302099a8057"), securityVersion: 3,
            scope: try Scope("openid wallet"), nonce: try Nonce("n-0S6_WzA2Mj"), authTime: now - .seconds(5),
            acr: AuthenticationStrength.singleFactor, amr: ["pwd"], keyThumbprint: [UInt8](repeating: 1, count: 32),
            merchant: try MerchantID("shop"), resources: ["https://api.example.com"],
            authorizationDetails: try AuthorizationDetails(
                #"[{"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":"1.00"},"#
                    + #""creditorName":"Bakery","creditorAccount":{"iban":"DE89370400440532013000"}}]"#),
            consent: [UInt8](repeating: 4, count: 16), issuedAt: now)
    }

    private func redemption(
        _ adjust: (inout AuthorizationGrant.Redemption) throws -> Void = { _ in }
    ) throws -> AuthorizationGrant.Redemption {
        var redemption = AuthorizationGrant.Redemption(
            client: try ClientID("com.example.wallet"), redeemer: nil, verifier: try CodeVerifier(verifier),
            redirectURI: "https://app.example.com/callback", keyThumbprint: [UInt8](repeating: 1, count: 32))
        try adjust(&redemption)
        return redemption
    }

    @Test("A grant comes back from its bytes as it was")
    func roundTrip() throws {
        let full = try grant()
        #expect(try AuthorizationGrant(bytes: full.bytes) == full)
        var bare = full
        bare.redirectURI = nil
        bare.challenge = nil
        bare.nonce = nil
        bare.acr = nil
        bare.amr = []
        bare.keyThumbprint = nil
        bare.merchant = nil
        bare.resources = []
        bare.consent = nil
        bare.authorizationDetails = nil
        #expect(try AuthorizationGrant(bytes: bare.bytes) == bare)
    }

    @Test("Truncated or lengthened bytes are no grant")
    func damaged() throws {
        let bytes = try grant().bytes
        for length in 0..<bytes.count { #expect(AuthorizationGrant(bytes: Array(bytes.prefix(length))) == nil) }
        #expect(AuthorizationGrant(bytes: bytes + [0]) == nil)
    }

    @Test("A grant with a field that its encoding has no room for is refused, instead of becoming the bytes of another")
    func oversized() throws {
        var grant = try grant()
        grant.redirectURI = "https://app.example.com/" + String(repeating: "a", count: 65_535 - 24)
        #expect(try AuthorizationGrant(bytes: grant.bytes) == grant)
        grant.redirectURI? += "a"
        #expect(throws: WrongFieldLength.self) { try grant.bytes }
    }

    @Test("The usual grant fits into a code of 512 bytes")
    func size() throws {
        var usual = try grant()
        usual.authorizationDetails = nil
        #expect(4 + (try usual.bytes.count + Sealing.overhead) * 4 / 3 + 1 <= 512)
    }

    @Test("The right client, verifier, redirect URI and key prove it")
    func proved() throws {
        #expect(try grant().isProved(by: redemption()))
        #expect(try grant().isProved(by: redemption { $0.redirectURI = nil }))
    }

    @Test("Another client, a swapped verifier, another redirect URI, another key or none: each is refused")
    func unproved() throws {
        let grant = try grant()
        #expect(!grant.isProved(by: try redemption { $0.client = try ClientID("other") }))
        #expect(
            !grant.isProved(by: try redemption { $0.verifier = try CodeVerifier(String(repeating: "a", count: 43)) }))
        #expect(!grant.isProved(by: try redemption { $0.redirectURI = "https://app.example.com/other" }))
        #expect(!grant.isProved(by: try redemption { $0.keyThumbprint = [UInt8](repeating: 2, count: 32) }))
        #expect(!grant.isProved(by: try redemption { $0.keyThumbprint = nil }))
    }

    @Test("attack: without a challenge, a verifier proves nothing, and with one its lack does not either")
    func downgrade() throws {
        var grant = try grant()
        #expect(!grant.isProved(by: try redemption { $0.verifier = nil }))
        grant.challenge = nil
        #expect(!grant.isProved(by: try redemption()))
        #expect(grant.isProved(by: try redemption { $0.verifier = nil }))
    }

    @Test("Only the registered redeemer may redeem in place of the client")
    func redeemer() throws {
        let backend = try ClientID("backend")
        #expect(
            try grant().isProved(
                by: redemption {
                    $0.client = backend
                    $0.redeemer = backend
                }))
        #expect(try !grant().isProved(by: redemption { $0.client = backend }))
    }

    @Test("A code lives sixty seconds, and not in a future that a moved clock makes")
    func expiry() throws {
        let grant = try grant()
        #expect(!grant.isExpired(at: now + .seconds(59)))
        #expect(grant.isExpired(at: now + .seconds(60)))
        #expect(grant.isExpired(at: now - .days(1)))
    }
}

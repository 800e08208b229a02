import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("Scope and step-up (RFC 6750, RFC 9470)", .threat("A session that is too weak or too old")) struct StepUpTests {
    private let server: TestIssuer
    private let verifier: AccessTokenVerifier

    init() throws {
        server = try TestIssuer()
        verifier = try server.verifier()
    }

    @Test("A scope that is too narrow is 403 and names what is needed")
    func scope() async throws {
        let requirement = AccessRequirement(scope: try Scope("payments transfers"))
        let refusal = try await verifier.requiredRefusal(of: .bearer(try server.token()), for: requirement)
        #expect(refusal.code == .insufficientScope)
        #expect(refusal.answer.status == 403)
        let challenge = refusal.answer.values("WWW-Authenticate").first
        #expect(
            challenge
                == #"Bearer realm="https://api.example", error="insufficient_scope", "#
                + #"error_description="The access token's scope is too narrow", scope="payments transfers""#)
        let none = await verifier.refusal(of: .bearer(try server.token(["scope": nil])), for: requirement)
        #expect(none?.code == .insufficientScope)
        let wide = await verifier.refusal(
            of: .bearer(try server.token(["scope": "a transfers payments"])), for: requirement)
        #expect(wide == nil)
    }

    @Test func `attack: a token for one payment opens nothing that does not ask for such a token`() async throws {
        let details = try JSONValue(
            parsing: Array(
                #"[{"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":"1.00"},"#.utf8)
                + Array(#""creditorName":"Bakery","creditorAccount":{"iban":"DE89370400440532013000"}}]"#.utf8))
        let token = try server.token(["authorization_details": details])
        let refusal = try await verifier.requiredRefusal(of: .bearer(token), for: AccessRequirement())
        #expect(refusal.code == .insufficientScope)
        let taking = AccessRequirement(takesAuthorizationDetails: true)
        #expect(await verifier.refusal(of: .bearer(token), for: taking) == nil)
        let unknown = try server.token(["authorization_details": [["type": "unknown"]]])
        #expect(await verifier.refusal(of: .bearer(unknown), for: taking)?.code == .invalidToken)
    }

    @Test("attack: a scope that only begins like the one that is needed")
    func similarScope() async throws {
        let requirement = AccessRequirement(scope: try Scope("payments"))
        for scope in ["payments:read", "Payments", "paymentsx", "xpayments"] {
            let refusal = await verifier.refusal(
                of: .bearer(try server.token(["scope": .string(scope)])), for: requirement)
            #expect(refusal?.code == .insufficientScope)
        }
    }

    @Test("Too weak an authentication is 401 with acr_values, as in RFC 9470")
    func weak() async throws {
        let requirement = AccessRequirement(acrValues: AuthenticationStrength.twoFactors)
        for acr in ["urn:wallet-auth:acr:1fa", nil] as [JSONValue?] {
            let refusal = try await verifier.requiredRefusal(
                of: .bearer(try server.token(["acr": acr])), for: requirement)
            #expect(refusal.code == .insufficientUserAuthentication)
            #expect(refusal.answer.status == 401)
            let challenges = refusal.answer.values("WWW-Authenticate")
            #expect(challenges.count == 2)
            for challenge in challenges {
                #expect(challenge.contains(#"error="insufficient_user_authentication""#))
                #expect(challenge.contains(#"acr_values="urn:wallet-auth:acr:2fa""#))
                #expect(!challenge.contains("max_age"))
            }
            #expect(refusal.answer.json["code"] == "insufficient_user_authentication")
        }
        let strong = await verifier.refusal(of: .bearer(try server.token()), for: requirement)
        #expect(strong == nil)
        let either = await verifier.refusal(
            of: .bearer(try server.token(["acr": "urn:wallet-auth:acr:1fa"])),
            for: AccessRequirement(acrValues: AuthenticationStrength.oneFactor))
        #expect(either == nil)
    }

    @Test("Too old an authentication is 401 with max_age; one whose time is not told is too old")
    func old() async throws {
        let requirement = AccessRequirement(maximumAge: .seconds(300))
        let now = server.clock.now().secondsSince1970
        for (time, isGood) in [(now - 330, true), (now - 331, false), (nil, false)] as [(Int64?, Bool)] {
            let token = try server.token(["auth_time": time.map { JSONValue.integer($0) }])
            let refusal = await verifier.refusal(of: .bearer(token), for: requirement)
            #expect((refusal == nil) == isGood)
            if let refusal {
                #expect(refusal.code == .insufficientUserAuthentication)
                #expect(refusal.answer.values("WWW-Authenticate").first?.contains(#"max_age="300""#) == true)
            }
        }
    }

    @Test("Where an attested app is required, a token without one is 403, and one with it says which app")
    func attestedApp() async throws {
        let requirement = AccessRequirement(requiresAttestedApp: true)
        let refusal = try await verifier.requiredRefusal(of: .bearer(try server.token()), for: requirement)
        #expect(refusal.code == .attestationRequired)
        #expect(refusal.answer.status == 403)
        #expect(refusal.answer.values("WWW-Authenticate").isEmpty)
        let app = AppAttestation(
            platform: .apple, environment: .production, app: "ABCDE12345.com.example.wallet", keyLevel: nil,
            attestedAt: server.clock.now())
        let token = try server.token(["attestation": .object(app.json)])
        let access = try await verifier.verify(.bearer(token), for: requirement)
        #expect(access.claims.attestation == app)
        let malformed = try server.token(["attestation": "apple"])
        let refused = try await verifier.requiredRefusal(of: .bearer(malformed))
        #expect(refused.code == .invalidToken)
    }

    @Test("A backend learns who acts for the person; a token without actors comes from the person's own app")
    func actors() async throws {
        let own = try await verifier.verify(.bearer(try server.token()))
        #expect(own.claims.actors.isEmpty)
        let act: JSONValue = ["sub": "stock", "act": ["sub": "orders"]]
        let access = try await verifier.verify(.bearer(try server.token(["act": act])))
        #expect(access.claims.actors.map(\.rawValue) == ["stock", "orders"])
        #expect(access.person != nil, "still on the person's behalf")
        let refused = try await verifier.requiredRefusal(of: .bearer(try server.token(["act": "stock"])))
        #expect(refused.code == .invalidToken)
    }

    @Test("A token that is remembered is held against what each request needs")
    func remembered() async throws {
        let request = PresentedRequest.bearer(try server.token())
        let first = await verifier.refusal(of: request)
        #expect(first == nil)
        let second = await verifier.refusal(of: request, for: AccessRequirement(scope: try Scope("transfers")))
        #expect(second?.code == .insufficientScope)
        server.clock.advance(by: .seconds(200))
        let third = await verifier.refusal(of: request, for: AccessRequirement(maximumAge: .seconds(120)))
        #expect(third?.code == .insufficientUserAuthentication)
    }
}

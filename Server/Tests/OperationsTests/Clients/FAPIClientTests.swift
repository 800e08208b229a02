import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Registering clients of FAPI 2.0", .threat("a client of FAPI 2.0 held to less"))
struct FAPIClientTests {
    private static let callback = "https://app.example.com/callback"
    private static let elliptic =
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
        + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#

    private static func registration(
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) -> ClientRegistration {
        var registration = ClientRegistration(name: "Partner", kind: .confidential)
        registration.id = "partner"
        registration.authenticationMethod = "private_key_jwt"
        registration.keySet = elliptic
        registration.redirectURIs = [callback]
        registration.scopes = ["openid", "wallet"]
        registration.fapi = true
        adjust(&registration)
        return registration
    }

    /// Why a registration is refused; `nil` if it is not.
    private static func fault(
        of registration: ClientRegistration, in environment: ServerSettings.Environment = .production
    ) -> String? {
        do {
            _ = try registration.checked(madeID: { "partner" }, in: environment, now: Timestamp(seconds: 0))
            return nil
        } catch { return (error as? AdministrationRefusal)?.line ?? "\(error)" }
    }

    private func update(_ server: TestServer, _ options: String...) async -> AdministrationAnswer {
        await server.flows.administration.execute(AdminRequest(["client", "update", "partner"] + options))
    }

    @Test("The profile brings pushed requests, bound tokens and ES256 along, as client show says")
    func shown() async throws {
        let server = try await TestServer.start()
        try await server.administer { try await ClientAdministration($0).create(Self.registration()) }
        let shown = try await server.administer(["client", "show", "partner"])
        for name in ["fapi", "requiresPar", "requiresDpop"] { #expect(shown[name]?.bool == true, "\(name)") }
        #expect(shown["idTokenAlgorithm"] == "ES256")
        #expect(shown["authenticationMethod"] == "private_key_jwt")
        #expect(shown["withoutPkce"]?.bool == false)
    }

    @Test("attack: a registration that takes something from the profile is refused, and the answer says what to change")
    func contradictions() {
        #expect(Self.fault(of: Self.registration()) == nil)
        #expect(Self.fault(of: Self.registration { $0.idTokenAlgorithm = "EdDSA" }) == nil)
        let faults: [(String, (inout ClientRegistration) -> Void)] = [
            (
                "--auth-method private_key_jwt",
                {
                    $0.authenticationMethod = nil
                    $0.keySet = nil
                }
            ),
            (
                "--auth-method private_key_jwt",
                {
                    $0.authenticationMethod = "client_secret_post"
                    $0.keySet = nil
                }
            ),
            (
                "--confidential",
                {
                    $0.kind = .public
                    $0.authenticationMethod = nil
                    $0.keySet = nil
                }
            ),
            (
                "guest tokens",
                {
                    $0.guestTokens = true
                    $0.loyaltyMerchants = [10_101_010]
                }
            ),
            ("RSA keys", { $0.keySet = Self.withRSA }), ("--allow-bearer", { $0.requiresDPoP = false }),
            ("--without-pkce", { $0.withoutPKCE = true }),
            ("--id-token-algorithm", { $0.idTokenAlgorithm = "RS256" }),
            ("http://127.0.0.1/callback", { $0.redirectURIs.append("http://127.0.0.1/callback") }),
            ("com.example.partner:/callback", { $0.redirectURIs = ["com.example.partner:/callback"] }),
            ("--redeemer", { $0.redeemer = "backend" }), ("--device-grant", { $0.deviceGrant = true }),
            ("--ciba", { $0.backchannelMode = "poll" }),
        ]
        for (words, fault) in faults {
            let sentence = Self.fault(of: Self.registration(fault))
            #expect(sentence?.contains(words) == true, "\(words): \(sentence ?? "accepted")")
        }
    }

    /// The key of RFC 7515 appendix A.2.
    private static let rsaKey: String = {
        let modulus =
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNM"
            + "sD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdV"
            + "MTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        return #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#
    }()

    private static let withRSA = String(elliptic.dropLast(2)) + ",\(rsaKey)]}"
    static let onlyRSA = #"{"keys":[\#(rsaKey)]}"#

    @Test("A sandbox takes http on loopback as well, to try a program out")
    func sandbox() {
        let local = Self.registration { $0.redirectURIs = ["http://127.0.0.1:8000/callback"] }
        #expect(Self.fault(of: local, in: .sandbox) == nil)
        #expect(Self.fault(of: local) != nil)
    }

    @Test("An existing client is put under the profile, once nothing contradicts it, and taken out again")
    func updated() async throws {
        let server = try await TestServer.start()
        let scheme = "com.example.partner:/callback"
        let registration = Self.registration {
            $0.fapi = false
            $0.redirectURIs.append(scheme)
        }
        try await server.administer { try await ClientAdministration($0).create(registration) }
        let refused = await update(server, "--fapi")
        #expect(refused.refusal?.code == "contradiction" && refused.lines.first?.contains(scheme) == true)
        let done = await update(server, "--fapi", "--remove-redirect-uri", scheme)
        #expect(done.status == .done && done.lines.contains { $0.contains("pushes") }, "\(done.lines)")
        let after = try await server.administer(["client", "show", "partner"])
        for name in ["fapi", "requiresPar", "requiresDpop"] { #expect(after[name]?.bool == true, "\(name)") }
        #expect(after["idTokenAlgorithm"] == "ES256")

        let out = await update(server, "--no-fapi")
        #expect(out.lines.contains { $0.contains("--no-require-par") }, "\(out.lines)")
        let left = try await server.administer(["client", "show", "partner"])
        #expect(left["fapi"]?.bool == false && left["requiresPar"]?.bool == true && left["requiresDpop"]?.bool == true)
        #expect(await update(server, "--no-require-par", "--allow-bearer").status == .done)
    }

    @Test(
        "attack: a change that takes something from the profile is refused, and changes nothing",
        arguments: [
            ["--no-require-par"], ["--allow-bearer"], ["--without-pkce"], ["--device-grant"], ["--ciba", "poll"],
            ["--id-token-algorithm", "RS256"], ["--add-redirect-uri", "com.example.partner:/callback"],
            ["--fapi", "--allow-bearer"],
        ])
    func weakened(options: [String]) async throws {
        let server = try await TestServer.start()
        try await server.administer { try await ClientAdministration($0).create(Self.registration()) }
        let before = try await server.administer(["client", "show", "partner"])
        let answer = await server.flows.administration.execute(
            AdminRequest(["client", "update", "partner"] + options))
        #expect(answer.refusal?.code == "contradiction", "\(answer.lines)")
        #expect(answer.lines.first?.contains("The FAPI 2.0 profile") == true, "\(answer.lines)")
        #expect(try await server.administer(["client", "show", "partner"]) == before)
    }

    @Test("attack: a client under the profile redeems the codes of no other, whichever of the two comes first")
    func redeemer() async throws {
        let server = try await TestServer.start()
        try await server.administer { try await ClientAdministration($0).create(Self.registration()) }
        let app = AdminRequest([
            "client", "create", "app", "--name", "App", "--redirect-uri", "com.example.app:/callback", "--redeemer",
            "partner",
        ])
        let refused = await server.flows.administration.execute(app)
        #expect(refused.refusal?.code == "contradiction", "\(refused.lines)")
        #expect(refused.lines.first?.contains("The FAPI 2.0 profile") == true, "\(refused.lines)")
        #expect(await update(server, "--no-fapi").status == .done)
        #expect(await server.flows.administration.execute(app).status == .done)
        let again = await update(server, "--fapi")
        #expect(again.refusal?.code == "contradiction", "\(again.lines)")
        #expect(again.lines.first?.contains("client update app --redeemer") == true, "\(again.lines)")
    }

    @Test("A client with a secret needs a new registration for it, as the answer says")
    func secret() async throws {
        let server = try await TestServer.start()
        _ = try await server.confidentialClient("partner")
        let answer = await update(server, "--fapi")
        #expect(answer.refusal?.code == "contradiction", "\(answer.lines)")
        #expect(answer.lines.first?.contains("create the client with --confidential") == true, "\(answer.lines)")
    }
}

import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("Metadata of a protected resource (RFC 9728)", .covers("challenges of protected resources"))
struct ResourceMetadataTests {
    private let server: TestIssuer

    init() throws { server = try TestIssuer() }

    private func verifier(
        audience: String, externalURL: String = "https://api.example/pay/",
        _ metadata: ResourceMetadata? = ResourceMetadata()
    ) throws -> AccessTokenVerifier {
        var settings = AccessTokenVerifier.Settings()
        settings.metadata = metadata
        return AccessTokenVerifier(
            issuer: server.trusted(), audience: audience, externalURL: try WebURL(externalURL), settings: settings)
    }

    @Test("It says what the verifier knows and the backend adds, and no more")
    func members() throws {
        let metadata = ResourceMetadata(
            scopes: try Scope("accounts payments"), requiresProofOfPossession: true, name: "Bank of Example")
        let document = try #require(try verifier(audience: "https://api.example", metadata).metadata)
        let text =
            #"{"resource":"https://api.example","authorization_servers":["https://auth.example"],"#
            + #""scopes_supported":["accounts","payments"],"bearer_methods_supported":["header"],"#
            + #""resource_name":"Bank of Example","#
            + #""dpop_signing_alg_values_supported":["ES256","EdDSA","Ed25519"],"dpop_bound_access_tokens_required":true}"#
        #expect(String(decoding: document.body, as: UTF8.self) == text)
        let bare = try #require(try verifier(audience: "https://api.example").metadata)
        #expect(bare.json["scopes_supported"] == nil && bare.json["resource_name"] == nil)
        #expect(bare.json["dpop_bound_access_tokens_required"]?.bool == false)
    }

    @Test(
        "Its path comes between the host and the path of the resource",
        arguments: [
            ("https://api.example", ""), ("https://api.example/", ""), ("https://api.example/pay", "/pay"),
            ("https://api.example/pay/", "/pay/"),
        ])
    func path(resource: String, rest: String) throws {
        let document = try #require(try verifier(audience: resource).metadata)
        #expect(document.path == "/.well-known/oauth-protected-resource" + rest)
        #expect(document.url == "https://api.example" + document.path)
        #expect(document.json["resource"]?.string == resource, "to the letter: clients compare it")
    }

    @Test("Each challenge of every refusal names it")
    func challenges() async throws {
        let verifier = try verifier(audience: TestIssuer.audience)
        let url = try #require(verifier.metadata?.url)
        let requests = [
            PresentedRequest(method: "GET", path: "/", authorization: []), .bearer("no-token"),
            .bearer(try server.token(["scope": nil])), .dpop(try server.token()),
        ]
        for request in requests {
            let refusal = try await verifier.requiredRefusal(
                of: request, for: AccessRequirement(scope: try Scope("payments")))
            let challenges = refusal.answer.values("WWW-Authenticate")
            #expect(!challenges.isEmpty)
            for challenge in challenges {
                #expect(challenge.hasSuffix(#", resource_metadata="\#(url)""#), "\(challenge)")
            }
        }
    }

    @Test(
        "attack: a resource on another host, or that is no URL, is not published: a client would take its tokens elsewhere",
        .threat("A token sent to the wrong host"),
        arguments: [
            "https://auth.example", "https://api.example:8443", "http://127.0.0.1", "https://api.example.evil.example",
            "https://api.example/?tenant=1", "payments", "",
        ])
    func otherHost(resource: String) async throws {
        let verifier = try verifier(audience: resource)
        #expect(verifier.metadata == nil)
        let refusal = try await verifier.requiredRefusal(
            of: PresentedRequest(method: "GET", path: "/", authorization: []))
        for challenge in refusal.answer.values("WWW-Authenticate") { #expect(!challenge.contains("resource_metadata")) }
    }

    @Test("Without the setting there is neither a document nor a word of it")
    func none() async throws {
        let verifier = try verifier(audience: TestIssuer.audience, nil)
        #expect(verifier.metadata == nil)
        let refusal = try await verifier.requiredRefusal(of: .bearer("no-token"))
        #expect(!refusal.answer.values("WWW-Authenticate").joined().contains("resource_metadata"))
    }
}

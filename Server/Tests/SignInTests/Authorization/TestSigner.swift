import Core
import Crypto
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A confidential client that signs its authorization requests.
struct TestSigner {
    let server: TestServer
    let client: TestClient
    private let signer: P256Signer

    init(_ server: TestServer, _ adjust: (inout ClientRegistration) -> Void = { _ in }) async throws {
        self.server = server
        let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        self.signer = signer
        let keys = JSONValue.object(JWKSet([try #require(signer.publicJWK)]).json).text
        client = try await server.confidentialClient("partner") {
            $0.keySet = keys
            $0.redirectURIs = ["https://app.example.com/callback"]
            $0.firstParty = true
            $0.requiresSignedRequests = true
            adjust(&$0)
        }
    }

    /// The claims of a good object, as far as a test does not change them.
    func claims(_ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONObject {
        var claims = JSONObject()
        let now = server.clock.now().seconds
        claims.set("iss", client.id)
        claims.set("aud", "https://auth.example.com")
        claims.set("nbf", now)
        claims.set("exp", now + 300)
        for parameter in try client.request().parameters { claims.set(parameter.name, parameter.value) }
        change(&claims)
        return claims
    }

    /// A request object of the client.
    func object(
        type: JWSType? = .requestObject, by other: P256Signer? = nil, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let signer = other ?? signer
        let encoder = try CompactJWSEncoder(signer: signer, type: type)
        return try encoder.encode(claims(change).bytes, signer: signer)
    }

    /// The client's authentication where it is registered for private_key_jwt.
    func authentication() throws -> ClientAuthentication { try KeyClient(client, signer: signer).authentication() }

    /// The parameters with which a browser or the client brings an object.
    func form(_ object: String, _ others: KeyValuePairs<String, String> = [:]) -> FormParameters {
        var form = FormParameters()
        form.append("client_id", client.id)
        form.append("request", object)
        for (name, value) in others { form.append(name, value) }
        return form
    }
}

extension AuthorizationAnswer.Outcome {
    /// The code of an error page about a request object; `nil` for another answer.
    var requestObjectFault: String? {
        if case .unusableRequestObject(let error) = fault { error.code.rawValue } else { nil }
    }
}

import Kernel
import SignIn
import WalletAuthWire
import Web

extension OpenAPIDocument {
    /// The credentials that a call takes, each alternative by the names of its schemes.
    static func security(_ route: Route, _ contract: Contract) -> [JSONValue] {
        let bound: JSONValue = ["app": [], "proof": []]
        switch contract.proof {
        // A client may also name itself in the form, with or without a secret or an assertion.
        case .client, .clientAndKey: return [["client": []], [:]]
        case .token: return [bound, ["bearer": []]]
        case .nothing, .key: break
        }
        return route.callers.flatMap { caller -> [JSONValue] in
            switch caller {
            case .app, .administrator: [bound]
            case .consentingApp: [bound, ["bearer": []]]
            case .backend(let scope): [["backend": [.string(scope)]]]
            case .device: [["device": []]]
            case .provedByContent: [[:]]
            }
        }
    }

    /// The kinds of credentials, with the scopes that the routes ask of backends.
    static func securitySchemes(_ issuer: Issuer, _ routes: [Route]) -> JSONObject {
        var scopes = JSONObject()
        for case .backend(let scope) in routes.flatMap(\.callers) { scopes.set(scope, "Granted to the client") }
        return JSONObject([
            "app": [
                "type": "http", "scheme": "DPoP",
                "description": "The access token of a person's session, bound to a key, in Authorization: DPoP",
            ],
            "proof": [
                "type": "apiKey", "in": "header", "name": "DPoP",
                "description": "A proof of the key that the token is bound to, a new one for each request (RFC 9449)",
            ],
            "bearer": [
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "The access token of a person's session that is bound to no key",
            ],
            "backend": [
                "type": "oauth2",
                "description": """
                A token from client credentials, in Authorization: Bearer. One that was requested with a proof needs another with each \
                call, and Authorization: DPoP
                """,
                "flows": [
                    "clientCredentials": [
                        "tokenUrl": .string(issuer.url(path: Endpoints.token.path)), "scopes": .object(scopes),
                    ]
                ],
            ],
            "client": [
                "type": "http", "scheme": "basic",
                "description": """
                The id and the secret of a client. Or in the form: client_id with client_secret, or a client_assertion \
                (private_key_jwt, RFC 7523); a public client sends client_id alone, or for tokens and pushed requests with \
                OAuth-Client-Attestation and DPoP (attest_jwt_client_auth_dpop, a draft)
                """,
            ],
            "device": [
                "type": "apiKey", "in": "header", "name": "Wallet-Device-Signature",
                "description": "The device's signature over the request (docs/wpin-1.md)",
            ],
        ])
    }
}

extension CallerAnswers {
    /// The answers to callers that a route refuses.
    func every(on route: Route) -> [EndpointResponse] {
        route.callers.flatMap { caller -> [EndpointResponse] in
            switch caller {
            case .provedByContent: []
            case .device:
                [.staleNonce(""), .invalidCredentials, .deviceSuspended, .deviceDeactivated].map {
                    pins.answer(to: $0, .unknown)
                }
            case .administrator:
                (OAuthRefusal.ofResources + [.insufficientScope("admin")]).map { .challenge($0, to: nil) }
                    + [.tokenMissing(), response(to: .unauthorizedClient, .unknown, on: route)]
            case .app, .consentingApp:
                OAuthRefusal.ofResources.map { .challenge($0, to: nil) }
                    + [.tokenMissing(), response(to: .unauthorizedClient, .unknown, on: route)]
            case .backend(let scope):
                (OAuthRefusal.ofResources + [.insufficientScope(scope)]).map { .challenge($0, to: nil) }
                    + [.tokenMissing()]
            }
        }
    }
}

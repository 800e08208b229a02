internal import HTTPTypes
package import Kernel
internal import WalletAuthWire
package import Web

/// What tokens and sessions add to the server.
package enum TokenFeature: Feature {
    package static let events: [any SecurityEventKind] = SessionEvent.allCases
    package static let messages: [any SecurityMessageKind] = SessionMessage.allCases

    package static func routes(_ edge: Edge, _ tokens: Tokens) -> [Route] {
        let token = TokenEndpoint(grants: tokens.grants, proofs: edge.proofs)
        let revocation = RevocationEndpoint(revocation: tokens.revocation, proofs: edge.proofs)
        let introspection = IntrospectionEndpoint(introspection: tokens.introspection)
        let userInfo = UserInfoEndpoint(claims: tokens.userInfo, proofs: edge.proofs)
        return [
            Route(.post, Endpoints.token.path, body: .form, .oauth, from: .any, token.post),
            Route(.post, Endpoints.revoke.path, body: .form, .oauth, from: .any, revocation.post),
            Route(.post, Endpoints.introspect.path, body: .form, .oauth, introspection.post),
            Route(.get, Endpoints.userInfo.path, .resource, from: .any, userInfo.answer),
            Route(.post, Endpoints.userInfo.path, body: .formOrNothing, .resource, from: .any, userInfo.answer),
        ]
    }
}

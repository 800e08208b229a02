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
            Route(.post, Endpoints.token.path, body: .form, .oauth, from: .any, token.post).stating {
                Contract(
                    takes: TokenRequest.shape, authenticatesClient: true, gives: TokenResponse.shape,
                    refuses: OAuthRefusal.all.map { .refusal($0) })
            },
            Route(.post, Endpoints.revoke.path, body: .form, .oauth, from: .any, revocation.post).stating {
                Contract(
                    takes: TokenStateRequest.shape, authenticatesClient: true,
                    refuses: OAuthRefusal.all.map { .refusal($0) })
            },
            Route(.post, Endpoints.introspect.path, body: .form, .oauth, introspection.post).stating {
                Contract(
                    takes: TokenStateRequest.shape, authenticatesClient: true, gives: IntrospectionResponse.shape,
                    refuses: OAuthRefusal.all.map { .refusal($0) })
            },
            Route(.get, Endpoints.userInfo.path, .resource, from: .any, userInfo.answer).stating {
                Contract(gives: UserInfo.shape, refuses: UserInfoEndpoint.refusals)
            },
            Route(.post, Endpoints.userInfo.path, body: .formOrNothing, .resource, from: .any, userInfo.answer).stating
            {
                Contract(
                    takes: .request(UserInfoEndpoint.self, [.optional("access_token", .of(AccessToken.self))]),
                    gives: UserInfo.shape, refuses: UserInfoEndpoint.refusals)
            },
        ]
    }
}

internal import HTTPTypes
package import Kernel
internal import WalletAuthWire
package import Web

/// What tokens and sessions add to the server.
package enum TokenFeature {
    package static let events: [any SecurityEventKind] = SessionEvent.allCases
    package static let messages: [any SecurityMessageKind] = SessionMessage.allCases

    package static func routes(_ edge: Edge, _ tokens: Tokens) -> [Route] {
        let token = TokenEndpoint(grants: tokens.grants, proofs: edge.proofs)
        let device = DeviceAuthorizationEndpoint(authorizations: tokens.deviceAuthorizations, proofs: edge.proofs)
        let revocation = RevocationEndpoint(revocation: tokens.revocation, proofs: edge.proofs)
        let introspection = IntrospectionEndpoint(introspection: tokens.introspection)
        let userInfo = UserInfoEndpoint(claims: tokens.userInfo, proofs: edge.proofs)
        return [
            Route(.post, Endpoints.token.path, body: .form, .oauth, from: .any, token.post).stating(
                .tokens, "requestToken", "Exchanges a code, a refresh token or client credentials for tokens"
            ) {
                Contract(
                    "The tokens", takes: TokenRequest.shape, proves: .clientAndKey, gives: TokenResponse.shape,
                    refuses: OAuthRefusal.ofGrants.map { .refusal($0) })
            },
            Route(.post, Endpoints.deviceAuthorization.path, body: .form, .oauth, device.post).stating(
                .tokens, "authorizeDevice", "Returns the codes with which a device without a browser asks for tokens"
            ) {
                Contract(
                    "The codes", takes: DeviceAuthorizationRequest.shape, proves: .clientAndKey,
                    gives: DeviceAuthorizationResponse.shape, refuses: OAuthRefusal.ofDevices.map { .refusal($0) })
            },
            Route(.post, Endpoints.revoke.path, body: .form, .oauth, from: .any, revocation.post).stating(
                .tokens, "revokeToken", "Ends the session of a token"
            ) {
                Contract(
                    "The session has ended, or the token was unknown", takes: TokenStateRequest.shape,
                    proves: .clientAndKey,
                    refuses: (OAuthRefusal.ofProofs + [.unsupportedTokenType("")]).map { .refusal($0) })
            },
            Route(
                .post, Endpoints.introspect.path, body: .form, .oauth, gives: IntrospectionEndpoint.mediaType,
                introspection.post
            ).stating(
                .tokens, "introspectToken", "Says whether a token is valid, and what it contains"
            ) {
                Contract(
                    "The state of the token; as a JWT (RFC 9701) for a request that accepts that type",
                    takes: TokenStateRequest.shape, proves: .client, as: "application/json",
                    gives: IntrospectionResponse.shape,
                    refuses: OAuthRefusal.ofClients.map { .refusal($0) })
            },
            Route(.get, Endpoints.userInfo.path, .resource, from: .any, userInfo.answer).stating(
                .tokens, "getUserInfo", "Returns the claims about the person who signed in"
            ) {
                Contract(
                    "The claims that the token's scope covers", proves: .token, gives: UserInfo.shape,
                    refuses: UserInfoEndpoint.refusals)
            },
            Route(.post, Endpoints.userInfo.path, body: .formOrNothing, .resource, from: .any, userInfo.answer).stating(
                .tokens, "postUserInfo", "Returns the claims about the person, with the token in a form"
            ) {
                Contract(
                    "The claims that the token's scope covers",
                    takes: .object(
                        WireObject(
                            name: "UserInfoRequest", members: [.optional("access_token", .of(AccessToken.self))],
                            isOpen: false)), proves: .token,
                    gives: UserInfo.shape, refuses: UserInfoEndpoint.refusals)
            },
        ]
    }
}

import WalletAuth
import WalletAuthWire

/// The userinfo endpoint (OpenID Connect Core §5.3).
extension ServerCore {
    /// The scope that a claim needs (§5.4). Any other claim needs none.
    private static let neededScopes: [String: String] = [
        "name": "profile", "family_name": "profile", "given_name": "profile", "middle_name": "profile",
        "nickname": "profile", "preferred_username": "profile", "profile": "profile", "picture": "profile",
        "website": "profile", "gender": "profile", "birthdate": "profile", "zoneinfo": "profile", "locale": "profile",
        "updated_at": "profile", "email": "email", "email_verified": "email", "phone_number": "phone",
        "phone_number_verified": "phone", "address": "address",
    ]

    /// Returns the person's claims that the token's scope covers.
    mutating func userInfo(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let token = try authorize(request, now: now)
        guard token.scope.contains("openid") else {
            let scheme = token.keyThumbprint == nil ? "Bearer" : "DPoP"
            var response = unauthorized(scheme: scheme, .insufficientScope).response
            response.status = 403
            throw Refusal(response: response)
        }
        var answer = JSONObject()
        answer.set("sub", token.subject)
        let person = people.values.first { $0.subject == token.subject }
        for claim in person?.claims.members ?? [] where claim.name != "sub" {
            guard Self.neededScopes[claim.name].map({ token.scope.contains($0) }) ?? true else { continue }
            answer[claim.name] = claim.value
        }
        return .json(answer)
    }
}

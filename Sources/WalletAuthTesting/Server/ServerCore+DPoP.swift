import Foundation
import WalletAuth
import WalletAuthWire

extension ServerCore {
    var usesNonces: Bool { settings.dpop == .offeredWithNonces || settings.dpop == .required }

    /// The only valid nonce.
    var nonceText: String { "nonce-\(nonceNumber)" }

    /// Verifies a request's DPoP proof: signature, method, URL, age, nonce, and that it was not used before.
    ///
    /// - Parameter token: the access token in the request, at a resource.
    /// - Returns: the thumbprint of the key, or nil if there is no proof.
    /// - Throws: ``Refusal``.
    mutating func proof(
        of request: HTTPRequest, token: AccessToken? = nil, now: NumericDate
    ) throws -> JWKThumbprint? {
        let headers = request.headers.values("DPoP")
        guard settings.dpop != .unavailable, let text = headers.first else { return nil }
        guard headers.count == 1 else { throw refusal(.invalidDPoPProof, token: token) }
        let expected = DPoPProof.Expectation(
            method: request.method, target: try HTTPTarget(request.url.absoluteString), accessToken: token)
        guard let proof = try? DPoPProof.verified(text, for: expected, now: usesNonces ? nil : now) else {
            throw refusal(.invalidDPoPProof, token: token)
        }
        if usesNonces {
            guard proof.nonce?.rawValue == nonceText else { throw refusal(.useDPoPNonce, token: token) }
            guard proof.clockFault(at: now) == nil else { throw refusal(.invalidDPoPProof, token: token) }
        }
        guard seenProofs.insert(proof.id).inserted else { throw refusal(.invalidDPoPProof, token: token) }
        return proof.thumbprint
    }

    /// The refusal of a proof: 400 at the token endpoint (RFC 9449 §8), 401 at a resource (section 9).
    private func refusal(_ code: OAuthError.Code, token: AccessToken?) -> Refusal {
        if token != nil { return unauthorized(scheme: "DPoP", code) }
        return Refusal(response: .json(OAuthError(code).json, status: 400))
    }

    func unauthorized(scheme: String, _ code: OAuthError.Code?) -> Refusal {
        var response = HTTPResponse(status: 401)
        let error = code.map { ", error=\"\($0.rawValue)\"" } ?? ""
        let algorithms = scheme == "DPoP" ? ", algs=\"ES256\"" : ""
        response.headers["WWW-Authenticate"] = "\(scheme) realm=\"scripted\"\(error)\(algorithms)"
        return Refusal(response: response)
    }

    /// Verifies the access token of a request to a resource (RFC 6750, RFC 9449 §7).
    ///
    /// - Returns: the token's claims.
    mutating func authorize(_ request: HTTPRequest, now: NumericDate) throws -> AccessTokenClaims {
        let scheme = settings.dpop == .unavailable ? "Bearer" : "DPoP"
        guard let header = request.headers["Authorization"], let blank = header.firstIndex(of: " "),
            let type = TokenType(ignoringCase: String(header[..<blank])),
            let token = try? AccessToken(String(header[header.index(after: blank)...]))
        else { throw unauthorized(scheme: scheme, nil) }
        guard let key = signer.publicJWK,
            let claims = try? AccessTokenClaims.verified(
                token, by: [key.verifier()], rules: JWTRules(issuer: issuer, leeway: .zero), now: now),
            claims.sessionID.map({ sessions[$0]?.endedBecause == nil }) ?? true
        else { throw unauthorized(scheme: type.rawValue, .invalidToken) }
        // A bound token under the scheme Bearer is stolen or a mistake: neither grants access.
        let thumbprint = type == .dpop ? try proof(of: request, token: token, now: now) : nil
        guard claims.keyThumbprint == thumbprint else { throw unauthorized(scheme: scheme, .invalidToken) }
        return claims
    }
}

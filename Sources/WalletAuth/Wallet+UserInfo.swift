import Foundation
import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// Asks the server for the signed-in person's claims, such as the name and the e-mail address (OpenID Connect Core
    /// §5.3).
    ///
    /// Which claims it returns depends on the scopes of the session: `openid` is required, and `profile`, `email`, `phone`
    /// and `address` add more. The token goes where ``perform(_:)`` would send it: if the server's userinfo endpoint has
    /// another origin than the issuer, a bearer token goes there only if ``Configuration/resources`` lists that origin.
    /// The request is repeated as by ``perform(_:)``.
    /// - Returns: the claims, of the session's person only. Nothing is stored.
    /// - Throws: ``WalletError``: `unsupported_by_server` if the server has no userinfo endpoint, or signs or encrypts the
    ///   claims; `insufficient_scope`, `request_refused`; `malformed_answer` if the claims cannot be used, or are another
    ///   person's; `signed_out`, `offline` …
    public func userInfo() async throws -> UserInfo {
        try await log.during(.userInfo) {
            let holding = try await tokens.holding(during: .userInfo)
            let answer = try await calls.perform(
                HTTPRequest(try await userInfoEndpoint(), method: "GET", within: .seconds(60)), in: holding.generation,
                during: .userInfo)
            guard answer.isSuccess else { throw userInfoFailure(of: answer) }
            let info = try claims(in: answer)
            // Otherwise an attacker who replaces the response passes another person's claims off as this one's (OpenID
            // Connect Core §5.3.2).
            if let subject = holding.session.owner.subject, subject != info.subject {
                throw answer.unusable("returned the claims of another person", during: .userInfo)
            }
            return info
        }
    }

    /// A person's claims.
    public typealias UserInfo = WalletAuthWire.UserInfo

    private func userInfoEndpoint() async throws -> URL {
        let server = try await discovery.metadata()
        if let url = server.userInfoURL { return url }
        if server.isProvisional {
            throw WalletError(
                .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .userInfo,
                reachedServer: true,
                reason: "the part of the server's metadata that may name its userinfo endpoint is unavailable")
        }
        throw WalletError(
            .unsupportedByServer, .misconfigured, during: .userInfo, reachedServer: true,
            reason: "the server's metadata names no userinfo_endpoint that may be used in this environment")
    }

    private func claims(in answer: ServerAnswer) throws -> UserInfo {
        let type = answer.headers["Content-Type"]?.prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        if type == "application/jwt" {
            let error = answer.unusable(
                "signs or encrypts the claims (application/jwt), as the client's registration asks: remove"
                    + " userinfo_signed_response_alg and userinfo_encrypted_response_alg from it",
                during: .userInfo)
            throw error.turned(into: .unsupportedByServer, .misconfigured, reason: error.reason)
        }
        guard type == "application/json" else {
            let named = type.map { "the type \($0.asServerWords.prefix(100))" } ?? "no type"
            throw answer.unusable(
                "returned \(answer.status) with \(named), not application/json", during: .userInfo)
        }
        do { return try UserInfo(JSONValue.object(parsing: Array(answer.body))) } catch {
            throw answer.unusable(
                "returned \(answer.status) with claims that cannot be used: \(error)", during: .userInfo)
        }
    }

    /// Standard servers may explain a refusal in `WWW-Authenticate` alone (OpenID Connect Core §5.3.3).
    private func userInfoFailure(of answer: ServerAnswer) -> WalletError {
        let error = answer.failure(during: .userInfo)
        guard error.code == .malformedAnswer,
            let said = OAuthError(wwwAuthenticate: answer.headers.values("WWW-Authenticate"))
        else { return error }
        let code = WalletError.Code(rawValue: said.code.rawValue)
        return error.turned(
            into: code, .refused, reason: said.detail?.asServerWords ?? "the server returned \(code.rawValue)")
    }
}

import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Asks the userinfo endpoint for the claims of the signed-in person.
struct UserInfoCall: Sendable {
    let calls: SessionCalls

    private static let operation = WalletError.Operation.userInfo

    func run() async throws -> UserInfo {
        let holding = try await calls.tokens.holding(during: Self.operation)
        let answer = try await calls.perform(
            HTTPRequest(try await endpoint(), method: "GET", within: .seconds(60)), in: holding.generation,
            during: Self.operation)
        guard answer.isSuccess else { throw failure(of: answer) }
        let info = try claims(in: answer)
        // Otherwise an attacker who replaces the response passes another person's claims off as this one's (OpenID
        // Connect Core §5.3.2).
        if let subject = holding.session.owner.subject, subject != info.subject {
            throw answer.unusable("returned the claims of another person", during: Self.operation)
        }
        return info
    }

    private func endpoint() async throws -> URL {
        let server = try await calls.discovery.metadata()
        if let url = server.userInfoURL { return url }
        if server.isProvisional {
            throw WalletError(
                .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: Self.operation,
                reachedServer: true,
                reason: "the part of the server's metadata that may name its userinfo endpoint is unavailable")
        }
        throw WalletError(
            .unsupportedByServer, .misconfigured, during: Self.operation, reachedServer: true,
            reason: "the server's metadata names no userinfo_endpoint that may be used in this environment")
    }

    private func claims(in answer: ServerAnswer) throws -> UserInfo {
        let type = answer.headers["Content-Type"]?.prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        if type == "application/jwt" {
            let error = answer.unusable(
                "signs or encrypts the claims (application/jwt), as the client's registration asks: remove"
                    + " userinfo_signed_response_alg and userinfo_encrypted_response_alg from it",
                during: Self.operation)
            throw error.turned(into: .unsupportedByServer, .misconfigured, reason: error.reason)
        }
        guard type == "application/json" else {
            let named = type.map { "the type \($0.asServerWords.prefix(100))" } ?? "no type"
            throw answer.unusable(
                "returned \(answer.status) with \(named), not application/json", during: Self.operation)
        }
        do { return try UserInfo(JSONValue.object(parsing: Array(answer.body))) } catch {
            throw answer.unusable(
                "returned \(answer.status) with claims that cannot be used: \(error)", during: Self.operation)
        }
    }

    /// Standard servers may explain a refusal in `WWW-Authenticate` alone (OpenID Connect Core §5.3.3).
    private func failure(of answer: ServerAnswer) -> WalletError {
        let error = answer.failure(during: Self.operation)
        guard error.code == .malformedAnswer,
            let said = OAuthError(wwwAuthenticate: answer.headers.values("WWW-Authenticate"))
        else { return error }
        let code = WalletError.Code(rawValue: said.code.rawValue)
        return error.turned(
            into: code, .refused, reason: said.detail?.asServerWords ?? "the server returned \(code.rawValue)")
    }
}

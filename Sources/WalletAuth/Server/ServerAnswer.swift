import Foundation
import WalletAuthWire

/// What a server answered.
struct ServerAnswer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: Data
    /// The server's clock when the answer came.
    let receivedAt: Instant

    var isSuccess: Bool { (200...299).contains(status) }

    /// The body as a JSON object.
    func object() throws -> JSONObject {
        try JSONValue.object(parsing: Array(body))
    }

    /// The OAuth error in the body, if there is one.
    var oauthError: OAuthError? {
        guard let object = try? object() else { return nil }
        return try? OAuthError(object)
    }

    /// `Retry-After` (RFC 9110 §10.2.3), in either of its forms. The tries of a PIN may take thirty days to come back; beyond a year
    /// the header is nonsense.
    var retryAfter: Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let year = Duration.seconds(365 * 86_400)
        if let seconds = Int64(text), seconds >= 0 { return min(.seconds(seconds), year) }
        return HTTPDate.parse(text).map { min(max($0 - receivedAt, .zero), year) }
    }

    /// The server's name for the call in its log: the trace id of `traceparent` (W3C Trace Context).
    var traceID: String? {
        guard let parts = headers["traceparent"]?.split(separator: "-"), parts.count == 4, parts[1].count == 32,
            parts[1].allSatisfy(\.isHexDigit)
        else {
            return nil
        }
        return String(parts[1])
    }

    /// The tries that a wrong PIN left, as an OAuth error or a problem tells them.
    var remainingAttempts: Int? {
        guard let object = try? object() else { return nil }
        return (object["remaining_attempts"] ?? object["remainingAttempts"])?.integer.flatMap { Int(exactly: $0) }
    }

    /// Whether the server says that it cannot answer now.
    var isTemporaryFailure: Bool { status == 429 || (500...599).contains(status) }

    /// Whether a proof was refused for want of the nonce that came along (RFC 9449 §8).
    var asksForNonce: Bool {
        guard status == 400 || status == 401, headers["DPoP-Nonce"] != nil else { return false }
        if headers.values("WWW-Authenticate").contains(where: { $0.contains("use_dpop_nonce") }) { return true }
        return oauthError?.code == .useDPoPNonce
    }
}

extension OAuthError {
    /// Whether somebody has to change the app or the server before this can work.
    var isMisconfiguration: Bool {
        if errorCode != nil { return false }
        let mistakes: Set<Code> = [
            .invalidRequest, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
            .unsupportedResponseType, .invalidTarget,
        ]
        return mistakes.contains(code)
    }
}

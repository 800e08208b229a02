internal import WalletAuthWire

/// What an authorization server's answer says in its headers and its error, whichever type holds them.
package enum AnswerHeaders {
    /// The server's trace id of the call (W3C Trace Context).
    /// - Parameter traceparent: the header's value, if there is one.
    package static func traceID(in traceparent: String?) -> String? {
        guard let parts = traceparent?.split(separator: "-"), parts.count == 4, parts[1].utf8.count == 32,
            parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        return String(parts[1])
    }

    /// Whether the server refused a proof for lack of the nonce in its answer (RFC 9449 sections 8 and 9).
    /// - Parameters:
    ///   - status: the answer's status.
    ///   - wwwAuthenticate: the values of `WWW-Authenticate`.
    ///   - error: the OAuth error in the body. Called only if the headers do not decide.
    package static func asksForNonce(status: Int, wwwAuthenticate: [String], error: () -> String?) -> Bool {
        guard status == 400 || status == 401 else { return false }
        let code = OAuthError.Code.useDPoPNonce.rawValue
        return wwwAuthenticate.contains { $0.contains(code) } || error() == code
    }
}

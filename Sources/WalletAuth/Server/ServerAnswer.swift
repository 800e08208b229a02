import Foundation
import WalletAuthWire

/// What a server answered.
struct ServerAnswer: Sendable {
    /// Who answered: nothing of it is secret, neither query nor fragment is kept.
    let url: URL?
    let status: Int
    let headers: HTTPFields
    let body: Data
    /// The server's clock when the answer came.
    let receivedAt: Instant
    /// Whether the server says of itself that it is one of this project's.
    var isOwnKind = false

    init(from url: URL?, status: Int, headers: HTTPFields, body: Data, receivedAt: Instant, isOwnKind: Bool = false) {
        self.url = url?.withoutQuery
        self.status = status
        self.headers = headers
        self.body = body
        self.receivedAt = receivedAt
        self.isOwnKind = isOwnKind
    }

    var isSuccess: Bool { (200...299).contains(status) }

    /// Room for an access token, a refresh token and an ID token of 64 KiB each.
    private static let limits = JSONLimits(bytes: 512 << 10)

    /// The body as a JSON object.
    func object() throws -> JSONObject {
        try JSONValue.object(parsing: Array(body), limits: Self.limits)
    }

    /// The body as a JSON object, for a call that cannot go on without one.
    /// - Throws: ``WalletError`` that says who answered what instead.
    func object(during operation: WalletError.Operation) throws -> JSONObject {
        do { return try object() } catch {
            throw unusable("answered \(status) with \(bodyInWords)", during: operation)
        }
    }

    /// An answer that has the right status and nothing to go on with.
    /// - Parameter what: the end of a sentence that begins with the URL.
    func unusable(_ what: String, during operation: WalletError.Operation) -> WalletError {
        var error = WalletError(
            .malformedAnswer, .misconfigured, during: operation, reachedServer: true, traceID: traceID,
            reason: "\(place) \(what)")
        error.answeredBy = url
        error.isFromWalletAuth = isOwnKind
        return error
    }

    /// Who answered, for a sentence.
    var place: String { url?.absoluteString ?? "the server" }

    /// What the body is, where it is not what it should be.
    var bodyInWords: String {
        if body.isEmpty { return "no content" }
        let start = body.prefix(512).first { !$0.isWhitespaceByte }
        let isPage = headers["Content-Type"]?.lowercased().contains("html") == true || start == UInt8(ascii: "<")
        if isPage { return "a web page instead of JSON" }
        return start == UInt8(ascii: "{") ? "JSON that is malformed" : "something else than a JSON object"
    }

    /// The OAuth error in the body, if there is one.
    var oauthError: OAuthError? {
        guard let object = try? object() else { return nil }
        return try? OAuthError(object)
    }

    /// `Retry-After` (RFC 9110 §10.2.3), in either of its forms. The tries of a PIN may take thirty days to come back; beyond a year
    /// the header is nonsense. A date is held against the answer's own `Date`, whatever the device's clock says. Too many
    /// requests without a word on when to come back are ten seconds.
    var retryAfter: Duration? {
        let otherwise: Duration? = status == 429 ? .seconds(10) : nil
        guard let text = headers["Retry-After"]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else {
            return otherwise
        }
        let year = Duration.seconds(365 * 86_400)
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(.seconds(Int64(text) ?? .max), year)
        }
        let now = headers["Date"].flatMap(HTTPDate.parse) ?? receivedAt
        return HTTPDate.parse(text).map { min(max($0 - now, .zero), year) } ?? otherwise
    }

    /// The server's name for the call in its log: the trace id of `traceparent` (W3C Trace Context).
    var traceID: String? {
        guard let parts = headers["traceparent"]?.split(separator: "-"), parts.count == 4, parts[1].utf8.count == 32,
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
    var isTemporaryFailure: Bool { [408, 425, 429].contains(status) || (500...599).contains(status) }

    /// Where a redirect leads, which the SDK does not follow: an origin alone.
    var redirect: String? {
        guard (300...399).contains(status), let location = headers["Location"],
            let target = URL(string: location, relativeTo: url)?.absoluteURL, target.host() != nil
        else { return nil }
        return target.origin.droppingStandardPort
    }

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

extension URL {
    /// The same place without what may be a secret.
    var withoutQuery: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
        return parts.url ?? self
    }
}

extension String {
    /// An origin as people write it.
    fileprivate var droppingStandardPort: String {
        if hasPrefix("https://"), hasSuffix(":443") { return String(dropLast(4)) }
        if hasPrefix("http://"), hasSuffix(":80") { return String(dropLast(3)) }
        return self
    }

    /// What a server said, on one line: without characters that steer a terminal or turn text around, and not without end.
    var asServerWords: String {
        var text = ""
        for scalar in unicodeScalars.prefix(600) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: text.append(" ")
            case .format, .privateUse, .surrogate, .unassigned: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        let words = text.split(separator: " ").joined(separator: " ")
        return words.count > 400 ? words.prefix(400) + "…" : words
    }
}

extension UInt8 {
    /// A byte order mark counts as well: a page may begin with one.
    fileprivate var isWhitespaceByte: Bool { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(self) }
}

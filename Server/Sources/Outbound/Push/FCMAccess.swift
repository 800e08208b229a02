internal import Core
internal import WalletAuthWire

/// The access token for Firebase, kept until shortly before its end. Messages that need one at the same time share one request.
actor FCMAccess {
    private struct Token {
        let text: String
        let freshUntil: Timestamp
    }

    /// Google gave no token.
    struct Refusal: Error {
        let reason: String
        let retryAfter: Duration?
    }

    /// A token may end on its way.
    private static let margin = Duration.minutes(5)

    private let credentials: FCMCredentials
    private let url: String
    private let http: GuardedHTTP
    private var kept: Token?
    private var request: Task<Token, any Error>?

    init(_ credentials: FCMCredentials, at url: String, http: GuardedHTTP) {
        self.credentials = credentials
        self.url = url
        self.http = http
    }

    /// - Parameter refused: a token that Firebase does not accept any more.
    /// - Throws: ``Refusal``, ``OutboundFault``, `CancellationError`, or the library's error.
    func token(otherThan refused: String? = nil, now: Timestamp) async throws -> String {
        if let kept, kept.text != refused, now < kept.freshUntil { return kept.text }
        let request =
            request
            ?? Task { [credentials, url, http] in
                try await Self.fetch(credentials, at: url, by: http, now: now)
            }
        self.request = request
        // The next caller asks again, whether or not this succeeded. One that waited for long must not undo what came after it.
        defer { if self.request == request { self.request = nil } }
        let token = try await request.value
        if self.request == request { kept = token }
        return token.text
    }

    private static func fetch(
        _ credentials: FCMCredentials, at url: String, by http: GuardedHTTP, now: Timestamp
    ) async throws -> Token {
        var form = FormParameters()
        form.append("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        form.append("assertion", try credentials.assertion(for: url, now: now))
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                method: "POST", url: url, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.encoded.utf8)))
        guard answer.status == 200, let json = try? JSONValue.object(parsing: answer.body),
            let text = json["access_token"]?.string, (1...8192).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            let isRefused = answer.status == 400 || answer.status == 401
            let remedy = isRefused ? ": check push.fcm.credentialsFile and this server's clock" : ""
            throw Refusal(reason: "fcm: no access token, \(answer.status)\(remedy)", retryAfter: answer.retryAfter)
        }
        let lifetime = Duration.seconds(min(86_400, max(0, json["expires_in"]?.integer ?? 0)))
        return Token(text: text, freshUntil: now + max(.zero, lifetime - margin))
    }
}

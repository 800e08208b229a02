import Foundation
import WalletAuthTransport
import WalletAuthWire

/// A server's answer.
struct ServerAnswer: Sendable {
    /// The URL of the request.
    let requestURL: URL
    let status: Int
    let headers: HTTPFields
    let body: Data
    /// The arrival in server time.
    let receivedAt: Instant
    /// Whether the server identifies itself as one of this project's.
    var isOwnKind = false
    /// Whether the server's clock seems to be wrong (``ServerTimeDoubt``): what it says of the end of a session may be too.
    var isTimeDoubtful = false
    /// Whether the server may have carried out an earlier attempt, although no answer said so.
    var followsUnknownOutcome = false

    init(_ response: HTTPResponse, to request: HTTPRequest, receivedAt: Instant) {
        requestURL = request.url
        status = response.status
        headers = response.headers
        body = response.body
        self.receivedAt = receivedAt
    }

    /// The URL that answered, without query or fragment, so that nothing in it is secret.
    var url: URL { requestURL.withoutQuery }

    var isSuccess: Bool { (200...299).contains(status) }

    /// Room for an access token, a refresh token and an ID token of 64 KiB each.
    private static let limits = JSONLimits(bytes: 512 << 10)

    /// The body as a JSON object.
    func object() throws -> JSONObject {
        try JSONValue.object(parsing: Array(body), limits: Self.limits)
    }

    /// The body as a JSON object, for a call that needs one.
    /// - Throws: ``WalletError`` that names the server and what it sent instead.
    func object(during operation: WalletError.Operation) throws -> JSONObject {
        do { return try object() } catch {
            throw unusable("returned \(status) with \(bodyInWords)", during: operation)
        }
    }

    /// The body of a success as a JSON object.
    /// - Throws: ``WalletError`` for every other answer; `MalformedValue`.
    func success(during operation: WalletError.Operation) throws -> JSONObject {
        guard isSuccess else { throw failure(during: operation) }
        return try object()
    }

    /// The message of a successful answer.
    // Not inlined: the optimizer of Swift 6.3 crashes on an error of one type that an async function passes on as any error.
    @inline(never)
    func message<Message: WireMessage>(
        _ type: Message.Type = Message.self, during operation: WalletError.Operation
    ) throws -> Message {
        try Message(try success(during: operation))
    }

    /// An answer with the right status but nothing usable.
    /// - Parameter what: the end of a sentence that begins with the URL.
    func unusable(_ what: String, during operation: WalletError.Operation) -> WalletError {
        var error = WalletError(
            .malformedAnswer, .misconfigured, during: operation, reachedServer: true, traceID: traceID,
            reason: "\(place) \(what)")
        error.answeredBy = url
        error.isFromWalletAuth = isOwnKind
        return error
    }

    /// The server, for use in a sentence.
    var place: String { url.absoluteString }

    /// The body, described for an error message.
    var bodyInWords: String {
        if body.isEmpty { return "no content" }
        if hasTypeOfPage || start == UInt8(ascii: "<") { return "a web page instead of JSON" }
        return start == UInt8(ascii: "{") ? "JSON that is malformed" : "something other than a JSON object"
    }

    /// Whether it is certainly a web page. The type alone does not say so: some frameworks give it to every answer that
    /// names none, also to an empty one.
    var isWebPage: Bool { hasTypeOfPage && start == UInt8(ascii: "<") }

    private var hasTypeOfPage: Bool { headers["Content-Type"]?.lowercased().contains("html") == true }

    /// The first byte of the body that is not white space.
    private var start: UInt8? { body.prefix(512).first { !$0.isWhitespaceByte } }

    /// The OAuth error in the body, if there is one.
    var oauthError: OAuthError? {
        guard let object = try? object() else { return nil }
        return try? OAuthError(object)
    }

    /// `Retry-After` (RFC 9110 §10.2.3), in either of its forms. A PIN's tries may take thirty days to come back;
    /// anything beyond a year is nonsense. A date is compared with the answer's own `Date`, whatever the device's clock
    /// says. A 429 without the header means ten seconds.
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

    /// The server's trace id of the call, from `traceparent` (W3C Trace Context).
    var traceID: String? { AnswerHeaders.traceID(in: headers["traceparent"]) }

    /// The tries left after a wrong PIN, from an OAuth error or a problem document.
    var remainingAttempts: Int? {
        guard let object = try? object() else { return nil }
        return (object["remaining_attempts"] ?? object["remainingAttempts"])?.integer.flatMap { Int(exactly: $0) }
    }

    /// Whether the server cannot answer right now.
    var isTemporaryFailure: Bool { RetryPolicy.isTemporaryFailure(status) }

    /// The origin of a redirect, which the SDK does not follow.
    var redirect: String? {
        guard (300...399).contains(status), let location = headers["Location"],
            let target = URL(string: location, relativeTo: url)?.absoluteURL, target.host() != nil
        else { return nil }
        return target.origin.droppingStandardPort
    }

    /// Whether a proof was refused for lack of the nonce that came with the answer (RFC 9449 §8).
    var asksForNonce: Bool {
        guard headers["DPoP-Nonce"] != nil else { return false }
        return AnswerHeaders.asksForNonce(
            status: status, wwwAuthenticate: headers.values("WWW-Authenticate"), error: { oauthError?.code.rawValue })
    }
}

extension ServerAnswer {
    /// The answer as a failure. Every call reads refusals here, so that none can expect the wrong form: OAuth errors
    /// (RFC 6749 §5.2), problem documents (RFC 9457) and step-up challenges (RFC 9470) are distinguished by their
    /// content. An error page of an intermediary says nothing about the session.
    func failure(during operation: WalletError.Operation) -> WalletError {
        let refusal = ServerRefusal(self)
        var error = failure(refusal, during: operation)
        error.transactionStatus = refusal?.transactionStatus
        error.coolingUntil = refusal?.coolingUntil ?? end(ofCooling: error.code)
        if error.code == .secondFactorUnavailable { error.secondFactorShortage = refusal?.secondFactorShortage }
        if error.code == .paymentsOpen { error.openPayments = refusal?.openPayments ?? [] }
        if error.code == .walletDeactivated { error.eraseAt = refusal?.eraseAt }
        error.answeredBy = url
        error.isFromWalletAuth = isOwnKind
        return error
    }

    /// When an account's cooling period ends, from `Retry-After`; nil for any other refusal.
    private func end(ofCooling code: WalletError.Code) -> Date? {
        guard code == .recoveryCooling || code == .contactCooling else { return nil }
        return retryAfter.map { (receivedAt + $0).date }
    }

    private func failure(_ refusal: ServerRefusal?, during operation: WalletError.Operation) -> WalletError {
        let trace = refusal?.traceID ?? traceID
        if let requirements {
            // The challenge decides, whatever the body is.
            return WalletError(
                .insufficientUserAuthentication, .stepUp(requirements), during: operation, statusCode: status,
                reachedServer: true, traceID: trace,
                reason: refusal?.detail ?? "the sign-in is too weak or too old for this call")
        }
        if isTemporaryFailure {
            return WalletError(
                refusal?.temporaryCode(at: status) ?? .temporarilyUnavailable,
                .temporarilyUnavailable(retryAfter: retryAfter), during: operation,
                statusCode: refusal?.temporaryStatusCode(at: status), reachedServer: true, traceID: trace,
                reason: refusal?.words ?? "\(place) returned \(status)")
        }
        guard let refusal else {
            return WalletError(
                .malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: operation, reachedServer: true,
                traceID: trace, reason: unexplained)
        }
        return WalletError(
            refusal.code, refusal.isMisconfiguration ? .misconfigured : .refused, during: operation,
            statusCode: refusal.statusCode ?? (refusal.form == .problem ? status : nil), reachedServer: true,
            traceID: trace, remainingAttempts: refusal.remainingAttempts,
            isRefusedByPerson: refusal.code == .dataError && refusal.isByPerson, pinLockReason: refusal.pinLockReason,
            reason: refusal.detail ?? "the server returned \(refusal.code.rawValue)")
    }

    /// The text for an answer without an explanation.
    private var unexplained: String {
        if let redirect { return "\(place) returned \(status), a redirect to \(redirect), which is not followed" }
        if isSuccess { return "\(place) returned \(status) with \(bodyInWords)" }
        return "\(place) returned \(status) without giving a reason"
    }

    /// The sign-in that a 401 requires (RFC 9470 §3); nil if it requires none.
    var requirements: AuthenticationRequirements? {
        guard status == 401 else { return nil }
        return AuthenticationRequirements(wwwAuthenticate: headers.values("WWW-Authenticate"))
    }
}

/// A server's refusal, in whichever form it came.
private struct ServerRefusal {
    enum Form {
        case oauth
        case problem
    }

    let form: Form
    let code: WalletError.Code
    let detail: String?
    /// Everything the server said, for a text that does not name the code.
    let words: String?
    let statusCode: Int?
    let traceID: String?
    let remainingAttempts: Int?
    /// Whether an event has ended because the person refused it.
    let isByPerson: Bool
    let pinLockReason: PINLockReason?
    /// How an ended transaction ended.
    let transactionStatus: TransactionStatus?
    /// When a new device may sign.
    let coolingUntil: Date?
    /// What a device without an allowed factor lacks.
    let secondFactorShortage: SecondFactorShortage?
    /// What keeps an account open.
    let openPayments: [OpenPayment]
    /// When the account that its holder closed is erased.
    let eraseAt: Date?
    /// Whether the app or the server must be changed before this can work.
    let isMisconfiguration: Bool

    init?(_ answer: ServerAnswer) {
        guard let object = try? answer.object() else { return nil }
        let isProblem = answer.headers["Content-Type"]?.lowercased().hasPrefix(Problem.contentType) == true
        if !isProblem, let error = try? OAuthError(object) {
            form = .oauth
            // A code that this version of the SDK does not know reaches the app too.
            let own = object["error_code"]?.string.flatMap { try? OAuthError.Code($0) }
            code = WalletError.Code(rawValue: (own ?? error.code).rawValue)
            let said = object["error_description"]?.string?.asServerWords
            detail = said?.isEmpty == false ? said : nil
            words = own == nil ? [error.code.rawValue, detail].compactMap { $0 }.joined(separator: ": ") : detail
            statusCode = error.statusCode
            traceID = nil
            isMisconfiguration = own == nil && error.isMisconfiguration
        } else {
            let problem = Problem(object)
            guard let named = try? OAuthError.Code(problem.code) else { return nil }
            form = .problem
            code = WalletError.Code(rawValue: named.rawValue)
            detail = (problem.detail ?? (problem.title.isEmpty ? nil : problem.title))?.asServerWords
            words = detail
            statusCode = problem.statusCode
            traceID = problem.traceID.flatMap { Self.isTraceID($0) ? $0 : nil }
            isMisconfiguration = Self.mistakes.contains(code)
        }
        remainingAttempts = answer.remainingAttempts
        isByPerson = object["refused"]?.bool == true
        pinLockReason = object["lockReason"]?.string.flatMap(PINLockReason.init)
        transactionStatus = (object["state"]?.string).flatMap(TransactionStatus.init(rawValue:))
        coolingUntil = (try? object.date("coolingUntil"))?.date
        secondFactorShortage = SecondFactorShortage(object)
        // An entry of unknown form is no reason to lose the others.
        openPayments = (object["openPayments"]?.array ?? []).compactMap { $0.object.flatMap { try? OpenPayment($0) } }
        eraseAt = (try? object.date("erase_at"))?.date
    }

    /// Whether it can go into a log line: letters, digits and hyphens.
    private static func isTraceID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Problems of a misconfigured app or server.
    private static let mistakes: Set<WalletError.Code> = [
        .brandNotFound, .unregisteredURL, .loginStrategyUnavailable, "invalid_client", "unauthorized_client",
        "invalid_scope",
    ]

    /// The code if the server cannot answer right now: only faults and rate limits have one of their own.
    func temporaryCode(at status: Int) -> WalletError.Code? {
        switch (status, code) {
        case (500, .serverError), (429, .tooManyTransactions), (429, .pinExhausted): code
        default: nil
        }
    }

    /// The number if the server cannot answer right now. Older apps' tables have one for a server fault, and none for
    /// other problem documents.
    func temporaryStatusCode(at status: Int) -> Int? {
        switch form {
        case .oauth: statusCode
        case .problem: status == 500 && code == .serverError ? ErrorCode.serverError.statusCode() : nil
        }
    }
}

extension OAuthError {
    /// Whether the app or the server must be changed before this can work.
    var isMisconfiguration: Bool {
        if errorCode != nil { return false }
        let mistakes: Set<Code> = [
            .invalidRequest, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
            .unsupportedResponseType, .invalidTarget, .invalidClientAttestation,
        ]
        return mistakes.contains(code)
    }
}

extension URL {
    /// The URL without parts that may be secret.
    var withoutQuery: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
        return parts.url ?? self
    }
}

extension String {
    /// The origin without a standard port.
    fileprivate var droppingStandardPort: String {
        if hasPrefix("https://"), hasSuffix(":443") { return String(dropLast(4)) }
        if hasPrefix("http://"), hasSuffix(":80") { return String(dropLast(3)) }
        return self
    }
}

extension UInt8 {
    /// Includes a byte order mark, with which a page may begin.
    fileprivate var isWhitespaceByte: Bool { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(self) }
}

import Foundation
import WalletAuthTransport
import WalletAuthWire

extension ServerAnswer {
    /// The answer as a failure. Every call reads refusals here, so that none can expect the wrong form: OAuth errors
    /// (RFC 6749 §5.2), problem documents (RFC 9457) and step-up challenges (RFC 9470) are distinguished by their
    /// content. An error page of an intermediary says nothing about the session.
    func failure(during operation: WalletError.Operation) -> WalletError {
        let refusal = ServerRefusal(self)
        var error = failure(refusal, during: operation)
        error.transactionStatus = refusal?.transactionStatus
        error.coolingUntil = refusal?.coolingUntil
        if error.code == .secondFactorUnavailable { error.secondFactorShortage = refusal?.secondFactorShortage }
        error.answeredBy = url
        error.isFromWalletAuth = isOwnKind
        return error
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
            traceID: trace, remainingAttempts: refusal.remainingAttempts, pinLockReason: refusal.pinLockReason,
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
    let pinLockReason: PINLockReason?
    /// How an ended transaction ended.
    let transactionStatus: TransactionStatus?
    /// When a new device may sign.
    let coolingUntil: Date?
    /// What a device without an allowed factor lacks.
    let secondFactorShortage: SecondFactorShortage?
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
        pinLockReason = object["lockReason"]?.string.flatMap(PINLockReason.init)
        transactionStatus = (object["state"]?.string).flatMap(TransactionStatus.init(rawValue:))
        coolingUntil = (try? object.date("coolingUntil"))?.date
        secondFactorShortage = SecondFactorShortage(object)
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
        .brandNotFound, .unregisteredURL, .loginStrategyUnavailable, "invalid_client", "invalid_scope",
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

import Foundation
import WalletAuthWire

extension ServerAnswer {
    /// The answer as a failure. Every call reads its refusals here, so that no call can expect the wrong form: OAuth errors
    /// (RFC 6749 section 5.2), problem documents (RFC 9457) and challenges for another sign-in (RFC 9470) are told apart by
    /// the answer itself. An error page of something in between says nothing about the session.
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
            // The challenge says it, whatever the body is.
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
                reason: refusal?.words ?? "\(place) answered \(status)")
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
            reason: refusal.detail ?? "the server answered \(refusal.code.rawValue)")
    }

    /// What is said of an answer that says nothing.
    private var unexplained: String {
        if let redirect { return "\(place) answered \(status), a redirect to \(redirect), which is not followed" }
        if isSuccess { return "\(place) answered \(status) with \(bodyInWords)" }
        return "\(place) answered \(status) without saying why"
    }

    /// What a 401 asks of the sign-in (RFC 9470 section 3); nil where it asks for nothing of the kind.
    var requirements: AuthenticationRequirements? {
        guard status == 401 else { return nil }
        return AuthenticationRequirements(wwwAuthenticate: headers.values("WWW-Authenticate"))
    }
}

/// Why a server refuses, in whichever form it says so.
private struct ServerRefusal {
    enum Form {
        case oauth
        case problem
    }

    let form: Form
    let code: WalletError.Code
    let detail: String?
    /// Everything that was said, for a text that does not name the code.
    let words: String?
    let statusCode: Int?
    let traceID: String?
    let remainingAttempts: Int?
    /// Why the PIN is locked.
    let pinLockReason: PINLockReason?
    /// How a transaction ended that is over.
    let transactionStatus: TransactionStatus?
    /// Until when a new device signs nothing.
    let coolingUntil: Date?
    /// What a device lacks that has none of the factors that are allowed.
    let secondFactorShortage: SecondFactorShortage?
    /// Whether somebody has to change the app or the server before this can work.
    let isMisconfiguration: Bool

    /// Reads the body.
    init?(_ answer: ServerAnswer) {
        guard let object = try? answer.object() else { return nil }
        let isProblem = answer.headers["Content-Type"]?.lowercased().hasPrefix(Problem.contentType) == true
        if !isProblem, let error = try? OAuthError(object) {
            form = .oauth
            // A code that this version of the SDK does not know reaches the app as well.
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

    /// Whether it is a name that goes into a log line as it is: letters, digits and hyphens.
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

    /// The problems that an app or a server has that is set up wrongly.
    private static let mistakes: Set<WalletError.Code> = [
        .brandNotFound, .unregisteredURL, .loginStrategyUnavailable, "invalid_client", "invalid_scope",
    ]

    /// The code where the server says that it cannot answer now: only a fault and limits of their own have one.
    func temporaryCode(at status: Int) -> WalletError.Code? {
        switch (status, code) {
        case (500, .serverError), (429, .tooManyTransactions), (429, .pinExhausted): code
        default: nil
        }
    }

    /// The number where the server says that it cannot answer now. A fault of the server has one in the older kits' tables; a
    /// problem document of anything else has none.
    func temporaryStatusCode(at status: Int) -> Int? {
        switch form {
        case .oauth: statusCode
        case .problem: status == 500 && code == .serverError ? ErrorCode.serverError.statusCode() : nil
        }
    }
}

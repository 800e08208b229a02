package import Core
import HTTPTypes
package import WalletAuthWire
package import Web

/// Why a transaction cannot be claimed, confirmed, signed or created, or a sign-in be approved by scanning. The PIN's evaluation
/// passes it on.
package enum TransactionRefusal: Error, Sendable, Hashable {
    /// There is no such transaction, or it belongs to another caller.
    case notFound
    case alreadyClaimed
    /// It has ended in this state.
    case over(TransactionStatus)
    case notConfirmed
    /// The device confirmed, rejected or signed other bytes than it was sent.
    case otherPayload
    /// The device has none of the allowed factors.
    case noSecondFactor(SecondFactorShortage)
    /// It was signed with a factor that it does not allow or the device does not have.
    case secondFactorUnavailable
    case draftUsed
    /// The draft is malformed, expired or was made for another device.
    case invalidDraft
    /// The device is in its cooling period and signs nothing until its end.
    case deviceCooling(until: Timestamp)
    /// The installation has not confirmed the code sent to the holder.
    case instanceUnverified
    /// The device's account is deactivated.
    case walletDeactivated
    /// The password of the device's account has expired: its holder has to choose a new one first.
    case passwordChangeRequired
    /// The device began too many transactions of its own within a day. In seconds.
    case tooManyBegun(retryAfter: Int64)
    /// The backend has too many open transactions for the account. Seconds until one of them expires.
    case tooManyOpen(retryAfter: Int64)
    /// The person chose another number than the sign-in page shows. The attempt has ended.
    case numberMismatch
    /// The page has replaced the scanned code since, or the sign-in was not approved in time.
    case scanExpired
    /// Too many wrong numbers: the account's devices scan nothing for a while. In seconds.
    case scansHeld(retryAfter: Int64)
    case idempotencyMismatch
    /// The backend's brand has no such open account.
    case accountNotFound
    /// The client may not create transactions without an account.
    case accountMissing

    /// One of each kind, but ``noSecondFactor(_:)``, whose code is that of ``secondFactorUnavailable``.
    package static let all: [TransactionRefusal] = [
        .notFound, .alreadyClaimed, .over(.expired), .notConfirmed, .otherPayload, .secondFactorUnavailable, .draftUsed,
        .invalidDraft, .deviceCooling(until: Timestamp(milliseconds: 0)), .instanceUnverified, .walletDeactivated,
        .passwordChangeRequired, .tooManyBegun(retryAfter: 1), .tooManyOpen(retryAfter: 1), .numberMismatch,
        .scanExpired, .scansHeld(retryAfter: 1), .idempotencyMismatch,
        .accountNotFound, .accountMissing,
    ]
}

extension EndpointResponse {
    /// The problem document of a refusal, with the final state or the end of the cooling period.
    package static func refusal(_ refusal: TransactionRefusal, _ request: EndpointRequest) -> EndpointResponse {
        let (status, code, detail) = refusal.answer
        var retryAfter: Int64?
        var response = problem(status, code, detail, request) { problem in
            switch refusal {
            case .over(let final): problem.set("state", final.rawValue)
            case .deviceCooling(let until): problem.set("coolingUntil", NumericDate(clamping: until.seconds))
            case .noSecondFactor(let shortage): shortage.add(to: &problem)
            case .tooManyOpen(let seconds), .tooManyBegun(let seconds), .scansHeld(let seconds): retryAfter = seconds
            default: break
            }
        }
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
    }

    fileprivate static func problem(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, _ request: EndpointRequest,
        adding: (inout JSONObject) -> Void = { _ in }
    ) -> EndpointResponse {
        var problem = Problem(
            status: status.code, code: code, title: status.reasonPhrase, detail: detail,
            traceID: request.context.trace.traceID
        ).json
        adding(&problem)
        return .problem(status, code: code, problem)
    }
}

extension TransactionRefusal {
    fileprivate var answer: (status: HTTPResponse.Status, code: String, detail: String) {
        switch self {
        case .notFound: (.notFound, "transaction_not_found", "There is no such transaction for this caller.")
        case .alreadyClaimed: (.conflict, "already_claimed", "Another device has scanned the code. Show a new one.")
        case .over(let status): (.conflict, "transaction_over", status.explanation)
        case .notConfirmed:
            (.conflict, "transaction_not_confirmed", "Confirm the transaction first. The person has to read it.")
        case .otherPayload:
            (.conflict, "payload_mismatch", "payloadHash is not the hash of the payload that was sent to this device.")
        case .noSecondFactor(let shortage):
            (
                .conflict, "second_factor_unavailable",
                "The device has none of the second factors that the transaction allows: \(shortage.advice)."
            )
        case .secondFactorUnavailable:
            (
                .conflict, "second_factor_unavailable",
                "The transaction does not allow this factor, or the device no longer has it. Sign with another."
            )
        case .draftUsed: (.conflict, "draft_used", "The draft was already signed.")
        case .invalidDraft:
            (.badRequest, "invalid_draft", "The draft has expired or belongs to another device. Start another one.")
        case .deviceCooling:
            (.forbidden, "device_cooling", "The device was enrolled recently. It can sign from coolingUntil on.")
        case .instanceUnverified:
            (
                .forbidden, "app_instance_unverified",
                "Confirm this installation first, with the code that was sent to its holder."
            )
        case .walletDeactivated: (.forbidden, "wallet_deactivated", "The device's wallet is deactivated.")
        case .passwordChangeRequired:
            (
                .forbidden, "password_change_required",
                "The password has expired. Sign in and choose a new one; then the device can sign again."
            )
        case .tooManyBegun:
            (
                .tooManyRequests, "too_many_transactions",
                "The device started too many transactions of its own within a day. Wait before you try again."
            )
        case .tooManyOpen:
            (
                .tooManyRequests, "too_many_transactions",
                "You have too many open transactions for this account. Cancel some, or wait until they expire."
            )
        case .numberMismatch:
            (.conflict, "number_mismatch", "The sign-in page shows another number. Scan a new code to try again.")
        case .scanExpired:
            (.conflict, "scan_expired", "The code is no longer valid. Scan the one that the page shows now.")
        case .scansHeld:
            (
                .tooManyRequests, "too_many_attempts",
                "The wrong number was chosen too often. Wait before you scan another sign-in page."
            )
        case .idempotencyMismatch:
            (.unprocessableContent, "idempotency_mismatch", "The Idempotency-Key was used for another transaction.")
        case .accountNotFound: (.notFound, "account_not_found", "Your brand has no such open account.")
        case .accountMissing:
            (
                .badRequest, "account_required",
                "accountId is missing. Only a client with --transactions-without-account may leave it out."
            )
        }
    }
}

extension SecondFactorShortage {
    /// For developers: how to proceed.
    fileprivate var advice: String {
        switch (required, pin) {
        case (_, .locked): "its PIN is locked, so sign in with two factors and set another"
        case (_, .exhausted): "its PIN cannot be used until pinExhaustedUntil, unless the device is enrolled again"
        case (.biometric, _): "it needs a biometric key"
        case (.pin, _): "set a PIN"
        case (.any, _): "set a PIN or enroll a biometric key"
        }
    }
}

extension TransactionStatus {
    /// For developers.
    fileprivate var explanation: String {
        switch self {
        case .signed: "The transaction is signed."
        case .rejected: "The person rejected the transaction."
        case .failed: "The PIN of the device was locked before the transaction was signed."
        case .expired: "The transaction has expired. Create another one."
        case .cancelled: "The transaction was cancelled."
        case .created, .claimed, .confirmed: "The transaction is open."
        }
    }
}

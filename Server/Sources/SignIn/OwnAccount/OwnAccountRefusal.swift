internal import HTTPTypes
package import WalletAuthWire
package import Web

/// Why a holder's change of their own account is refused.
package enum OwnAccountRefusal: Error, Sendable, Hashable {
    /// A reason common to all changes by the holder.
    case factor(FactorRefusal)
    /// It is the account's confirmed address or number already.
    case unchanged
    /// The server sends no such messages.
    case channelUnavailable
    /// Without the number, no message would reach the holder: the account has no confirmed address, or the server sends no e-mail.
    case lastContact
    /// Payments or transactions wait for the person or for their backend: the first of them.
    case openPayments([OpenPayment])
    /// No one else could grant roles on this server.
    case lastOwner
    /// The holder changed the address or the number within the last day. In seconds.
    case contactCooling(retryAfter: Int64)
    /// No closed account has this code, or it is too late.
    case closingNotFound
    /// The export would have more records of a kind, or more bytes, than an app gets.
    case exportTooLarge

    /// One of each kind that a contact change has, but those of the caller.
    static let ofContact: [OwnAccountRefusal] =
        [
            .strongerSignIn(maximumAge: 0, acr: ""), .cooling(retryAfter: 1), .nothingPending, .invalidCode,
            .tooManyAttempts(retryAfter: 1), .accountChanged,
        ].map { .factor($0) } + [.unchanged, .channelUnavailable]

    /// Those of a call that needs a fresh sign-in.
    package static let ofFreshCall: [OwnAccountRefusal] =
        [
            .strongerSignIn(maximumAge: 0, acr: ""), .cooling(retryAfter: 1), .tooManyAttempts(retryAfter: 1),
            .accountChanged,
        ].map { .factor($0) }
}

/// Maps the refusals to responses.
package struct OwnAccountAnswers: FlowAnswers {
    let factors: AccountFactorAnswers

    package init(_ edge: Edge) { factors = AccountFactorAnswers(faults: edge.faults) }

    package func answer(to refusal: OwnAccountRefusal, _ context: RequestFacts) -> EndpointResponse {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> EndpointResponse {
            factors.faults.problem(status, code: code, detail: detail, context)
        }
        switch refusal {
        case .factor(let refusal): return factors.answer(to: refusal, context)
        case .unchanged:
            return problem(.conflict, "contact_unchanged", "This is the account's confirmed address or number.")
        case .lastContact:
            return problem(
                .conflict, "last_contact",
                "The account has no confirmed e-mail address, or this server sends no e-mail, so it keeps its phone number."
            )
        case .channelUnavailable:
            return problem(.conflict, "delivery_unavailable", "This server sends no messages there.")
        case .openPayments(let open):
            let status = HTTPResponse.Status.conflict
            var document = Problem(
                status: status.code, code: "payments_open", title: status.reasonPhrase,
                detail:
                    "Payments or transactions of this account are not finished. Refuse them, or wait until they expire.",
                statusCode: status.code, traceID: context.trace.traceID
            ).json
            document["openPayments"] = .array(open.map { .object($0.json) })
            return .problem(status, code: "payments_open", document)
        case .lastOwner:
            return problem(
                .conflict, "last_owner",
                "The account is the last owner of all brands. Make another account an owner first.")
        case .contactCooling(let seconds):
            return factors.faults.problem(
                .forbidden, code: "contact_cooling",
                detail: "The e-mail address or phone number was changed recently. Wait before you close the account.",
                retryAfter: seconds, context)
        case .closingNotFound:
            return problem(
                .notFound, "closing_not_found", "The code belongs to no closed account, or it has been erased.")
        case .exportTooLarge:
            return problem(
                .conflict, "export_too_large", "The account has more data than one answer holds. Ask the operator.")
        }
    }
}

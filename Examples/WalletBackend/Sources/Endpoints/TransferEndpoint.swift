import Foundation
import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// `POST /transfers {to, account?, amount: {value, currency}, reference?, scaDetails?}` with an `Idempotency-Key`.
///
/// The first request is carried out at once if the authorization server exempts it; otherwise it gets a 403
/// `sca_required`. The app then asks the person for consent and sends the same request again with `scaDetails`.
struct TransferEndpoint: Sendable {
    let ledger: Ledger
    let operations: WalletOperations

    @Sendable func create(_ request: Request, _ context: PersonContext) async throws -> Response {
        let wanted = try TransferRequest(try await request.json())
        let key = try Self.key(of: request)
        let person = context.person
        _ = try await ledger.wallet(of: person.account, at: Date())
        switch try await ledger.begin(wanted, key: key, by: person.account, in: person.session, at: Date()) {
        case .ended(let answer): return Response(answer)
        case .open(let transfer): return try await carryOut(transfer, wanted.scaDetails, person, context)
        case .unknownPayee:
            throw Problem(
                status: 404, code: "payee_not_found", title: "You have no payee with this name",
                detail: "Add it first: POST /payees.")
        case .insufficientFunds: throw Problem.insufficientFunds
        case .otherCurrency(let held):
            throw Problem(
                status: 422, code: "currency_not_held", title: "The wallet has another currency",
                detail: "Nothing was paid. Its currency is \(held).")
        case .keyReused:
            throw Problem(
                status: 422, code: "idempotency_mismatch",
                title: "The Idempotency-Key was used for another transfer",
                detail: "Nothing was paid. Use a new key for a new transfer.")
        case .otherSession:
            throw Problem(
                status: 409, code: "transfer_interrupted",
                title: "The transfer was started in a session that has ended",
                detail:
                    "The original request may still pay it. Check the balance before you start it again with a new Idempotency-Key."
            )
        case .tooMany(let end):
            var response = Response(
                Problem(
                    status: 429, code: "too_many_open_transfers",
                    title: "Too many transfers are waiting for your consent",
                    detail: "Nothing was paid. Approve one of them, or wait."))
            response.headers[.retryAfter] = String(max(1, Int(end.timeIntervalSinceNow.rounded(.up))))
            return response
        }
    }

    /// Asks the server or consumes the person's consent, and moves the money.
    private func carryOut(
        _ transfer: Transfer, _ scaDetails: SCADetails?, _ person: VerifiedAccess.Person,
        _ context: PersonContext
    ) async throws -> Response {
        // Build the operation from the row, which is what will be paid, and not from the app's current request.
        let decision = try await operations.authorize(
            transfer.walletOperation, by: person, scaDetails: scaDetails, id: transfer.operation,
            attempt: transfer.attempt)
        switch decision {
        case .scaRequired(let required): return Response(required.answer)
        case .authorized(let code, let claims):
            let answer = try await ledger.complete(transfer, code: code, claims, at: Date())
            context.logger.info(
                "a transfer ended",
                metadata: [
                    "transfer": "\(transfer.id)", "operation": "\(transfer.operation)",
                    "status": "\(answer.status)",
                ]
            )
            return Response(answer)
        }
    }

    private static func key(of request: Request) throws -> IdempotencyKey {
        let keys = request.headers.values(of: IdempotencyKey.headerName.lowercased())
        guard keys.count == 1 else {
            throw Problem(
                status: 400, code: "idempotency_key_required", title: "Exactly one Idempotency-Key is required",
                detail: "Create a random key for each transfer, and send the same key to repeat the request.")
        }
        return try IdempotencyKey(keys[0])
    }
}

extension TransferRequest {
    /// Decodes the request's JSON. Unknown members are refused.
    init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["to", "account", "amount", "reference", "scaDetails"])
        to = try object.required("to", object.string("to"))
        account = try object.string("account")
        let amount = try object.required("amount", object["amount"]?.object)
        try amount.refuseMembers(otherThan: ["value", "currency"])
        self.amount = try Money(
            value: amount.required("amount.value", amount.string("value")),
            currency: amount.required("amount.currency", amount.value("currency")))
        guard self.amount.minorUnits > 0 else {
            throw MalformedValue(field: "amount", reason: "is zero")
        }
        reference = try object.string("reference") ?? ""
        guard let details = object["scaDetails"], details != .null else {
            scaDetails = nil
            return
        }
        scaDetails = try SCADetails(object.required("scaDetails", details.object))
    }
}

extension Response {
    /// Creates the response for a stored answer.
    init(_ answer: StoredAnswer) {
        self.init(
            HTTPResponse.Status(code: answer.status),
            type: answer.status < 400 ? "application/json" : Problem.contentType, answer.body)
    }
}

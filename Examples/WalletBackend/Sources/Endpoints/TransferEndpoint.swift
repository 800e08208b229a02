import Foundation
import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// `POST /transfers {to, account?, amount: {value, currency}, reference?, scaDetails?}` with an `Idempotency-Key`.
///
/// The first time it is carried out at once, where the authorization server exempts it, or answered by 403 `sca_required`.
/// The app lets its person agree, and sends the same request once more with `scaDetails`.
struct TransferEndpoint: Sendable {
    let ledger: Ledger
    let operations: WalletOperations

    @Sendable func create(_ request: Request, _ context: PersonContext) async throws -> Response {
        let wish = try TransferWish(try await request.json())
        let key = try Self.key(of: request)
        let person = context.person
        _ = try await ledger.wallet(of: person.account, at: Date())
        switch try await ledger.begin(wish, key: key, by: person.account, in: person.session, at: Date()) {
        case .ended(let answer): return Response(answer)
        case .open(let transfer): return try await carryOut(transfer, wish.scaDetails, person, context)
        case .unknownPayee:
            throw Problem(
                status: 404, code: "payee_not_found", title: "You have no payee of this name",
                detail: "Add it first: POST /payees.")
        case .ambiguousPayee(let payees): throw Problem.ambiguousPayee(payees)
        case .insufficientFunds: throw Problem.insufficientFunds
        case .otherCurrency(let held):
            throw Problem(
                status: 422, code: "currency_not_held", title: "The wallet is not kept in this currency",
                detail: "Nothing was paid. It is kept in \(held).")
        case .keyReused:
            throw Problem(
                status: 422, code: "idempotency_mismatch",
                title: "The Idempotency-Key came with another transfer before",
                detail: "Nothing was paid. A new transfer takes a new key.")
        case .otherSession:
            throw Problem(
                status: 409, code: "transfer_interrupted",
                title: "The transfer was begun in a session that is over",
                detail:
                    "It may still be paid by the request that began it. Look at the balance before you begin it anew, with a new Idempotency-Key."
            )
        case .tooMany:
            throw Problem(
                status: 429, code: "too_many_open_transfers",
                title: "Too many transfers wait for your consent",
                detail: "Agree to one of them, or wait a day.")
        }
    }

    /// Asks, or takes the right that the person gave, and moves the money.
    private func carryOut(
        _ transfer: Transfer, _ scaDetails: SCADetails?, _ person: VerifiedAccess.Person,
        _ context: PersonContext
    ) async throws -> Response {
        // The operation is built from the row, which is what will be paid, and not from what the app says this time.
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
                status: 400, code: "idempotency_key_required", title: "One Idempotency-Key is required",
                detail: "Make a random one for each transfer, and send it again with each repetition.")
        }
        return try IdempotencyKey(keys[0])
    }
}

extension TransferWish {
    /// Reads the request's JSON. Members that are not known are refused.
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
            throw MalformedValue(field: "amount", reason: "is nothing")
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
    /// An answer that was kept.
    init(_ answer: KeptAnswer) {
        self.init(
            HTTPResponse.Status(code: answer.status),
            type: answer.status < 400 ? "application/json" : Problem.contentType, answer.body)
    }
}

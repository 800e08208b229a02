import Crypto
import Foundation
import GRDB
import WalletAuthWire

/// An app's request for a transfer.
struct TransferRequest: Hashable, Sendable {
    /// The payee's name.
    let to: String
    /// The account that the payee must have, if the person names it.
    var account: String?
    /// The amount.
    let amount: Money
    /// The reference for the payee.
    let reference: String
    /// The person's consent, in the second request.
    let scaDetails: SCADetails?

    /// A hash of everything that must be the same when a key is repeated. The consent differs then, so it is not
    /// included.
    var digest: [UInt8] {
        Array(
            SHA256.hash(
                data: Array(
                    ([to, amount.value, amount.currency.rawValue, reference] + (account.map { [$0] } ?? []))
                        .joined(separator: "\0").utf8)))
    }
}

/// A transfer in the ledger. It alone determines what is paid, whatever the app sends later.
struct Transfer: Hashable, Sendable {
    let id: String
    let owner: AccountID
    let session: SessionID
    let key: IdempotencyKey
    let request: [UInt8]
    let payee: Payee
    let amount: Money
    let reference: String
    let operation: WalletOperationID
    let attempt: IdempotencyKey
    /// The final answer; nil while the transfer is open.
    let answer: StoredAnswer?

    /// The exact operation that the person agrees to.
    var walletOperation: WalletOperation {
        get throws {
            try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: amount, payee: payee,
                details: reference.isEmpty ? [:] : ["reference": reference])
        }
    }
}

extension Transfer {
    /// Refuses a transfer that cannot be shown for consent, before it is stored.
    ///
    /// - Throws: `Problem` that says what to change.
    func refuseUnreadable() throws {
        do { try walletOperation.refuseContradictions() } catch let fault as MalformedValue {
            throw Problem(
                status: 400, code: "bad_request", title: "This transfer cannot be shown for consent",
                detail:
                    "\(fault). Nothing was paid. Leave out a blank reference. If a payee's name or account cannot be read, add the payee again."
            )
        }
    }
}

/// An answer that is stored with its `Idempotency-Key` and repeated unchanged.
struct StoredAnswer: Hashable, Sendable {
    let status: Int
    let body: [UInt8]

    /// The transfer was carried out.
    static func done(_ transfer: Transfer, _ claims: AuthenticationCodeClaims) -> StoredAnswer {
        var object = JSONObject()
        object.set("transferId", transfer.id)
        object.set("status", "DONE")
        object["to"] = .object(transfer.payee.answer)
        object["amount"] = .object(transfer.amount.answer)
        if !transfer.reference.isEmpty { object.set("reference", transfer.reference) }
        object.set("walletOperationId", transfer.operation)
        switch claims.basis {
        case .verified(let consent):
            object.set("sca", "VERIFIED")
            object.set("eventId", consent.eventID)
        case .exempt(let exemption):
            object.set("sca", "EXEMPT")
            object.set("exemption", exemption?.rawValue)
        }
        return StoredAnswer(status: 201, body: object.bytes)
    }

    /// The balance is too low.
    static let insufficientFunds = StoredAnswer(
        status: 409, body: Problem.insufficientFunds.json.bytes)
}

extension Problem {
    /// The balance is too low.
    static let insufficientFunds = Problem(
        status: 409, code: "insufficient_funds", title: "The wallet's balance is too low",
        detail: "Nothing was paid. GET /balance shows the balance.")
}

extension Payee {
    /// `{name, account}`.
    var answer: JSONObject { JSONObject(strings: ["name": name, "account": account]) }
}

extension Money {
    /// `{value, currency}`.
    var answer: JSONObject { JSONObject(strings: ["value": value, "currency": currency.rawValue]) }
}

extension Transfer {
    static func find(_ key: IdempotencyKey, of owner: AccountID, on database: Database) throws
        -> Transfer?
    {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM transfer WHERE owner = ? AND key = ?",
            arguments: [owner.rawValue, key.rawValue])
        return try row.map { try Transfer($0) }
    }

    private init(_ row: Row) throws {
        id = row["id"]
        owner = try AccountID(row["owner"])
        session = try SessionID(row["session"])
        key = try IdempotencyKey(row["key"])
        request = Array(row["request"] as Data)
        payee = try Payee(name: row["payeeName"], account: row["payeeAccount"])
        amount = try Money(minorUnits: row["amount"], currency: Currency(recorded: row["currency"]))
        reference = row["reference"]
        operation = try WalletOperationID(row["operation"])
        attempt = try IdempotencyKey(row["attempt"])
        let status: Int? = row["answerStatus"]
        let body: Data? = row["answerBody"]
        if let status, let body {
            answer = StoredAnswer(status: status, body: Array(body))
        } else {
            answer = nil
        }
    }

    func insert(at now: Date, on database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO transfer (id, owner, session, key, request, payeeName, payeeAccount, amount, currency,
                    reference, operation, attempt, state, begunAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'begun', ?)
                """,
            arguments: [
                id, owner.rawValue, session.rawValue, key.rawValue, Data(request), payee.name,
                payee.account,
                amount.minorUnits, amount.currency.rawValue, reference, operation.rawValue,
                attempt.rawValue,
                now.seconds,
            ])
    }
}

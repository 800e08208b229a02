import Crypto
import Foundation
import GRDB
import WalletAuthWire

/// What an app asks for.
struct TransferWish: Hashable, Sendable {
    /// The payee's name.
    let to: String
    /// The payee's account, where several payees look like the name.
    var account: String?
    /// How much.
    let amount: Money
    /// What the payee is told.
    let reference: String
    /// What carries the person's consent, the second time.
    let scaDetails: SCADetails?

    /// What has to be the same when a key comes again. The consent is what differs then, so it is no part of it.
    var digest: [UInt8] {
        Array(
            SHA256.hash(
                data: Array(
                    ([to, amount.value, amount.currency.rawValue, reference] + (account.map { [$0] } ?? []))
                        .joined(separator: "\0").utf8)))
    }
}

/// A transfer as the ledger keeps it: what will be carried out, whatever an app says besides.
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
    /// The answer that ended it; nil while it waits.
    let answer: KeptAnswer?

    /// What the person agrees to, to the letter.
    var walletOperation: WalletOperation {
        get throws {
            try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: amount, payee: payee,
                details: reference.isEmpty ? [:] : ["reference": reference])
        }
    }
}

extension Transfer {
    /// Refuses what nobody could be asked to agree to, before anything is kept of it.
    /// - Throws: `Problem` that says what to change.
    func refuseUnreadable() throws {
        do { try walletOperation.refuseContradictions() } catch let fault as MalformedValue {
            throw Problem(
                status: 400, code: "bad_request", title: "Nobody can be asked to agree to this transfer",
                detail:
                    "\(fault). Nothing was paid. Leave a blank reference away; add a payee again whose name or account cannot be read."
            )
        }
    }
}

/// An answer that is kept with its `Idempotency-Key`, and given again as it was.
struct KeptAnswer: Hashable, Sendable {
    let status: Int
    let body: [UInt8]

    /// The transfer was carried out.
    static func done(_ transfer: Transfer, _ claims: AuthenticationCodeClaims) -> KeptAnswer {
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
        return KeptAnswer(status: 201, body: object.bytes)
    }

    /// The wallet has not so much.
    static let insufficientFunds = KeptAnswer(
        status: 409, body: Problem.insufficientFunds.json.bytes)
}

extension Problem {
    /// The wallet has not so much.
    static let insufficientFunds = Problem(
        status: 409, code: "insufficient_funds", title: "There is not so much in the wallet",
        detail: "Nothing was paid. GET /balance says how much there is.")
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
            answer = KeptAnswer(status: status, body: Array(body))
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

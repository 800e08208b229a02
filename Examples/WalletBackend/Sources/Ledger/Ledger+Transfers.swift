import Foundation
import GRDB
import WalletAuthWire

/// A transfer, from the request to the entry that pays it.
extension Ledger {
    /// The maximum number of a person's transfers that wait for consent.
    static let openLimit = 20
    /// How long a transfer waits for consent, which the server takes for that long.
    static let waitingLife: TimeInterval = 900
    /// When to delete a transfer without consent. Its operation has expired long before.
    static let openLife: TimeInterval = 86_400

    /// The result of starting a transfer.
    enum Beginning: Sendable {
        /// It is open: it waits for consent, or can be carried out.
        case open(Transfer)
        /// It has ended, with this answer.
        case ended(StoredAnswer)
        /// The person has no such payee.
        case unknownPayee
        /// The wallet's balance is too low.
        case insufficientFunds
        /// The wallet has another currency, this one.
        case otherCurrency(Currency)
        /// The key was used for another request.
        case keyReused
        /// The key was used in a session that has ended.
        case otherSession
        /// Too many transfers are waiting, until one of them waits no more.
        case tooMany(until: Date)
    }

    /// Starts a transfer, or finds the one with the same key.
    ///
    /// The row is written before the authorization server is asked, together with the execution's key. If anything is
    /// lost after that, the same request finds the same row and continues.
    ///
    /// - Parameters:
    ///   - request: the requested transfer.
    ///   - key: the app's key for this transfer.
    ///   - owner: the person who pays.
    ///   - session: the person's session.
    ///   - now: the current time.
    /// - Throws: `Problem` for a transfer that cannot be shown for consent; no row is written.
    func begin(
        _ request: TransferRequest, key: IdempotencyKey, by owner: AccountID, in session: SessionID, at now: Date
    ) async throws -> Beginning {
        try await pool.write { database in
            if let known = try Transfer.find(key, of: owner, on: database) {
                guard known.request == request.digest else { return .keyReused }
                if let answer = known.answer { return .ended(answer) }
                return known.session == session ? .open(known) : .otherSession
            }
            try database.execute(
                sql: "DELETE FROM transfer WHERE owner = ? AND state = 'begun' AND begunAt < ?",
                arguments: [owner.rawValue, now.addingTimeInterval(-Self.openLife).seconds])
            let waiting = try Int64.fetchAll(
                database,
                sql: """
                    SELECT begunAt FROM transfer WHERE owner = ? AND state = 'begun' AND begunAt > ?
                    ORDER BY begunAt DESC
                    """,
                arguments: [owner.rawValue, now.addingTimeInterval(-Self.waitingLife).seconds])
            if waiting.count >= Self.openLimit {
                let first = Date(timeIntervalSince1970: TimeInterval(waiting[Self.openLimit - 1]))
                return .tooMany(until: first.addingTimeInterval(Self.waitingLife))
            }
            let named = PayeeName(name: request.to, account: request.account)
            guard let payee = try Self.payee(named, of: owner, on: database) else { return .unknownPayee }
            // Don't ask for consent to a transfer that cannot be paid. The binding check is made when the money moves.
            guard let wallet = try Self.wallet(of: owner, on: database) else { return .insufficientFunds }
            guard wallet.balance.currency == request.amount.currency else {
                return .otherCurrency(wallet.balance.currency)
            }
            guard wallet.balance.minorUnits >= request.amount.minorUnits else { return .insufficientFunds }
            let transfer = Transfer(
                id: UUID().uuidString.lowercased(), owner: owner, session: session,
                key: key,
                request: request.digest, payee: payee, amount: request.amount, reference: request.reference,
                operation: try request.scaDetails?.operationID
                    ?? WalletOperationID(UUID().uuidString.lowercased()),
                attempt: try IdempotencyKey(UUID().uuidString.lowercased()), answer: nil)
            try transfer.refuseUnreadable()
            try transfer.insert(at: now, on: database)
            return .open(transfer)
        }
    }

    /// Moves the money of an authorized transfer and stores the proof and the answer, all in one transaction.
    ///
    /// Two guards prevent a second payment: the row leaves its state only once, and an operation can have only one
    /// entry.
    ///
    /// - Parameters:
    ///   - transfer: the authorized transfer.
    ///   - code: the authentication code.
    ///   - claims: the code's claims.
    ///   - now: the current time.
    /// - Returns: the answer; if the transfer had already been completed, the first answer.
    func complete(
        _ transfer: Transfer, code: AuthenticationCode, _ claims: AuthenticationCodeClaims, at now: Date
    ) async throws -> StoredAnswer {
        try await pool.write { database in
            guard let current = try Transfer.find(transfer.key, of: transfer.owner, on: database) else {
                throw LedgerFault(reason: "the transfer \(transfer.id) is gone")
            }
            if let answer = current.answer { return answer }
            guard let wallet = try Self.wallet(of: transfer.owner, on: database) else {
                throw LedgerFault(reason: "the wallet of the transfer \(transfer.id) is gone")
            }
            let answer: StoredAnswer
            let isCovered = wallet.balance.minorUnits >= transfer.amount.minorUnits
            if isCovered {
                try Self.move(
                    transfer.amount, from: wallet.number,
                    to: Self.destination(of: transfer.payee, on: database),
                    for: transfer.operation, at: now, on: database)
                answer = .done(transfer, claims)
            } else {
                // Another payment spent the money in the meantime. The consent is consumed; the money has not moved.
                answer = .insufficientFunds
            }
            try database.execute(
                sql: """
                    UPDATE transfer SET state = ?, code = ?, answerStatus = ?, answerBody = ?, endedAt = ?
                    WHERE id = ? AND state = 'begun'
                    """,
                arguments: [
                    isCovered ? "done" : "refused", code.rawValue, answer.status, Data(answer.body),
                    now.seconds,
                    transfer.id,
                ])
            // The row may have been deleted and the transfer started again under its key: the old request must then
            // move nothing.
            guard database.changesCount == 1 else {
                throw LedgerFault(reason: "the transfer \(transfer.id) is no longer open")
            }
            return answer
        }
    }

    /// The proof of an authorized transfer.
    func proof(ofTransfer id: String) async throws -> AuthenticationCode? {
        try await pool.read { database in
            try String.fetchOne(database, sql: "SELECT code FROM transfer WHERE id = ?", arguments: [id])
                .map { try AuthenticationCode($0) }
        }
    }

    /// The operation of a transfer.
    func operation(ofTransfer id: String) async throws -> WalletOperationID? {
        try await pool.read { database in
            try String.fetchOne(
                database, sql: "SELECT operation FROM transfer WHERE id = ?", arguments: [id]
            )
            .map { try WalletOperationID($0) }
        }
    }

    /// Another wallet in this ledger, or the account through which money leaves.
    private static func destination(of payee: Payee, on database: Database) throws -> String {
        try String.fetchOne(
            database, sql: "SELECT number FROM account WHERE number = ? AND kind = 'wallet'",
            arguments: [payee.account])
            ?? LedgerSchema.HouseAccount.outgoing.rawValue
    }
}

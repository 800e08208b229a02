import Foundation
import GRDB
import WalletAuthWire

/// A transfer from the request that asks for it to the entry that pays it.
extension Ledger {
    /// How many transfers of one person may wait to be agreed to.
    static let openLimit = 20
    /// After how long one that nobody agreed to is forgotten: its operation is long over then.
    static let openLife: TimeInterval = 86_400

    /// What came of asking for a transfer.
    enum Beginning: Sendable {
        /// It waits: for consent, or to be carried out.
        case open(Transfer)
        /// It ended, and was answered like this.
        case ended(KeptAnswer)
        /// The person has no such payee.
        case unknownPayee
        /// Several payees look like the name.
        case ambiguousPayee([Payee])
        /// There is not so much in the wallet.
        case insufficientFunds
        /// The wallet is kept in another currency, which this is.
        case otherCurrency(Currency)
        /// The key came with another request before.
        case keyReused
        /// The key came in a session that is over.
        case otherSession
        /// Too many wait already.
        case tooMany
    }

    /// Begins a transfer, or finds the one that its key began.
    ///
    /// The row is there before the authorization server is asked, with the key of the one carrying out: whatever is lost from
    /// then on, the same request finds the same row and goes on with it.
    /// - Parameters:
    ///   - wish: what is asked for.
    ///   - key: the app's name for this transfer.
    ///   - owner: who asks.
    ///   - session: in which session.
    ///   - now: the time.
    /// - Throws: `Problem` for what nobody could be asked to agree to; no row is made.
    func begin(
        _ wish: TransferWish, key: IdempotencyKey, by owner: AccountID, in session: SessionID, at now: Date
    ) async throws -> Beginning {
        try await pool.write { database in
            if let known = try Transfer.find(key, of: owner, on: database) {
                guard known.request == wish.digest else { return .keyReused }
                if let answer = known.answer { return .ended(answer) }
                return known.session == session ? .open(known) : .otherSession
            }
            try database.execute(
                sql: "DELETE FROM transfer WHERE owner = ? AND state = 'begun' AND begunAt < ?",
                arguments: [owner.rawValue, now.addingTimeInterval(-Self.openLife).seconds])
            let open = try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM transfer WHERE owner = ? AND state = 'begun'",
                arguments: [owner.rawValue])
            guard (open ?? 0) < Self.openLimit else { return .tooMany }
            let payee: Payee
            switch try Self.payee(PayeeName(name: wish.to, account: wish.account), of: owner, on: database) {
            case .one(let found): payee = found
            case .none: return .unknownPayee
            case .several(let payees): return .ambiguousPayee(payees)
            }
            // Nobody is asked to agree to what cannot be paid. What counts is asked again when the money moves.
            guard let wallet = try Self.wallet(of: owner, on: database) else { return .insufficientFunds }
            guard wallet.balance.currency == wish.amount.currency else {
                return .otherCurrency(wallet.balance.currency)
            }
            guard wallet.balance.minorUnits >= wish.amount.minorUnits else { return .insufficientFunds }
            let transfer = Transfer(
                id: UUID().uuidString.lowercased(), owner: owner, session: session,
                key: key,
                request: wish.digest, payee: payee, amount: wish.amount, reference: wish.reference,
                operation: try wish.scaDetails?.operationID
                    ?? WalletOperationID(UUID().uuidString.lowercased()),
                attempt: try IdempotencyKey(UUID().uuidString.lowercased()), answer: nil)
            try transfer.refuseUnreadable()
            try transfer.insert(at: now, on: database)
            return .open(transfer)
        }
    }

    /// Moves the money of an authorized transfer, keeps the proof, and the answer with it: all of it or nothing.
    ///
    /// Two guards keep it from happening twice: the row leaves its state once, and an operation makes one entry.
    /// - Parameters:
    ///   - transfer: what was authorized.
    ///   - code: the authentication code.
    ///   - claims: what it says.
    ///   - now: the time.
    /// - Returns: the answer; that of the first time where this is not it.
    func complete(
        _ transfer: Transfer, code: AuthenticationCode, _ claims: AuthenticationCodeClaims, at now: Date
    ) async throws -> KeptAnswer {
        try await pool.write { database in
            guard let current = try Transfer.find(transfer.key, of: transfer.owner, on: database) else {
                throw LedgerFault(reason: "the transfer \(transfer.id) is gone")
            }
            if let answer = current.answer { return answer }
            guard let wallet = try Self.wallet(of: transfer.owner, on: database) else {
                throw LedgerFault(reason: "the wallet of the transfer \(transfer.id) is gone")
            }
            let answer: KeptAnswer
            let isCovered = wallet.balance.minorUnits >= transfer.amount.minorUnits
            if isCovered {
                try Self.move(
                    transfer.amount, from: wallet.number,
                    to: Self.destination(of: transfer.payee, on: database),
                    for: transfer.operation, at: now, on: database)
                answer = .done(transfer, claims)
            } else {
                // Somebody spent it while they agreed. The consent is used up; the money is not.
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
            // The row may have been swept and the transfer begun anew under its key: then nothing is moved by the old one.
            guard database.changesCount == 1 else {
                throw LedgerFault(reason: "the transfer \(transfer.id) is no longer open")
            }
            return answer
        }
    }

    /// The proof of a transfer that was authorized.
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

    /// Another wallet of this ledger, or the account through which money leaves.
    private static func destination(of payee: Payee, on database: Database) throws -> String {
        try String.fetchOne(
            database, sql: "SELECT number FROM account WHERE number = ? AND kind = 'wallet'",
            arguments: [payee.account])
            ?? LedgerSchema.House.outgoing.rawValue
    }
}

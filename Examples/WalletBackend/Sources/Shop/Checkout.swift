import Foundation
import Logging
import Synchronization
import WalletAuthVerifier
import WalletAuthWire

/// Sells goods for signatures: creates transactions, follows them, and believes nothing but their proof.
final class Checkout: Sendable {
    /// How many pages may wait for a change at once. Each one occupies a request to the authorization server.
    static let waitingLimit = 100
    /// How many purchases one round of ``settleAll()`` asks about, one after another.
    static let settlingLimit = 20

    let goods: [Good]
    private let payee: Payee
    private let ledger: Ledger
    private let transactions: WalletTransactions
    private let auditKeys: JWKSet
    private let logger: Logger
    private let waiting = Mutex(0)

    /// - Parameters:
    ///   - ledger: keeps the purchases.
    ///   - transactions: the authorization server.
    ///   - auditKeys: the server's audit keys, by which signatures are proved.
    ///   - logger: is told of signatures that prove nothing.
    init(ledger: Ledger, transactions: WalletTransactions, auditKeys: JWKSet, logger: Logger) throws {
        let currency = ledger.opening.currency
        func good(_ id: String, _ name: String, _ units: Int64) throws -> Good {
            Good(id: id, name: name, price: try Money(minorUnits: units, currency: currency))
        }
        goods = [
            try good("espresso", "Espresso", 380), try good("cake", "Rüeblitorte, a slice", 690),
            try good("beans", "House blend, 1 kg", 2_450),
        ]
        payee = try Payee(name: "Café Zürich", account: "DE02120300000000202051")
        self.ledger = ledger
        self.transactions = transactions
        self.auditKeys = auditKeys
        self.logger = logger
    }

    /// Begins a purchase, which the visitor then signs.
    /// - Parameters:
    ///   - good: what is bought.
    ///   - account: who is to sign; nil for the first person who scans the code.
    ///   - network: where the visitor comes from.
    /// - Throws: `PurchaseRefusal` where too many purchases wait for a signature already, and others.
    func buy(_ good: Good, account: AccountID?, from network: VisitorNetwork) async throws -> Purchase {
        let purchase = try Purchase(of: good, by: account, payee: payee, at: Date())
        if let refusal = try await ledger.begin(purchase, from: network, at: Date()) { throw refusal }
        let created = try await transactions.create(purchase.request, idempotencyKey: purchase.key)
        try await ledger.open(purchase, as: created)
        return purchase
    }

    /// How far a purchase is, by the authorization server where it is open.
    /// - Parameters:
    ///   - purchase: from the ledger.
    ///   - seen: the state that the visitor sees; while nothing differs from it, the answer takes up to `wait`.
    ///   - wait: how long to wait for a change.
    func progress(
        of purchase: Purchase, seen: PurchaseProgress? = nil, wait: Duration = .zero
    ) async throws -> PurchaseProgress {
        guard case .open(let id, _) = purchase.state else { return PurchaseProgress(purchase.state) }
        do {
            var report = try await transactions.find(id)
            if wait > .zero, PurchaseProgress(open: report.status) == seen, mayWait() {
                defer { waiting.withLock { $0 -= 1 } }
                report = try await transactions.find(id, wait: wait)
            }
            return try await settle(purchase, report)
        } catch let error as TransactionCallError {
            guard error.cause == .transactionNotFound, purchase.expiresAt <= Date() else { throw error }
            // The account was erased, or the server restored from a backup: nothing can be proved any more.
            logger.warning("the transaction of a purchase is gone", metadata: ["order": "\(purchase.number)"])
            try await ledger.close(purchase, as: .cancelled, at: Date())
            return try await recorded(purchase)
        }
    }

    /// Settles open purchases whose time is over, for pages that were closed. It asks for each by its id: the server's
    /// list has the transactions of the brand's apps too.
    func settleAll() async throws {
        let now = Date()
        let overdue = try await ledger.openPurchases().filter { $0.expiresAt <= now }
        // At random, so that purchases that cannot be settled now do not keep the others from their turn.
        for purchase in overdue.shuffled().prefix(Self.settlingLimit) {
            do { _ = try await progress(of: purchase) } catch {
                guard !Task.isCancelled else { return }
                logger.warning(
                    "a purchase is not settled", metadata: ["order": "\(purchase.number)", "error": "\(error)"])
            }
        }
    }

    /// The code to scan, as SVG; nil once there is nothing to scan.
    func drawing(of purchase: Purchase) async throws -> String? {
        guard case .open(let id, _) = purchase.state else { return nil }
        do { return String(decoding: try await transactions.qrCode(of: id, format: .svg), as: UTF8.self) } catch {
            if case .transactionOver = error.cause { return nil }
            throw error
        }
    }

    /// Takes over what the authorization server reports. A reported signature is worth nothing here before its proof was verified
    /// and held against what was asked for.
    private func settle(_ purchase: Purchase, _ report: TransactionReport) async throws -> PurchaseProgress {
        guard report.status.isFinal else { return PurchaseProgress(open: report.status) }
        if report.status == .signed {
            do {
                let evidence = try await transactions.signedEvidence(
                    of: report.transactionID, for: purchase.request, verifiedBy: auditKeys)
                try await ledger.pay(purchase, provedBy: evidence.document, at: Date())
            } catch let error as TransactionCallError {
                guard error.isAboutTheProof else { throw error }
                logger.error(
                    "a reported signature is not proved",
                    metadata: ["order": "\(purchase.number)", "reason": "\(error.reason)"])
                return .unproved
            }
        } else {
            try await ledger.close(purchase, as: report.status, reason: report.reason, at: Date())
        }
        return try await recorded(purchase)
    }

    /// What the ledger says of a purchase that was settled: another look may have been faster.
    private func recorded(_ purchase: Purchase) async throws -> PurchaseProgress {
        PurchaseProgress(try await ledger.purchase(purchase.id)?.state ?? purchase.state)
    }

    private func mayWait() -> Bool {
        waiting.withLock { count in
            guard count < Self.waitingLimit else { return false }
            count += 1
            return true
        }
    }
}

extension TransactionCallError {
    /// Whether the server answered, and its proof is worth nothing.
    fileprivate var isAboutTheProof: Bool {
        switch cause {
        case .notSigned, .otherContent, .worthlessEvidence: true
        default: false
        }
    }
}

import Foundation
import Logging
import Synchronization
import WalletAuthVerifier
import WalletAuthWire

/// Sells goods for signatures: creates transactions, follows them, and accepts only their proof.
final class Checkout: Sendable {
    /// The maximum number of pages that wait for a change. Each one occupies a request to the authorization server.
    static let waitingLimit = 100
    /// The maximum number of waiting pages per purchase. A person has only a few open.
    static let waitingLimitPerPurchase = 3
    /// The maximum number of purchases that one round of ``settleAll()`` checks, one after another.
    static let settlingLimit = 20

    let goods: [Good]
    private let payee: Payee
    private let ledger: Ledger
    private let transactions: WalletTransactions
    private let auditKeys: JWKSet
    private let logger: Logger
    /// The number of waiting pages, by the purchase's id.
    private let waiting = Mutex<[String: Int]>([:])
    /// The status checks in progress, which concurrent requests share.
    private let looks = Mutex<[String: Task<PurchaseProgress, any Error>]>([:])

    /// Creates a checkout.
    ///
    /// - Parameters:
    ///   - ledger: stores the purchases.
    ///   - transactions: the authorization server.
    ///   - auditKeys: the server's audit keys, which verify signatures.
    ///   - logger: receives reports of signatures without a valid proof.
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

    /// Starts a purchase, which the visitor then signs.
    ///
    /// - Parameters:
    ///   - good: the item.
    ///   - account: the account that must sign; nil for the first person who scans the code.
    ///   - network: the visitor's network.
    /// - Throws: `PurchaseRefusal` if too many purchases wait for a signature, and others.
    func buy(_ good: Good, account: AccountID?, from network: VisitorNetwork) async throws -> Purchase {
        let purchase = try Purchase(of: good, by: account, payee: payee, at: Date())
        if let refusal = try await ledger.begin(purchase, from: network, at: Date()) { throw refusal }
        do {
            try await ledger.open(
                purchase, as: transactions.create(purchase.request, idempotencyKey: purchase.key))
        } catch let error as TransactionCallError where error.certainty == .nothingHappened {
            try await ledger.withdraw(purchase)
            throw error
        }
        return purchase
    }

    /// The progress of a purchase. If it is open, this asks the authorization server.
    ///
    /// - Parameters:
    ///   - purchase: a purchase from the ledger.
    ///   - seen: the state on the visitor's page; while it has not changed, the answer takes up to `wait`.
    ///   - wait: how long to wait for a change.
    func progress(
        of purchase: Purchase, seen: PurchaseProgress? = nil, wait: Duration = .zero
    ) async throws -> PurchaseProgress {
        guard case .open(let id, _) = purchase.state else { return PurchaseProgress(purchase.state) }
        let progress = try await look(at: purchase, id)
        guard wait > .zero, progress == seen, mayWait(for: purchase) else { return progress }
        defer { hasWaited(for: purchase) }
        return try await settle(purchase, id, wait: wait)
    }

    /// Checks a purchase once for all concurrent callers, so that it occupies one request however many pages show
    /// it.
    private func look(at purchase: Purchase, _ id: TransactionID) async throws -> PurchaseProgress {
        let look = looks.withLock { underWay in
            if let look = underWay[purchase.id] { return look }
            let look = Task {
                defer { self.looks.withLock { $0[purchase.id] = nil } }
                return try await self.settle(purchase, id, wait: .zero)
            }
            underWay[purchase.id] = look
            return look
        }
        return try await look.value
    }

    private func settle(_ purchase: Purchase, _ id: TransactionID, wait: Duration) async throws -> PurchaseProgress {
        do {
            return try await settle(purchase, transactions.find(id, wait: wait))
        } catch let error as TransactionCallError {
            guard error.cause == .transactionNotFound, purchase.expiresAt <= Date() else { throw error }
            // The account was erased, or the server was restored from a backup: nothing can be proved any more.
            logger.warning("the transaction of a purchase is gone", metadata: ["order": "\(purchase.number)"])
            try await ledger.close(purchase, as: .cancelled, at: Date())
            return try await recorded(purchase)
        }
    }

    /// Settles open purchases whose time is up, for pages that were closed. It checks each by its id, because the
    /// server's list also has the transactions of the brand's apps.
    func settleAll() async throws {
        let now = Date()
        let overdue = try await ledger.openPurchases().filter { $0.expiresAt <= now }
        // In random order, so that purchases that cannot be settled now do not block the others.
        for purchase in overdue.shuffled().prefix(Self.settlingLimit) {
            do { _ = try await progress(of: purchase) } catch {
                guard !Task.isCancelled else { return }
                logger.warning(
                    "a purchase could not be settled", metadata: ["order": "\(purchase.number)", "error": "\(error)"])
            }
        }
    }

    /// Checks unproved signatures again at startup, because new audit keys, which are read then, may prove them.
    func proveAgain() async throws {
        for purchase in try await ledger.unprovedPurchases() {
            guard case .unproved(let id) = purchase.state else { continue }
            do {
                try await pay(purchase, id)
                logger.info("a signature has been proved", metadata: ["order": "\(purchase.number)"])
            } catch let error as TransactionCallError {
                logger.error(
                    "a reported signature could not be proved",
                    metadata: ["order": "\(purchase.number)", "reason": "\(error.reason)"])
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

    /// Applies the authorization server's report. A reported signature counts only once its proof has been verified and
    /// compared with the request.
    private func settle(_ purchase: Purchase, _ report: TransactionReport) async throws -> PurchaseProgress {
        guard report.status.isFinal else { return PurchaseProgress(open: report.status) }
        if report.status == .signed {
            do { try await pay(purchase, report.transactionID) } catch let error as TransactionCallError {
                guard error.isAboutTheProof else { throw error }
                logger.error(
                    "a reported signature could not be proved",
                    metadata: ["order": "\(purchase.number)", "reason": "\(error.reason)"])
                guard purchase.expiresAt <= Date() else { return .unproved(isOver: false) }
                try await ledger.giveUp(purchase, at: Date())
            }
        } else {
            try await ledger.close(purchase, as: report.status, reason: report.reason, at: Date())
        }
        return try await recorded(purchase)
    }

    private func pay(_ purchase: Purchase, _ id: TransactionID) async throws {
        let evidence = try await transactions.signedEvidence(of: id, for: purchase.request, verifiedBy: auditKeys)
        try await ledger.pay(purchase, provedBy: evidence.document, at: Date())
    }

    /// The ledger's state of a purchase that was settled. A concurrent check may have been faster.
    private func recorded(_ purchase: Purchase) async throws -> PurchaseProgress {
        PurchaseProgress(try await ledger.purchase(purchase.id)?.state ?? purchase.state)
    }

    private func mayWait(for purchase: Purchase) -> Bool {
        waiting.withLock { waiting in
            let own = waiting[purchase.id, default: 0]
            guard own < Self.waitingLimitPerPurchase, waiting.values.reduce(0, +) < Self.waitingLimit else {
                return false
            }
            waiting[purchase.id] = own + 1
            return true
        }
    }

    private func hasWaited(for purchase: Purchase) {
        waiting.withLock { waiting in
            let left = (waiting[purchase.id] ?? 1) - 1
            waiting[purchase.id] = left > 0 ? left : nil
        }
    }
}

extension TransactionCallError {
    /// Whether the server answered with an invalid proof.
    fileprivate var isAboutTheProof: Bool {
        switch cause {
        case .notSigned, .otherContent, .worthlessEvidence: true
        default: false
        }
    }
}

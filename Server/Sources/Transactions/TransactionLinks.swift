internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What a browser may see of a transaction.
struct TransactionLinks: Sendable {
    let database: any Database
    let clients: ClientDirectory
    let clock: any Clock
    let random: any RandomBytes
    let vault: TransactionVault
    let sealing: SealingKeys

    struct Look: Sendable {
        var brand: BrandID
        var appearance: BrandAppearance
        /// `nil` if the brand's app is in no store.
        var stores: LinkedApps.Stores?
        /// Whether the time for its signature is over. It was known from the beginning, and says nothing of what happened until then.
        var isPastExpiry: Bool
        /// For a page that watches the transaction alone.
        var status: TransactionStatus
    }

    /// The look of a transaction's brand; `nil` for an id that is no transaction's.
    func look(of id: String) async throws -> Look? {
        guard let id = UniqueID(uuid: id),
            let record = try await database.read({ try Transactions.find(id, on: $0) })
        else { return nil }
        let brand = try BrandID(record.brandID)
        let now = clock.now()
        return Look(
            brand: brand, appearance: try await .of(brand, in: database),
            stores: try await clients.linkedApps(now: now).stores(of: brand),
            isPastExpiry: now >= record.state.expiresAt, status: record.state.status(at: now))
    }
}

/// What the page that drew a transaction's code goes on with, sealed in its address.
///
/// Anyone may have a code before them, so its link says to no one whether it was used. Only a page that had the code before a phone scanned
/// it shows what became of it. All others get a watch as well, which looks the same and shows the code until its time is over: else its
/// absence would say that the code was used.
///
/// An address gets into logs and histories, so it opens only in the browser that drew the code, which has a cookie.
struct TransactionWatch: Codable, Sendable {
    /// Of the page's address.
    static let parameter = "watch"
    /// Longer than any transaction is open, so that the page that ends it can be read and loaded again.
    static let lifetime = TransactionLimits.longestLifetime + .minutes(15)

    /// The transaction's, as the address has it.
    let id: String
    /// The link's, of which the page draws the code.
    let secret: String
    /// 1 if the secret was the transaction's, which no phone had scanned; otherwise 0. A number, so that the length is the same.
    private let seen: Int
    /// The digest of the browser's cookie.
    private let browser: String

    fileprivate init(id: String, secret: TransactionSecret, sawOpen: Bool, browser: String) {
        (self.id, self.secret, seen) = (id, secret.reveal(), sawOpen ? 1 : 0)
        self.browser = Self.digest(of: browser)
    }

    private static func digest(of browser: String) -> String {
        Base64URL.encode(Digests.of("transaction-watch", Array(browser.utf8)))
    }

    /// - Parameter cookie: the value that a browser sent.
    fileprivate func isOf(_ cookie: String) -> Bool { ConstantTime.equal(browser, Self.digest(of: cookie)) }

    /// Whether the page may show what became of the transaction.
    var sawOpen: Bool { seen == 1 }
}

extension TransactionLinks {
    private var watches: SealedState<TransactionWatch> {
        SealedState(
            sealing, purpose: .page, label: "transaction-watch", lifetime: TransactionWatch.lifetime, restore: .spares)
    }

    /// The value of a browser's cookie; a new one if the presented value is malformed.
    func browser(_ presented: String?) -> String {
        guard let presented, Base64URL.decode(presented)?.count == 32 else { return Base64URL.encode(random.bytes(32)) }
        return presented
    }

    /// - Parameter browser: the value of its cookie.
    func watch(_ id: String, _ secret: TransactionSecret, in browser: String) async throws -> TransactionWatch {
        let record = try await database.read { connection in
            try UniqueID(uuid: id).flatMap { try Transactions.find($0, on: connection) }
        }
        var sawOpen = false
        // Opened in every state: how long it takes says nothing of the state.
        if let record, case .server(_, let own)? = try? vault.open(record) {
            let isRight = own == secret
            sawOpen = isRight && record.state.status(at: clock.now()) == .created
        }
        return TransactionWatch(id: id, secret: secret, sawOpen: sawOpen, browser: browser)
    }

    func seal(_ watch: TransactionWatch) throws -> String { try watches.seal(watch, now: clock.now()) }

    /// - Parameter browser: the value of its cookie; `nil` if it sent none.
    /// - Returns: `nil` for what was not sealed for the transaction and the browser, and after its time.
    func open(_ sealed: String, of id: String, in browser: String?) -> TransactionWatch? {
        guard let browser, let watch = watches.open(sealed, now: clock.now()) else { return nil }
        return watch.id == id && watch.isOf(browser) ? watch : nil
    }
}

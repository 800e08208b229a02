public import WalletAuthWire

/// Which transactions to list; without anything set, all of them.
public struct TransactionFilter: Hashable, Sendable {
    /// Those of one account.
    public var account: AccountID?
    /// Those in one of these states; empty for any.
    public var states: Set<TransactionStatus>
    /// Those created at this time or later.
    public var since: NumericDate?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(account: AccountID? = nil, states: Set<TransactionStatus> = [], since: NumericDate? = nil) {
        self.account = account
        self.states = states
        self.since = since
    }
}

extension WalletTransactions {
    /// Lists a page of transactions, the oldest first, 100 a page: this backend's own, and those that apps of its brand began.
    /// - Parameters:
    ///   - filter: which.
    ///   - cursor: the `cursor` of the page before; nil for the first page.
    /// - Returns: a page, with the cursor of the next one unless it is the last.
    /// - Throws: ``TransactionCallError``.
    public func list(
        _ filter: TransactionFilter = TransactionFilter(), after cursor: TransactionID? = nil
    ) async throws(TransactionCallError) -> TransactionPage<TransactionReport> {
        var call = ServerCalls.Call("GET", Endpoints.transactions.path)
        call.query.append("accountId", filter.account)
        let states = filter.states.map(\.rawValue).sorted().joined(separator: ",")
        call.query.append("state", states.isEmpty ? nil : states)
        call.query.append("since", filter.since.map { String($0.secondsSince1970) })
        call.query.append("cursor", cursor)
        // A hundred reports with their payloads and data.
        call.maximumAnswer = 4 << 20
        return try await read(call, TransactionPage<TransactionReport>.init)
    }

    /// All transactions of a filter, the oldest first. Pages are fetched as they are needed.
    /// - Parameter filter: which.
    /// - Returns: a sequence that throws ``TransactionCallError``.
    public func all(_ filter: TransactionFilter = TransactionFilter()) -> TransactionSequence {
        TransactionSequence(transactions: self, filter: filter)
    }
}

/// The transactions of a ``TransactionFilter``, page after page.
public struct TransactionSequence: AsyncSequence, Sendable {
    let transactions: WalletTransactions
    let filter: TransactionFilter

    /// Begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(transactions: transactions, filter: filter) }

    /// Fetches pages as they are needed.
    public struct Iterator: AsyncIteratorProtocol {
        let transactions: WalletTransactions
        let filter: TransactionFilter
        private var page: ArraySlice<TransactionReport> = []
        private var cursor: TransactionID?
        private var isLastPage = false

        init(transactions: WalletTransactions, filter: TransactionFilter) {
            self.transactions = transactions
            self.filter = filter
        }

        /// The next transaction, or nil after the last.
        /// - Throws: ``TransactionCallError``.
        public mutating func next() async throws -> TransactionReport? {
            while page.isEmpty {
                if isLastPage { return nil }
                let fetched = try await transactions.list(filter, after: cursor)
                guard fetched.cursor == nil || fetched.cursor != cursor else {
                    throw TransactionCallError(
                        .malformedAnswer, reason: "the server answers with the page that came before")
                }
                page = fetched.transactions[...]
                cursor = fetched.cursor
                isLastPage = fetched.cursor == nil
            }
            return page.popFirst()
        }
    }
}

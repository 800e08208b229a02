public import WalletAuthWire

/// Selects the transactions to list; without any condition, all of them.
public struct TransactionFilter: Hashable, Sendable {
    /// The account; nil for any.
    public var account: AccountID?
    /// The states; empty for any.
    public var states: Set<TransactionStatus>
    /// The earliest time of creation; nil for any.
    public var since: NumericDate?

    /// Creates a filter. Each parameter sets the property of the same name.
    public init(account: AccountID? = nil, states: Set<TransactionStatus> = [], since: NumericDate? = nil) {
        self.account = account
        self.states = states
        self.since = since
    }
}

extension WalletTransactions {
    /// Lists one page of up to 100 transactions, the oldest first: this backend's own, and those that apps of its brand
    /// started.
    ///
    /// - Parameters:
    ///   - filter: selects the transactions.
    ///   - cursor: the `cursor` of the previous page; nil for the first page.
    /// - Returns: a page, with the cursor of the next one unless it is the last.
    public func list(
        _ filter: TransactionFilter = TransactionFilter(), after cursor: TransactionID? = nil
    ) async throws(TransactionCallError) -> TransactionPage<TransactionReport> {
        var call = BackendCall("GET", Endpoints.transactions.path)
        call.query.append("accountId", filter.account)
        let states = filter.states.map(\.rawValue).sorted().joined(separator: ",")
        call.query.append("state", states.isEmpty ? nil : states)
        call.query.append("since", filter.since.map { String($0.secondsSince1970) })
        call.query.append("cursor", cursor)
        // Room for a hundred reports with their payloads and data.
        call.maximumAnswer = 4 << 20
        return try await calls.read(call, TransactionPage<TransactionReport>.init)
    }

    /// All transactions that match a filter, the oldest first. Pages are fetched as needed.
    ///
    /// - Parameter filter: selects the transactions.
    /// - Returns: a sequence that throws ``TransactionCallError``.
    public func all(_ filter: TransactionFilter = TransactionFilter()) -> TransactionSequence {
        TransactionSequence(transactions: self, filter: filter)
    }
}

/// The transactions that match a ``TransactionFilter``, page by page.
public struct TransactionSequence: AsyncSequence, Sendable {
    let transactions: WalletTransactions
    let filter: TransactionFilter

    /// Starts at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(transactions: transactions, filter: filter) }

    /// Fetches pages as needed.
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
        ///
        /// - Throws: ``TransactionCallError``.
        public mutating func next() async throws -> TransactionReport? {
            while page.isEmpty {
                if isLastPage { return nil }
                let fetched = try await transactions.list(filter, after: cursor)
                guard fetched.cursor == nil || fetched.cursor != cursor else {
                    throw TransactionCallError(
                        .malformedAnswer, reason: "the server returned the previous page again")
                }
                page = fetched.transactions[...]
                cursor = fetched.cursor
                isLastPage = fetched.cursor == nil
            }
            return page.popFirst()
        }
    }
}

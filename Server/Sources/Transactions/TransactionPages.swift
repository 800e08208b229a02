internal import Core
internal import Store
package import WalletAuthWire

/// The filter of a list of transactions.
package struct TransactionQuery: Sendable, Hashable {
    package var account: AccountID?
    /// Empty for all.
    package var statuses: Set<TransactionStatus> = []
    /// Only those created at this time or later.
    package var since: NumericDate?
    /// The end of the previous page.
    package var cursor: TransactionCursor?

    var filter: Transactions.Filter {
        Transactions.Filter(
            account: account.flatMap { UniqueID(bytes: $0.bytes) }, statuses: statuses,
            since: since.map { Timestamp(seconds: $0.secondsSince1970) })
    }
}

/// The end of a page of transactions: the ID of its last one.
package struct TransactionCursor: Sendable, Hashable {
    let id: UniqueID

    /// Parses the `cursor` of a page. Any other text is refused, because it would restart the list.
    package init(_ text: String) throws(MalformedValue) {
        guard let id = UniqueID(uuid: text) else {
            throw MalformedValue(field: "cursor", reason: "was not issued by this list")
        }
        self.id = id
    }
}

extension TransactionPage {
    /// A page of rows. The list was read with one extra row, which shows whether another page follows.
    init(of records: [TransactionRecord], _ element: (TransactionRecord) throws -> Element) throws {
        let page = records.prefix(TransactionLimits.pageSize)
        self.init(
            transactions: try page.map(element),
            cursor: records.count > page.count ? try page.last.map { try TransactionID($0.id.uuid) } : nil)
    }
}

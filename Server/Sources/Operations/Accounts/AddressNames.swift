internal import Kernel
internal import Store

extension AccountList {
    /// How many names are read at once where some are passed over, and at most for a page, which may then be short.
    private static let (batch, readAtMost) = (1000, 10_000)

    /// - Parameter hidesAddresses: whether names that are addresses are passed over before the page is counted, so that neither its length
    ///   nor another page says that there is one.
    /// - Returns: a page of user names, and the last name of it or before the next one; `nil` if there is no other page.
    static func page(
        of brand: String, prefix: String, after: String, limit: Int, hidesAddresses: Bool,
        on connection: any SQLConnection
    ) throws -> (names: [NamedAccount], next: String?) {
        // One more than is shown reveals whether there is another page.
        let batch = hidesAddresses ? Self.batch : limit + 1
        var found: [NamedAccount] = []
        var (last, read, isLast) = (after, 0, false)
        repeat {
            let names = try Accounts.list(brand: brand, prefix: prefix, after: last, limit: batch, on: connection)
            found += hidesAddresses ? names.filter { !$0.isAddress } : names
            last = names.last?.name ?? last
            read += names.count
            isLast = names.count < batch
        } while !isLast && found.count <= limit && read < Self.readAtMost
        guard found.count > limit else { return (found, isLast ? nil : last) }
        let names = Array(found.prefix(limit))
        return (names, names.last?.name)
    }
}

extension NamedAccount {
    fileprivate var isAddress: Bool { AddressName(typed) != nil }
}

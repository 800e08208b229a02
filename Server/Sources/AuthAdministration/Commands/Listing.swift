internal import AuthFoundation
internal import AuthStore

extension Administration {
    /// Reads a list page by page, so that no single read is unbounded, up to ``longestList`` items.
    func everyPage<Item: Sendable>(
        _ page: @escaping @Sendable (_ after: Item?, _ limit: Int, _ connection: any SQLConnection) throws -> [Item]
    ) async throws -> [Item] {
        let size = 500
        var items: [Item] = []
        while items.count < Self.longestList {
            let last = items.last
            let next = try await context.database.read { try page(last, size, $0) }
            items.append(contentsOf: next)
            if next.count < size { break }
        }
        return items
    }

    /// More than anyone reads; further items are found by id.
    static let longestList = 10_000
}

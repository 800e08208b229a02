package import AuthCore
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

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

/// A name shown to people: on the sign-in page, in messages.
enum DisplayName {
    /// - Throws: ``MalformedValue`` for an empty or overlong name, or one with characters that change how the text around it
    ///   reads.
    static func check(_ name: String, field: String = "--name") throws -> String {
        guard (1...100).contains(name.unicodeScalars.count) else {
            throw MalformedValue(field: field, reason: "must be 1 to 100 characters long")
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
        }
        guard isPlain else {
            throw MalformedValue(field: field, reason: "has control or direction-changing characters")
        }
        if let reason = ShownText.fault(in: name) { throw MalformedValue(field: field, reason: reason) }
        return name
    }
}

extension Timestamp {
    /// ISO 8601 in UTC, to the second.
    package var text: String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}

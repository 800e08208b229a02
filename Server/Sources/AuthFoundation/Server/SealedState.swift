package import AuthCore
internal import Foundation
internal import WalletAuthWire

/// State that the server gives to a client and takes back unread and unaltered: sealed, dated, and bound to one kind of use.
package struct SealedState<Content: Codable & Sendable>: Sendable {
    let context: ServerContext
    let purpose: KeyPurpose
    /// The kind of use. State of one kind does not open as another.
    let label: String
    let lifetime: Duration
    let restore: Restore

    /// Effect of a restore on state sealed before it.
    package enum Restore: Sendable {
        /// It no longer opens: the row that makes it single-use may be missing.
        case voids
        /// It still opens.
        case spares
    }

    package init(
        context: ServerContext, purpose: KeyPurpose, label: String, lifetime: Duration, restore: Restore = .voids
    ) {
        self.context = context
        self.purpose = purpose
        self.label = label
        self.lifetime = lifetime
        self.restore = restore
    }

    private var boundTo: String {
        switch restore {
        case .voids: context.untilRestored(label)
        case .spares: label
        }
    }

    private struct Dated: Codable {
        var at: Timestamp
        var content: Content
    }

    package func seal(_ content: Content, now: Timestamp) throws -> String {
        let bytes = Array(try JSONEncoder().encode(Dated(at: now, content: content)))
        return Base64URL.encode(try context.seal(bytes, for: purpose, context: boundTo))
    }

    /// - Returns: `nil` for text that was not sealed here, or that has expired.
    package func open(_ text: String, now: Timestamp) -> Content? {
        guard let sealed = Base64URL.decode(text), let bytes = context.open(sealed, for: purpose, context: boundTo),
            let dated = try? JSONDecoder().decode(Dated.self, from: Data(bytes)), now < dated.at + lifetime
        else { return nil }
        return dated.content
    }
}

package import AuthCore
internal import Foundation
internal import WalletAuthWire

/// State that the server hands out and wants back unread and unchanged: sealed, dated, and good for one kind of use.
package struct SealedState<Content: Codable & Sendable>: Sendable {
    let context: ServerContext
    let purpose: KeyPurpose
    /// What kind of use; none opens as one of another kind.
    let label: String
    /// How long it is good for.
    let lifetime: Duration
    /// What a restore of the database does to it.
    let restore: Restore

    /// What a restore does to what was sealed before it.
    package enum Restore: Sendable {
        /// It no longer opens: the row by which it is good once may be missing.
        case voids
        /// It goes on to open.
        case spares
    }

    /// Each parameter is the property of its name.
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

    /// Seals.
    package func seal(_ content: Content, now: Timestamp) throws -> String {
        let bytes = Array(try JSONEncoder().encode(Dated(at: now, content: content)))
        return Base64URL.encode(try context.seal(bytes, for: purpose, context: boundTo))
    }

    /// Opens; `nil` for what was not sealed here, or too long ago.
    package func open(_ text: String, now: Timestamp) -> Content? {
        guard let sealed = Base64URL.decode(text), let bytes = context.open(sealed, for: purpose, context: boundTo),
            let dated = try? JSONDecoder().decode(Dated.self, from: Data(bytes)), now < dated.at + lifetime
        else { return nil }
        return dated.content
    }
}

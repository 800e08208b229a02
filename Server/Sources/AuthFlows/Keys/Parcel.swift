internal import AuthCore
internal import Foundation
internal import WalletAuthWire

/// What the server gives into a stranger's hands and wants back unread and unchanged: sealed, dated, and good for one
/// kind of use.
struct Parcel<Content: Codable & Sendable>: Sendable {
    let context: ServerContext
    let purpose: KeyPurpose
    /// What kind of use; no parcel opens as one of another kind.
    let label: String
    /// How long it is good for.
    let lifetime: Duration

    private struct Dated: Codable {
        var at: Timestamp
        var content: Content
    }

    /// Packs.
    func seal(_ content: Content, now: Timestamp) throws -> String {
        let bytes = Array(try JSONEncoder().encode(Dated(at: now, content: content)))
        return Base64URL.encode(try context.seal(bytes, for: purpose, context: label))
    }

    /// Unpacks; `nil` for whatever was not packed here, or too long ago.
    func open(_ text: String, now: Timestamp) -> Content? {
        guard let sealed = Base64URL.decode(text), let bytes = context.open(sealed, for: purpose, context: label),
            let dated = try? JSONDecoder().decode(Dated.self, from: Data(bytes)), now < dated.at + lifetime
        else { return nil }
        return dated.content
    }
}

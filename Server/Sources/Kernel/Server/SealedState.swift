package import Core
internal import Foundation
package import WalletAuthWire

/// State that the server gives to a client and takes back unread and unaltered: sealed, dated, and bound to one kind of use.
package struct SealedState<Content: Sendable>: Sendable {
    let sealing: SealingKeys
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
        _ sealing: SealingKeys, purpose: KeyPurpose, label: String, lifetime: Duration, restore: Restore = .voids
    ) {
        self.sealing = sealing
        self.purpose = purpose
        self.label = label
        self.lifetime = lifetime
        self.restore = restore
    }

    private var boundTo: String {
        switch restore {
        case .voids: sealing.untilRestored(label)
        case .spares: label
        }
    }

    private func sealed(_ bytes: [UInt8]) throws -> String {
        Base64URL.encode(try sealing.seal(bytes, for: purpose, context: boundTo))
    }

    private func opened(_ text: String) -> [UInt8]? {
        Base64URL.decode(text).flatMap { sealing.open($0, for: purpose, context: boundTo) }
    }
}

extension SealedState where Content: Codable {
    package func seal(_ content: Content, now: Timestamp) throws -> String {
        try sealed(Array(try JSONEncoder().encode(DatedContent(at: now, content: content))))
    }

    /// - Returns: `nil` for text that was not sealed here, or that has expired.
    package func open(_ text: String, now: Timestamp) -> Content? {
        guard let dated = dated(text), now < dated.at + lifetime else { return nil }
        return dated.content
    }

    /// What was sealed here, also if it has expired. It must not be acted upon.
    package func openExpired(_ text: String) -> Content? { dated(text)?.content }

    private func dated(_ text: String) -> DatedContent<Content>? {
        opened(text).flatMap { try? JSONDecoder().decode(DatedContent<Content>.self, from: Data($0)) }
    }
}

private struct DatedContent<Content: Codable>: Codable {
    var at: Timestamp
    var content: Content
}

/// Content that describes its own JSON, for state that is sealed often: Foundation's coders are slow.
package protocol SealedContent: Sendable {
    /// As Foundation's encoder would write it.
    var json: JSONObject { get }

    init(_ object: JSONObject) throws
}

extension SealedState where Content: SealedContent {
    package func seal(_ content: Content, now: Timestamp) throws -> String {
        var dated = JSONObject()
        dated.set("at", now.milliseconds)
        dated["content"] = .object(content.json)
        return try sealed(dated.bytes)
    }

    /// - Returns: `nil` for text that was not sealed here, or that has expired.
    package func open(_ text: String, now: Timestamp) -> Content? {
        guard let bytes = opened(text), let dated = try? JSONValue.object(parsing: bytes),
            let at = dated["at"]?.integer, now < Timestamp(milliseconds: at) + lifetime,
            let content = dated["content"]?.object
        else { return nil }
        return try? Content(content)
    }
}

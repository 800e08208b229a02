internal import Crypto

/// What one entry of an audit chain binds: `h(n) = HMAC-SHA256(k, h(n−1) ‖ n ‖ entry)`.
///
/// Ids, kind and time stand in the entry itself. The circumstances, which may be personal, stand beside it and are bound by
/// a salted digest: when they and the salt are erased, every link stays as it was, and the digest of what is gone tells
/// nothing to whoever guesses at it.
package struct AuditEntry: Sendable, Hashable {
    /// Which chain it stands in.
    package var partition: AuditPartition
    /// Its place in the chain, from 1 without gaps.
    package var sequence: Int64
    /// The event's id.
    package var id: [UInt8]
    /// The account that it concerns, if any.
    package var account: [UInt8]?
    /// The client that it came through, if any.
    package var client: String?
    /// What happened.
    package var kind: String
    /// When it happened.
    package var occurredAt: Timestamp
    /// What ``digest(of:salt:)`` made of the circumstances.
    package var detailsDigest: [UInt8]

    /// Each parameter is the property of its name.
    package init(
        partition: AuditPartition, sequence: Int64, id: [UInt8], account: [UInt8]?, client: String?, kind: String,
        occurredAt: Timestamp, detailsDigest: [UInt8]
    ) {
        self.partition = partition
        self.sequence = sequence
        self.id = id
        self.account = account
        self.client = client
        self.kind = kind
        self.occurredAt = occurredAt
        self.detailsDigest = detailsDigest
    }

    /// How long a salt is.
    package static let saltLength = 16

    /// What the first entry of a chain follows.
    package static let beginning = [UInt8](repeating: 0, count: 32)

    /// Binds circumstances without holding them.
    /// - Parameters:
    ///   - details: the circumstances, as they are kept.
    ///   - salt: ``saltLength`` random bytes, kept beside them and erased with them.
    package static func digest(of details: String, salt: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: salt + Array(details.utf8)))
    }

    /// The entry's link, which only who holds the key can make.
    /// - Parameters:
    ///   - previous: the link before, or ``beginning``.
    ///   - key: the audit key.
    package func link(after previous: [UInt8], key: DataKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message(after: previous), using: key.key))
    }

    /// The same without a key: what an auditor computes who is not given one. It stands in checkpoints, whose signature
    /// makes it worth something.
    /// - Parameter previous: the digest before, or ``beginning``.
    package func digest(after previous: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: message(after: previous)))
    }

    private func message(after previous: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.fixed(previous)
        writer.integer(sequence)
        writer.text("wallet-audit-v1")
        writer.integer(partition.rawValue)
        writer.field(id)
        // One byte says whether there is one: an empty value is another than none.
        writer.fixed([account == nil ? 0 : 1])
        writer.field(account ?? [])
        writer.fixed([client == nil ? 0 : 1])
        writer.text(client)
        writer.text(kind)
        writer.integer(occurredAt.milliseconds)
        writer.field(detailsDigest)
        return writer.bytes
    }
}

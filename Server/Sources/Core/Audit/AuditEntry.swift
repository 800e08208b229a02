internal import Crypto

/// One entry of an audit chain: `h(n) = HMAC-SHA256(k, h(n−1) ‖ n ‖ entry)`.
///
/// The entry itself has the ids, the kind and the time. The details may be personal, so they are stored separately and
/// bound by a salted digest. Once details and salt are erased, every link still verifies, and the digest does not
/// confirm a guess at the details.
package struct AuditEntry: Sendable, Hashable {
    package var partition: AuditPartition
    /// The number in the chain, from 1 without gaps.
    package var sequence: Int64
    package var id: [UInt8]
    /// The account concerned, if any.
    package var account: [UInt8]?
    /// The client it came through, if any.
    package var client: String?
    package var kind: String
    package var occurredAt: Timestamp
    /// The result of ``digest(of:salt:)``.
    package var detailsDigest: [UInt8]

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

    package static let saltLength = 16

    /// The link before the first entry of a chain.
    package static let beginning = [UInt8](repeating: 0, count: linkLength)

    private static let linkLength = SHA256.byteCount
    private static let idLength = 16

    /// Returns a digest that binds the details.
    /// - Parameters:
    ///   - details: the details as stored.
    ///   - salt: ``saltLength`` random bytes, stored with the details and erased with them.
    package static func digest(of details: String, salt: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: salt + Array(details.utf8)))
    }

    /// Whether the digest binds these details. A salt of another length could contain their beginning, or they its end.
    package func binds(_ details: String, salt: [UInt8]) -> Bool {
        salt.count == Self.saltLength && Self.digest(of: details, salt: salt) == detailsDigest
    }

    /// The entry's link, which only a holder of the key can compute.
    /// - Parameter previous: the link before, or ``beginning``.
    /// - Returns: `nil` if a field has a length that no entry's has, so that the entry is not genuine.
    package func link(after previous: [UInt8], key: DataKey) -> [UInt8]? {
        guard let message = try? message(after: previous) else { return nil }
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }

    /// The unkeyed digest, for an auditor who has no key. Checkpoints contain it, and their signature protects it.
    /// - Parameter previous: the digest before, or ``beginning``.
    /// - Returns: `nil` if there is no link either.
    package func digest(after previous: [UInt8]) -> [UInt8]? {
        guard let message = try? message(after: previous) else { return nil }
        return Array(SHA256.hash(data: message))
    }

    private func message(after previous: [UInt8]) throws -> [UInt8] {
        guard id.count == Self.idLength, account.map({ $0.count == Self.idLength }) ?? true,
            detailsDigest.count == SHA256.byteCount
        else { throw WrongFieldLength() }
        var writer = ByteWriter()
        // Exactly as long as a link. Otherwise someone who can write to the database, but has no key, could store the beginning of
        // another message as the link before, and have the server authenticate that message.
        writer.fixed(previous.count == Self.linkLength ? previous : Array(SHA256.hash(data: previous)))
        writer.integer(sequence)
        writer.label("wallet-audit-v1")
        writer.integer(partition.rawValue)
        try writer.field(id)
        // One byte tells an empty value from none.
        writer.fixed([account == nil ? 0 : 1])
        try writer.field(account ?? [])
        writer.fixed([client == nil ? 0 : 1])
        try writer.text(client)
        try writer.text(kind)
        writer.integer(occurredAt.milliseconds)
        try writer.field(detailsDigest)
        return writer.bytes
    }
}

/// One chain of the audit log. Their number is fixed, so that writers of different accounts do not wait for each other.
/// All entries of one account are in the same chain.
package struct AuditPartition: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    /// Returns `nil` for a number beyond ``all``.
    package init?(rawValue: Int64) {
        guard (0...Self.accounts).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ number: Int64) {
        rawValue = number
    }

    /// The number of partitions that the accounts share.
    package static let accounts: Int64 = 16

    /// Operators' actions that concern no single account.
    package static let operators = AuditPartition(0)

    package static let all = (0...accounts).map(AuditPartition.init(_:))

    /// The partition of an account. Account ids are random in every byte that matters, so XOR is hash enough.
    /// - Parameter account: the bytes of its id; `nil` for ``operators``.
    package init(account: [UInt8]?) {
        guard let account else {
            self = .operators
            return
        }
        self.init(Int64(account.reduce(0, ^)) % Self.accounts + 1)
    }

    package static func < (left: AuditPartition, right: AuditPartition) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// An entry as read from its row, which may have been changed. Trust nothing in it before ``AuditVerification`` has
/// read it.
package struct UnverifiedEvent: Sendable, Hashable {
    package var entry: AuditEntry
    package var keyID: Int64?
    /// JSON; ``erasedDetails`` once erased.
    package var details: String
    /// `nil` once the details are erased.
    package var salt: [UInt8]?
    package var link: [UInt8]
    /// The id of the account that an operator's call is about; `nil` for any other event.
    package var about: String?

    /// Replaces erased details.
    package static let erasedDetails = "{}"

    package init(
        entry: AuditEntry, keyID: Int64?, details: String, salt: [UInt8]?, link: [UInt8], about: String? = nil
    ) {
        self.entry = entry
        self.keyID = keyID
        self.details = details
        self.salt = salt
        self.link = link
        self.about = about
    }
}

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

/// One chain of the audit log. There is a fixed number of them, so that writers of different accounts do not wait for one
/// another, and every entry of one account stands in the same.
package struct AuditPartition: RawRepresentable, Hashable, Comparable, Sendable {
    /// Its number, from 0.
    package let rawValue: Int64

    /// - Parameter rawValue: its number; `nil` beyond ``all``.
    package init?(rawValue: Int64) {
        guard (0...Self.accounts).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ number: Int64) {
        rawValue = number
    }

    /// How many partitions the accounts share.
    package static let accounts: Int64 = 16

    /// What an operator does that concerns no single account.
    package static let operators = AuditPartition(0)

    /// Every partition, the operators' first.
    package static let all = (0...accounts).map(AuditPartition.init(_:))

    /// Where the entries of an account stand: account ids are random in every byte that matters, so folding them is hash
    /// enough.
    ///
    /// - Parameter account: the bytes of its id; `nil` for ``operators``.
    package init(account: [UInt8]?) {
        guard let account else {
            self = .operators
            return
        }
        self.init(Int64(account.reduce(0, ^)) % Self.accounts + 1)
    }

    /// Orders partitions by number.
    package static func < (left: AuditPartition, right: AuditPartition) -> Bool {
        left.rawValue < right.rawValue
    }
}

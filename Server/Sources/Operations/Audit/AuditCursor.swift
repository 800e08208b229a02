internal import Core
internal import Store
internal import WalletAuthWire

/// Where a page of the audit log begins: a number for each partition that is read, and the page has earlier entries only.
struct AuditCursor: Sendable {
    private(set) var bounds: [AuditPartition: Int64]

    /// - Parameter positions: the last entry of each partition.
    init(after positions: [Int64]) {
        bounds = Dictionary(uniqueKeysWithValues: zip(AuditPartition.all, positions.map { $0 + 1 }))
    }

    /// Leaves out the entries of a partition from this one on.
    mutating func end(_ partition: AuditPartition, at sequence: Int64) {
        bounds[partition] = bounds[partition].map { min($0, sequence) }
    }

    /// The cursor of the entries before a page.
    func before(_ page: [UnverifiedEvent]) -> AuditCursor {
        var cursor = self
        for record in page {
            let partition = record.entry.partition
            cursor.bounds[partition] = min(cursor.bounds[partition] ?? .max, record.entry.sequence)
        }
        return cursor
    }

    /// The cursor with the partition of an account and that of operators' calls; `nil` reads all of them.
    /// - Throws: ``AdministrationRefusal`` if it lacks one, because it is of another account's entries.
    func reading(_ account: UniqueID?) throws(AdministrationRefusal) -> AuditCursor {
        var cursor = self
        if let account {
            let partitions: [AuditPartition] = [.operators, AuditPartition(account: account.bytes)]
            cursor.bounds = bounds.filter { partitions.contains($0.key) }
        }
        guard cursor.bounds.count == (account == nil ? AuditPartition.all.count : 2) else {
            throw AdministrationRefusal(
                "The cursor is of another list: use it with the same --account.", code: "malformed")
        }
        return cursor
    }
}

/// As text: 0 and the numbers of all partitions, or an account's partition and the numbers of the operators' and of this one, each in seven
/// bits a byte. So it is short, and begins with a letter, since a dash would make it an option.
extension AuditCursor: CustomStringConvertible {
    private static let everyPartition: UInt8 = 0

    /// - Throws: ``AdministrationRefusal`` if no answer has named it.
    init(_ text: String) throws(AdministrationRefusal) {
        guard let bytes = Base64URL.decode(text), let partitions = bytes.first.flatMap(Self.partitions),
            let numbers = Self.numbers(bytes.dropFirst()), numbers.count == partitions.count
        else { throw AdministrationRefusal("The cursor was not issued by `audit tail`.", code: "malformed") }
        bounds = Dictionary(uniqueKeysWithValues: zip(partitions, numbers))
    }

    var description: String {
        let partitions = bounds.keys.sorted()
        var bytes = [Self.everyPartition]
        if partitions.count == 2, let own = partitions.last { bytes = [UInt8(truncatingIfNeeded: own.rawValue)] }
        for partition in partitions {
            var rest = bounds[partition] ?? 0
            while rest > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
        return Base64URL.encode(bytes)
    }

    private static func partitions(_ first: UInt8) -> [AuditPartition]? {
        first == everyPartition ? AuditPartition.all : AuditPartition(rawValue: Int64(first)).map { [.operators, $0] }
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int64]? {
        var numbers: [Int64] = []
        var (number, shift): (Int64, Int64) = (0, 0)
        for byte in bytes {
            // Nine bytes have 63 bits.
            guard shift < 63 else { return nil }
            number |= Int64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 {
                numbers.append(number)
                (number, shift) = (0, 0)
            }
        }
        return shift == 0 ? numbers : nil
    }
}

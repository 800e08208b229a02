import Crypto
import Testing

@testable import Core

@Suite("Entries of the audit log", .covers("an entry cannot pass for another"))
struct AuditEntryTests {
    private static let key = AuditVerificationTests.key

    @Test(
        "attack: someone without a key stores the beginning of an entry as the last link, to have it authenticated",
        .threat("Tampering with the audit log"))
    func linkOfAnotherLength() {
        let account = [UInt8](repeating: 7, count: 16)
        let partition = AuditPartition(account: account)
        let next = AuditEntry(
            partition: partition, sequence: 9, id: [UInt8](repeating: 9, count: 16), account: account, client: "app",
            kind: "account.sign_in_failed", occurredAt: Timestamp(seconds: 1_767_225_600),
            detailsDigest: AuditEntry.digest(of: "{}", salt: [UInt8](repeating: 1, count: AuditEntry.saltLength)))
        var forged = next
        forged.sequence = 8
        forged.kind = "operation.verified"
        // All of the next entry but the link before it takes the place of the forged entry's digest.
        forged.detailsDigest = Self.fields(of: next) + Self.field(next.detailsDigest)
        let stored =
            AuditEntry.beginning + Self.fields(of: forged) + Self.length(forged.detailsDigest.count)
        // The two are one message, so only the lengths of link and digest tell them apart.
        let code = Self.code(for: stored + forged.detailsDigest)
        #expect(next.link(after: stored, key: Self.key) != code)
        #expect(forged.link(after: AuditEntry.beginning, key: Self.key) == nil)
    }

    @Test("An entry verifies after a link of its length, and each link of another length gives another one")
    func links() {
        let records = AuditVerificationTests.chain(1)
        let entry = records[0].entry
        #expect(entry.link(after: AuditEntry.beginning, key: Self.key) == records[0].link)
        #expect(Self.code(for: Self.message(of: entry)) == records[0].link)
        let links = [0, 31, 32, 33, 300].map {
            entry.link(after: [UInt8](repeating: 0, count: $0), key: Self.key)
        }
        #expect(Set(links).count == 5)
    }

    static let otherLengths = [
        AuditVerificationTests.Tampering(testDescription: "id") { $0.entry.id += [0] },
        AuditVerificationTests.Tampering(testDescription: "account") { $0.entry.account? += [0] },
        AuditVerificationTests.Tampering(testDescription: "digest") { $0.entry.detailsDigest += [0] },
        AuditVerificationTests.Tampering(testDescription: "digest removed") { $0.entry.detailsDigest = [] },
        AuditVerificationTests.Tampering(testDescription: "client") {
            $0.entry.client = String(repeating: "a", count: 65_536)
        },
        AuditVerificationTests.Tampering(testDescription: "kind") {
            $0.entry.kind = String(repeating: "a", count: 65_536)
        },
    ]

    @Test(
        "An entry with a field that has another length than an entry's does not verify, whatever its link",
        arguments: otherLengths)
    func fieldsOfOtherLengths(_ tampering: AuditVerificationTests.Tampering) {
        var records = AuditVerificationTests.chain(1)
        tampering.apply(&records[0])
        let entry = records[0].entry
        #expect(entry.link(after: AuditEntry.beginning, key: Self.key) == nil)
        #expect(entry.digest(after: AuditEntry.beginning) == nil)
        records[0].link = Self.code(for: Self.message(of: entry))
        let place = AuditPlace(entry.partition, 1)
        #expect(AuditVerificationTests.verify(records).findings.contains(.changed(place)))
    }

    @Test(
        "attack: details whose beginning is moved into the salt, or the salt's end into the details, are found",
        .threat("Tampering with the audit log"))
    func movedDetails() {
        for count in [AuditEntry.saltLength - 1, AuditEntry.saltLength + 1] {
            var records = AuditVerificationTests.chain(1)
            let bytes = [UInt8](repeating: 0x20, count: AuditEntry.saltLength) + Array(records[0].details.utf8)
            records[0].entry.detailsDigest = AuditEntry.digest(
                of: records[0].details, salt: Array(bytes.prefix(AuditEntry.saltLength)))
            records[0].link = Self.code(for: Self.message(of: records[0].entry))
            records[0].salt = Array(bytes.prefix(count))
            records[0].details = String(decoding: bytes.dropFirst(count), as: UTF8.self)
            let place = AuditPlace(records[0].entry.partition, 1)
            #expect(AuditVerificationTests.verify(records).findings == [.detailsChanged(place)])
        }
    }

    private static func code(for message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }

    /// What an entry's link covers if it is the first, as a program would write it that cuts what does not fit.
    private static func message(of entry: AuditEntry) -> [UInt8] {
        AuditEntry.beginning + fields(of: entry) + field(entry.detailsDigest)
    }

    /// The fields between the link before an entry and its digest.
    private static func fields(of entry: AuditEntry) -> [UInt8] {
        var bytes = number(entry.sequence) + field(Array("wallet-audit-v1".utf8)) + number(entry.partition.rawValue)
        bytes += field(entry.id)
        bytes.append(1)
        bytes += field(entry.account ?? [])
        bytes.append(1)
        bytes += field(Array((entry.client ?? "").utf8)) + field(Array(entry.kind.utf8))
        return bytes + number(entry.occurredAt.milliseconds)
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { length(bytes.count) + bytes.prefix(65_535) }

    private static func length(_ count: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    private static func number(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

import Crypto
import Testing

@testable import AuthCore

@Suite("Entries of the audit log")
struct AuditEntryTests {
    private static let key = AuditVerificationTests.key

    @Test("attack: someone without a key stores the beginning of an entry as the last link, to have it authenticated")
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
        let genuine = next.link(after: stored, key: Self.key)
        #expect(genuine != forged.link(after: AuditEntry.beginning, key: Self.key))

        // The two are one message, so only the length of the link tells them apart.
        let message = stored + forged.detailsDigest
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: Self.key.key))
        #expect(forged.link(after: AuditEntry.beginning, key: Self.key) == code)
    }

    @Test("An entry verifies after a link of its length, and each link of another length gives another one")
    func links() {
        let records = AuditVerificationTests.chain(1)
        let entry = records[0].entry
        #expect(entry.link(after: AuditEntry.beginning, key: Self.key) == records[0].link)
        let links = [0, 31, 32, 33, 300].map {
            entry.link(after: [UInt8](repeating: 0, count: $0), key: Self.key)
        }
        #expect(Set(links).count == 5)
    }

    @Test("An entry whose digest is not as long as one does not verify, whatever its link")
    func digestOfAnotherLength() {
        var records = AuditVerificationTests.chain(1)
        records[0].entry.detailsDigest += [0]
        records[0].link = records[0].entry.link(after: AuditEntry.beginning, key: Self.key)
        records[0].salt = nil
        records[0].details = UnverifiedEvent.erasedDetails
        let place = AuditPlace(records[0].entry.partition, 1)
        #expect(AuditVerificationTests.verify(records).findings.contains(.changed(place)))
    }

    /// The fields between the link before an entry and its digest.
    private static func fields(of entry: AuditEntry) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(entry.sequence)
        writer.text("wallet-audit-v1")
        writer.integer(entry.partition.rawValue)
        writer.field(entry.id)
        writer.fixed([1])
        writer.field(entry.account ?? [])
        writer.fixed([1])
        writer.text(entry.client)
        writer.text(entry.kind)
        writer.integer(entry.occurredAt.milliseconds)
        return writer.bytes
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { length(bytes.count) + bytes }

    private static func length(_ count: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }
}

import Core
import Crypto
import Testing
import WalletAuthWire

@Suite("Audit log", .threat("Tampering with the audit log"))
struct AuditVerificationTests {
    static let key = DataKey(id: KeyID(1), label: "audit", key: SymmetricKey(data: [UInt8](repeating: 5, count: 32)))
    static let account = [UInt8](repeating: 3, count: 15) + [9]

    /// A chain of one account: a few events, every column in use.
    static func chain(_ count: Int64 = 6, key: DataKey = key) -> [UnverifiedEvent] {
        var link = AuditEntry.beginning
        return (1...count).map { number in
            let details = "{\"address\":\"192.0.2.\(number)\"}"
            let salt = [UInt8](repeating: UInt8(number), count: AuditEntry.saltLength)
            let entry = AuditEntry(
                partition: AuditPartition(account: account), sequence: number,
                id: [UInt8](repeating: UInt8(number), count: 16), account: account,
                client: number == 2 ? nil : "app", kind: "account.signed_in",
                occurredAt: Timestamp(seconds: 1_767_225_600 + number),
                detailsDigest: AuditEntry.digest(of: details, salt: salt))
            link = entry.link(after: link, key: key) ?? []
            return UnverifiedEvent(entry: entry, keyID: 1, details: details, salt: salt, link: link)
        }
    }

    static func checkpoint(_ records: [UnverifiedEvent], at seconds: Int64 = 1_767_226_000) -> AuditCheckpoint {
        var head = AuditHead.beginning(of: AuditPartition(account: account))
        for record in records {
            head.sequence = record.entry.sequence
            head.link = record.link
            head.digest = record.entry.digest(after: head.digest) ?? []
        }
        return AuditCheckpoint(
            issuer: "https://auth.example.com", issuedAt: Timestamp(seconds: seconds), heads: [head])
    }

    static func verify(_ records: [UnverifiedEvent], against checkpoint: AuditCheckpoint? = nil) -> AuditVerification {
        var verification = AuditVerification { $0 == 1 ? key : nil }
        if let checkpoint { verification.hold(checkpoint, named: "the checkpoint") }
        for record in records { verification.read(record) }
        verification.finish(unchained: 0)
        return verification
    }

    /// One way to change a row, by the column's name.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout UnverifiedEvent) -> Void
    }

    static func flip(_ bytes: inout [UInt8]) {
        if bytes.isEmpty { bytes = [1] } else { bytes[bytes.count / 2] ^= 1 }
    }

    static let tamperings = [
        Tampering(testDescription: "id") { flip(&$0.entry.id) },
        Tampering(testDescription: "account") { $0.entry.account?[0] ^= 16 },
        Tampering(testDescription: "about") { $0.about = "other" },
        Tampering(testDescription: "account removed") { $0.entry.account = nil },
        Tampering(testDescription: "client") { $0.entry.client = $0.entry.client == "bpp" ? "app" : "bpp" },
        Tampering(testDescription: "client emptied") { $0.entry.client = $0.entry.client == nil ? "" : nil },
        Tampering(testDescription: "kind") { $0.entry.kind += "!" },
        Tampering(testDescription: "time") {
            $0.entry.occurredAt = Timestamp(milliseconds: $0.entry.occurredAt.milliseconds + 1)
        },
        Tampering(testDescription: "details' digest") { flip(&$0.entry.detailsDigest) },
        Tampering(testDescription: "details") { $0.details = "{\"address\":\"203.0.113.7\"}" },
        Tampering(testDescription: "details removed") { $0.details = UnverifiedEvent.erasedDetails },
        Tampering(testDescription: "salt") { $0.salt?[0] ^= 1 },
        Tampering(testDescription: "salt removed") { $0.salt = nil },
        Tampering(testDescription: "details and salt removed") {
            $0.details = UnverifiedEvent.erasedDetails
            $0.salt = nil
        },
        Tampering(testDescription: "details, salt and digest replaced") {
            $0.details = "{}"
            $0.salt = [UInt8](repeating: 0, count: 16)
            $0.entry.detailsDigest = AuditEntry.digest(of: "{}", salt: [UInt8](repeating: 0, count: 16))
        },
        Tampering(testDescription: "key id") { $0.keyID = 2 },
        Tampering(testDescription: "key id removed") { $0.keyID = nil },
        Tampering(testDescription: "link") { flip(&$0.link) },
        Tampering(testDescription: "link removed") { $0.link = [] },
    ]

    @Test("An untouched log verifies")
    func holds() {
        let records = Self.chain()
        let verification = Self.verify(records, against: Self.checkpoint(records))
        #expect(verification.findings.isEmpty)
        #expect(verification.entries == 6)
    }

    @Test("A changed column of any row is found in that row, also without a checkpoint", arguments: tamperings)
    func changedColumns(_ tampering: Tampering) {
        for index in 0..<6 {
            var records = Self.chain()
            tampering.apply(&records[index])
            let verification = Self.verify(records)
            let place = AuditPlace(AuditPartition(account: Self.account), Int64(index + 1))
            let named = verification.findings.contains { finding in
                switch finding {
                case .changed(place), .unknownKey(place), .detailsChanged(place), .detailsRemoved(place): true
                default: false
                }
            }
            #expect(named, "row \(index + 1): \(verification.findings)")
        }
    }

    @Test("A removed row is detected wherever it was; for the last ones it takes a checkpoint")
    func removedRows() {
        let partition = AuditPartition(account: Self.account)
        let whole = Self.chain()
        for index in 0..<5 {
            var records = whole
            records.remove(at: index)
            #expect(Self.verify(records).findings == [.missing(partition, Int64(index + 1)...Int64(index + 1))])
        }
        for kept in 0..<6 {
            let cut = Self.verify(Array(whole.prefix(kept)), against: Self.checkpoint(whole))
            #expect(cut.findings == [.cut(partition, last: Int64(kept), seen: 6, checkpoint: "the checkpoint")])
            #expect(Self.verify(Array(whole.prefix(kept))).findings.isEmpty, "only a checkpoint tells")
        }
    }

    @Test("Two rows that changed places are found")
    func swappedRows() {
        for first in 0..<6 {
            for second in (first + 1)..<6 {
                var records = Self.chain()
                records.swapAt(first, second)
                records[first].entry.sequence = Int64(first + 1)
                records[second].entry.sequence = Int64(second + 1)
                let found = Self.verify(records).findings
                #expect(found.contains { if case .changed = $0 { true } else { false } }, "\(first) \(second)")
            }
        }
    }

    @Test("A chain rebuilt without the key is detected at once, and one rebuilt with the key by a checkpoint")
    func madeAnew() {
        let stranger = DataKey(id: KeyID(1), label: "audit", key: SymmetricKey(size: .bits256))
        #expect(Self.verify(Self.chain(key: stranger)).findings.count == 6)
        var link = AuditEntry.beginning
        let forged = Self.chain().map { record in
            var record = record
            record.entry.kind = "account.exported"
            record.link = record.entry.link(after: link, key: Self.key) ?? []
            link = record.link
            return record
        }
        #expect(Self.verify(forged).findings.isEmpty)
        let place = AuditPlace(AuditPartition(account: Self.account), 6)
        #expect(
            Self.verify(forged, against: Self.checkpoint(Self.chain())).findings
                == [.rewritten(place, checkpoint: "the checkpoint")])
    }

    @Test("A row moved into another chain is found in both")
    func misplaced() {
        var records = Self.chain()
        let other = AuditPartition.all.first { $0 != records[0].entry.partition && $0 != .operators }
        records[5].entry.partition = other ?? .operators
        records[5].entry.sequence = 1
        let found = Self.verify(records).findings
        #expect(found.contains(.misplaced(AuditPlace(records[5].entry.partition, 1))))
        #expect(found.contains(.changed(AuditPlace(records[5].entry.partition, 1))))
    }

    @Test("A checkpoint is read back as it was signed, and refused under another key, changed or as another token")
    func checkpoints() throws {
        let checkpoint = Self.checkpoint(Self.chain())
        let key = try AuditCheckpointKey(Self.key)
        let text = try key.sign(checkpoint)
        #expect(try AuditCheckpointKey.read(text, trusting: [key]) == checkpoint)
        let stranger = try AuditCheckpointKey(
            DataKey(id: KeyID(1), label: "audit", key: SymmetricKey(size: .bits256)))
        #expect(throws: (any Error).self) { try AuditCheckpointKey.read(text, trusting: [stranger]) }
        var file = AuditCheckpointFile(trusting: [key])
        let lines = ["", "\r", " ", "=", "\n"].map { file.read(Array((text + $0).utf8)) }
        #expect(lines == [.checkpoint(checkpoint), .invalid, .invalid, .invalid, .invalid])
        var bytes = Array(text.utf8)
        bytes[bytes.count / 2] ^= 1
        #expect(throws: (any Error).self) {
            try AuditCheckpointKey.read(String(decoding: bytes, as: UTF8.self), trusting: [key])
        }
        #expect(try AuditCheckpointKey(Self.key).publicKey == key.publicKey, "the key is the same at every start")
    }

    @Test("Two keys of one number, as a rotation after a restore makes them, have different names")
    func names() throws {
        let names = try [Self.key, DataKey(id: Self.key.id, label: "audit", key: SymmetricKey(size: .bits256))].map {
            try #require(try AuditCheckpointKey($0).publicKey.keyID)
        }
        #expect(Set(names).count == 2 && names.allSatisfy { $0.hasPrefix("audit-\(Self.key.id.value)-") }, "\(names)")
    }

    @Test("Every finding says in words where to look")
    func words() {
        let partition = AuditPartition(account: Self.account)
        let missing = AuditFinding.missing(partition, 2...4)
        #expect(missing.description == "partition \(partition), entries 2 to 4: they are missing")
        let changed = AuditFinding.changed(AuditPlace(partition, 7))
        #expect(changed.description.hasPrefix("partition \(partition), entry 7: "))
    }
}

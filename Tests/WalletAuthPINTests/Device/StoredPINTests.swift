import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import WalletAuthPIN

@Suite("What a device keeps of its PIN")
struct StoredPINTests {
    private func key(_ epoch: Int64) throws -> PinnedKey {
        PinnedKey(
            enrollment: try DeviceID("device-1"), epoch: try #require(PINEpoch(exactly: epoch)),
            publicKey: try VOPRFElement(
                bytes: Array(P384.KeyAgreement.PrivateKey().publicKey.compressedRepresentation)))
    }

    @Test("A key is pinned once the server said that it is in use; until then what was pinned before comes first")
    func candidates() throws {
        let (first, second, third) = (try key(1), try key(2), try key(3))
        var record = StoredPIN(share: DeviceShare().stored)
        record.propose(first)
        #expect(record.pinned == nil)
        #expect(record.known == [first])
        record.confirm(first)
        record.propose(second)
        record.propose(third)
        #expect(record.pinned == first)
        #expect(record.known == [first, third, second])
        // The second took after all: the first is over, the third may still be under way.
        record.confirm(second)
        #expect(record.known == [second, third])
        record.withdraw(third)
        #expect(record.known == [second])
    }

    @Test("Why the PIN is locked is kept until it is right again; a record from before that reads as it did")
    func lockReason() throws {
        var record = StoredPIN(share: DeviceShare().stored)
        record.lock(.restore)
        var read = try #require(StoredPIN.read(record.written()))
        #expect(read.isLocked && read.lockReason == .restore)
        read.unlock()
        #expect(!read.isLocked && read.lockReason == nil)
        record.lock(nil)
        #expect(!String(decoding: try record.written(), as: UTF8.self).contains("lockReason"))
        let former = try #require(StoredPIN.read(record.written()))
        #expect(former.isLocked && former.lockReason == nil)
    }

    @Test("However many answers are lost, the newest candidates are kept")
    func bounded() throws {
        var record = StoredPIN(share: DeviceShare().stored)
        for epoch in 1...9 { record.propose(try key(Int64(epoch))) }
        #expect(record.known.map(\.epoch.number) == [9, 8, 7, 6])
    }

    @Test("It is read as it was written, and what is none is none")
    func coded() throws {
        var record = StoredPIN(share: DeviceShare().stored)
        record.confirm(try key(4))
        record.propose(try key(5))
        record.lock(.tooManyTries)
        let written = try record.written()
        #expect(StoredPIN.read(written) == record)
        #expect(StoredPIN.read(written.dropLast()) == nil)
        let later = String(decoding: written, as: UTF8.self)
            .replacingOccurrences(of: "\"version\":1", with: "\"version\":2")
        #expect(StoredPIN.read(Data(later.utf8)) == nil)
    }
}

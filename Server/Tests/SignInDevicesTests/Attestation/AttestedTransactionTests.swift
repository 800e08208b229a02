import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("The attested app in the proof of a transaction", .covers("attestation of apps and of biometric keys"))
struct AttestedTransactionTests {
    private static let app = AppAttestation(
        platform: .apple, environment: .production, app: "ABCDE12345.com.example.wallet", keyLevel: nil,
        attestedAt: NumericDate(clamping: 1_700_000_000))

    /// Lets the till's phone have what an enrollment by the genuine app leaves.
    private func attest(_ till: TestTill) async throws {
        let values = [
            SQLValue.id(try till.phone.id.rowID), .text(String(decoding: Self.app.json.bytes, as: UTF8.self)),
        ]
        let count = try await till.server.context.database.write {
            try $0.execute(
                "UPDATE devices SET attestation = $2, biometric_key_voucher = 'app' WHERE id = $1", values)
        }
        #expect(count == 1)
    }

    private func signer(_ till: TestTill, of id: TransactionID) async throws -> OperationEvidenceClaims.Device {
        try #require(try await till.proof(id).signature?.device)
    }

    @Test(
        "The proof says which app enrolled the device, and of a biometric key on whose word it counted",
        .article("9(2), 9(3) multi-purpose devices"))
    func signed() async throws {
        let till = try await TestTill.open()
        try await attest(till)
        let byPIN = try await till.confirmed()
        _ = try await till.sign(byPIN, till.byPIN(byPIN)).get()
        let withPIN = try await signer(till, of: byPIN.transactionID)
        #expect(withPIN.attestation == Self.app)
        #expect(withPIN.key.thumbprint == till.phone.device.deviceKey.thumbprint)
        #expect(withPIN.biometricKey == nil)
        let byFace = try await till.confirmed(by: .biometric)
        _ = try await till.sign(byFace, till.byBiometrics(byFace)).get()
        let withFace = try await signer(till, of: byFace.transactionID)
        #expect(withFace.attestation == Self.app)
        #expect(withFace.biometricKey == .app)
    }

    @Test("So does the proof of a transaction that the app began")
    func begun() async throws {
        let till = try await TestTill.open()
        try await attest(till)
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byBiometrics(begun.transaction)).get()
        let signer = try await signer(till, of: begun.transaction.transactionID)
        #expect(signer.attestation == Self.app)
        #expect(signer.biometricKey == .app)
    }

    @Test(
        "It is what the server knew when the device signed: neither a later attestation nor the device's end changes it"
    )
    func kept() async throws {
        let till = try await TestTill.open()
        let before = try await till.confirmed()
        _ = try await till.sign(before, till.byPIN(before)).get()
        try await attest(till)
        let after = try await till.confirmed()
        _ = try await till.sign(after, till.byPIN(after)).get()
        try await till.server.administer(["device", "remove", till.phone.id.rawValue])
        #expect(try await signer(till, of: before.transactionID).attestation == nil)
        #expect(try await signer(till, of: after.transactionID).attestation == Self.app)
    }
}

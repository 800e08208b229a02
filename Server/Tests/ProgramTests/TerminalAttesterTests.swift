import Core
import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@testable import Kernel
@testable import SignIn
@testable import wallet

@Suite("The attester of `wallet`", .covers("attestation of apps and of biometric keys"))
struct TerminalAttesterTests {
    private static let appID = "ABCDE12345.com.example.wallet"
    private let hash = [UInt8](repeating: 7, count: 32)
    private let now = Timestamp(seconds: 1_800_000_000)

    private func attester(in folder: TemporaryFolder) throws -> AttesterFolder {
        let made = AttesterFolder(URL(fileURLWithPath: folder.path("attester")))
        try made.create(for: Self.appID)
        return made
    }

    @Test("In production, a server that has its root believes what it attests, and a server with Apple's does not")
    func believed() async throws {
        let folder = try TemporaryFolder()
        let made = try attester(in: folder)
        let object = try #require(try await TerminalAttester(made).attest(Data(hash)))
        let root = try AttestationRoots(pem: String(contentsOf: made.certificate, encoding: .utf8))
        let found = try await AppAttest(roots: root, appIDs: [Self.appID], environment: .production)
            .attestation(Array(object), over: hash, now: now)
        #expect(found.app.app == Self.appID)
        #expect(found.app.environment == .production)
        let apples = AppAttest(
            roots: try AttestationRoots(pem: AttestationRoots.apple), appIDs: [Self.appID], environment: .production)
        await #expect(throws: AttestationFault.untrustedChain) {
            try await apples.attestation(Array(object), over: hash, now: now)
        }
    }

    @Test(
        "Only its owner reads the root's key, a second root does not replace the first, and a folder without one is named"
    )
    func files() throws {
        let folder = try TemporaryFolder()
        let made = try attester(in: folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: made.key.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let root = try Data(contentsOf: made.certificate)
        let again = #expect(throws: Failure.self) { try made.create(for: Self.appID) }
        #expect(again?.code == "attester_exists")
        #expect(try Data(contentsOf: made.certificate) == root)
        let other = AttesterFolder(URL(fileURLWithPath: folder.path("other")))
        let missing = #expect(throws: Failure.self) { try TerminalAttester(other) }
        #expect(missing?.message.contains(other.url.path) == true)
        // Another root's certificate does not fit the key.
        try other.create(for: Self.appID)
        try FileManager.default.removeItem(at: other.certificate)
        try FileManager.default.copyItem(at: made.certificate, to: other.certificate)
        #expect(throws: Failure.self) { try TerminalAttester(other) }
    }

    @Test("A refusal for want of an attestation, or of a face, says what to do next")
    func advice() {
        let next: [(WalletError.Code, String)] = [
            (.attestationRequired, "wallet attester create"), (.attestationInvalid, "walletauth audit tail"),
            (.presenceNotAttested, "devices.biometricKeys"), (.biometricsNotEnabled, "wallet biometrics enable"),
        ]
        for (code, command) in next {
            let error = WalletError(code, .refused, during: .enrollDevice, reachedServer: true, reason: "no")
            let failure = Failure(error, at: Failure.Place())
            #expect(failure.advice.contains(command), "\(failure.line)")
        }
    }

    @Test("A refused attester's reason is looked up for the account that it was refused for, if one is known")
    func reason() {
        let error = WalletError(
            .attestationInvalid, .refused, during: .enrollDevice, reachedServer: true, reason: "no")
        let known = Failure(error, at: Failure.Place(username: "ada"))
        #expect(known.advice.contains("with: walletauth account explain ada; "), "\(known.line)")
        // What a shell could misread is left to the person.
        let odd = Failure(error, at: Failure.Place(username: "$(ada)"))
        #expect(odd.advice.contains("with: walletauth account explain NAME; "), "\(odd.line)")
    }
}

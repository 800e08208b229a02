import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import WalletAuthPIN
@testable import WalletAuthWire

/// WPIN-1 by an author who has read the page and not the code: Tests/Vectors/wpin-1/wpin1.py.
@Suite("WPIN-1 in Python", .serialized)
struct PythonProgramTests {
    private static let python = WPIN1Vectors.repository.appending(path: ".build-python/bin/python")

    /// Waits without holding a thread: the program takes seconds, and other tests measure time.
    private func run(
        _ arguments: String..., program: String = "wpin1.py"
    ) async throws -> (status: Int32, errors: String) {
        let errors = FileManager.default.temporaryDirectory.appending(path: "wpin1-\(UUID().uuidString).txt")
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        let handle = try FileHandle(forWritingTo: errors)
        defer { try? handle.close() }
        let process = Process()
        process.executableURL = Self.python
        process.arguments = [WPIN1Vectors.folder.appending(path: program).path] + arguments
        process.standardError = handle
        process.standardOutput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return (status, try String(contentsOf: errors, encoding: .utf8))
    }

    private func withFile<T>(_ data: Data, _ body: (URL) async throws -> T) async throws -> T {
        let file = FileManager.default.temporaryDirectory.appending(path: "wpin1-\(UUID().uuidString).json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    @Test("The vectors are what an independent program makes, which keeps to RFC 9380 and RFC 9497 itself")
    func vectors() async throws {
        let result = try await run("--check", WPIN1Vectors.file.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try WPIN1Vectors.all.derivations.count == 4)
    }

    @Test("A vector that was changed by one digit is noticed")
    func changedVector() async throws {
        let text = try String(contentsOf: WPIN1Vectors.file, encoding: .utf8)
        let scalar = try #require(WPIN1Vectors.all.derivations.last).sk
        let other = (scalar.hasSuffix("0") ? "1" : "0")
        let changed = text.replacing(scalar, with: scalar.dropLast() + other)
        let result = try await withFile(Data(changed.utf8)) { try await run("--check", $0.path) }
        #expect(result.status == 1)
        #expect(result.errors.contains("derivations[3].sk"))
    }

    @Test("The refused PINs are those that an independent program finds by the rules, and one more or less is noticed")
    func pins() async throws {
        let file = WPIN1Vectors.folder.appending(path: "pins.json")
        let result = try await run("--check", file.path, program: "pins.py")
        #expect(result.status == 0, "\(result.errors)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacing("\"0000\", ", with: "")
        let noticed = try await withFile(Data(changed.utf8)) { try await run("--check", $0.path, program: "pins.py") }
        #expect(noticed.status == 1)
        #expect(noticed.errors.contains("of 4 digits"))
    }

    @Test(
        "Every value of the transcript that a phone made is made again from the secrets on its page, and a changed one is noticed"
    )
    func transcript() async throws {
        let page = WPIN1Vectors.repository.appending(path: "Tests/Vectors/wpin-1/transcript.md")
        let result = try await run("--check", page.path, program: "transcript.py")
        #expect(result.status == 0, "\(result.errors)")
        let text = try String(contentsOf: page, encoding: .utf8)
        let changed = text.replacing("\"pur\": \"login\"", with: "\"pur\": \"enroll\"")
        let noticed = try await withFile(Data(changed.utf8)) {
            try await run("--check", $0.path, program: "transcript.py")
        }
        #expect(noticed.status == 1)
        #expect(noticed.errors.contains("the payloads that are shown"))
    }

    @Test("Exchanges of ours, each with fresh keys, PIN and epoch, are verified step by step by the other program")
    func exchanges() async throws {
        var exchanges: [Exchange] = []
        for (pin, epoch) in [("4938", 1), ("493817", 7), ("049381726550", 4_294_967_295)] as [(String, Int64)] {
            exchanges.append(try await Exchange(pin: pin, epoch: epoch))
        }
        let data = try JSONEncoder().encode(exchanges)
        let result = try await withFile(data) { try await run("--check-exchanges", $0.path) }
        #expect(result.status == 0, "\(result.errors)")

        // The other program must be able to say no.
        var forged = exchanges[0]
        forged.publicKey = exchanges[1].publicKey
        let refused = try await withFile(JSONEncoder().encode([forged])) { try await run("--check-exchanges", $0.path) }
        #expect(refused.status == 1)
        #expect(refused.errors.contains("PIN key"))
    }

    /// Everything that one exchange of ours came to, but the blind, which is never shown.
    private struct Exchange: Encodable {
        let enrollment: String
        let pin: String
        let epoch: Int64
        let ka: String
        let E: String
        let r: String
        let ds: String
        let voprfPrivateKey: String
        let voprfPublicKey: String
        let blinded: String
        let evaluation: String
        var publicKey: String
        let deviceKey: String
        let payload: String
        let assertion: String
        let request: String

        init(pin text: String, epoch number: Int64) async throws {
            let party = try SimulatedServer(epoch: number)
            let device = try SimulatedDevice(enrollment: UUID().uuidString.lowercased())
            let exchange = try PINExchange(pin: PIN(text), secret: device.secret)
            let answer = try party.answer(exchange.blinded)
            let (key, _) = try exchange.key(answer)
            let statement = try device.assertion(
                .enroll(PayloadHash.key(key.publicKey.thumbprint)), epoch: answer.epoch)
            let body = PINEvaluationRequest(
                deviceID: device.id, ask: .enroll(new: exchange.blinded)
            ).json.bytes

            enrollment = device.id.rawValue
            pin = text
            epoch = number
            ka = hex(of: device.agreementKey.rawRepresentation)
            E = hex(of: device.share.peer.x963Representation)
            r = hex(of: device.share.stored.suffix(32))
            ds = hex(of: device.secret.bytes.withBytes { Array($0) })
            voprfPrivateKey = hex(of: party.privateKey.rawRepresentation)
            voprfPublicKey = hex(of: answer.publicKey.bytes)
            blinded = hex(of: exchange.blinded.bytes)
            evaluation = hex(of: answer.evaluation.bytes)
            publicKey = hex(of: try key.publicKey.x963)
            deviceKey = hex(of: device.key.publicKey.x963Representation)
            payload = String(decoding: statement.payload, as: UTF8.self)
            assertion = try await statement.signed(by: device.signer, key).reveal()
            request = try await device.request(body: body).signed(by: device.signer)
        }
    }
}

extension JWK {
    /// The uncompressed form of SEC 1.
    var x963: [UInt8] {
        get throws {
            guard case .p256(let x, let y) = key else { throw PINFailure.cryptography }
            return [4] + x + y
        }
    }
}

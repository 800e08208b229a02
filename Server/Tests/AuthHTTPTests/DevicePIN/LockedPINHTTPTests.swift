import Core
import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite("A locked PIN over HTTP")
struct LockedPINHTTPTests {
    private static let path = "/v1/pin/evaluate"

    @Test("Each refusal has its status")
    func statuses() {
        let refusals: [PINRefusal] = [
            .invalidCredentials, .notSet, .epochMismatch, .locked(.tooManyTries), .exhausted(retryAfter: 1),
            .idempotencyMismatch, .challengeOver, .wrongPIN(remaining: 1), .deviceSuspended, .deviceDeactivated,
            .staleNonce("nonce"),
        ]
        #expect(refusals.map(\.status.code) == [401, 409, 409, 423, 429, 422, 409, 401, 403, 423, 401])
        // A wrong PIN has the code of any other wrong credential.
        #expect(Set(refusals.map(\.answer.code)).count == refusals.count - 1)
    }

    /// Asks for an evaluation that signs in.
    private func evaluate(_ phone: PhoneOverHTTP) async throws -> TestResponse {
        let element = try VOPRFElement(
            bytes: Array(P384.KeyAgreement.PrivateKey().publicKey.compressedRepresentation))
        let act = try DeviceAssertion.Act.login(
            .signIn(thumbprint: phone.key.thumbprint, codeChallenge: CodeChallenge(Journey.challenge)))
        let request = PINEvaluationRequest(
            deviceID: phone.id,
            ask: .use(try PINUse(act), PINEvaluationRequest.PresentPIN(epoch: .first, blinded: element)))
        let body = String(decoding: request.json.bytes, as: UTF8.self)
        let key = try IdempotencyKey("0123456789abcdef")
        let nonce = try Nonce(phone.server.server.context.proofs.currentNonce())
        return try await phone.client.execute(
            uri: Self.path, method: .post,
            headers: [
                .contentType: "application/json", .idempotencyKey: key.rawValue,
                .deviceSignature: try await phone.signature(Self.path, body, nonce: nonce, key: key),
            ], body: ByteBuffer(string: body))
    }

    @Test(
        "423 pin_locked has the reason, by which an app tells wrong PINs from the restore of a backup",
        arguments: [
            (5, PINLockReason.tooManyTries, "Too many wrong PINs"), (2, .restore, "The PIN was locked by a restore"),
        ])
    func reasons(failed: Int, reason: PINLockReason, words: String) async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let device = try #require(UniqueID(uuid: phone.id.rawValue))
            try await server.server.context.database.write {
                _ = try $0.execute(
                    """
                    INSERT INTO pins (device_id, state, epoch, failed, evaluation_key, public_key, last_epoch, changed_at)
                    VALUES ($1, 'locked', 1, $2, $3, $3, 1, 0)
                    """, [.id(device), .integer(Int64(failed)), .blob([1])])
            }
            let refused = try await evaluate(phone)
            #expect(refused.status.code == 423)
            let problem = Problem(try refused.json)
            #expect(problem.code == "pin_locked")
            #expect(problem.lockReason == reason)
            #expect(problem.detail?.hasPrefix(words) == true, "\(refused.text)")
        }
    }

    @Test("429 pin_exhausted tells when the first of thirty tries is thirty days old, and the way out before that")
    func exhausted() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let device = try #require(UniqueID(uuid: phone.id.rawValue))
            let ends = SystemClock().now() + .hours(100)
            try await server.server.context.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO pins (device_id, state, epoch, failed, evaluation_key, public_key, last_epoch, changed_at)
                    VALUES ($1, 'active', 1, 0, $2, $2, 1, 0)
                    """, [.id(device), .blob([1])])
                for number in 0..<PINLimits.chargesPerWindow {
                    try connection.execute(
                        "INSERT INTO pin_charges (challenge_id, device_id, expires_at) VALUES ($1, $2, $3)",
                        [.blob([UInt8](repeating: UInt8(number), count: 16)), .id(device), .time(ends)])
                }
            }
            let refused = try await evaluate(phone)
            #expect(refused.status.code == 429)
            let problem = Problem(try refused.json)
            #expect(problem.code == "pin_exhausted")
            #expect(problem.detail?.contains("Enroll the device again") == true, "\(refused.text)")
            let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((359_000...360_000).contains(wait))
        }
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("The platform's word for the app", .covers("attestation of apps and of biometric keys"))
struct AppAttesterTests {
    /// A server that enrolls only attested apps, in front of the scripted one.
    private final class Attesting: HTTPTransport {
        let server: ScriptedServer
        /// What came with the enrollments.
        let statements = LockedValue<[AttestationStatement]>([])

        init(_ server: ScriptedServer) { self.server = server }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            guard request.method == "POST", request.url.path == Endpoints.devices.path else {
                return try await server.send(request)
            }
            let body = try JSONValue.object(parsing: Array(request.body ?? Data()))
            guard let statement = try DeviceEnrollmentRequest(body).attestation else {
                return HTTPResponse(
                    status: 403, headers: ["Content-Type": "application/problem+json"],
                    body: Data(#"{"status":403,"title":"Forbidden","code":"attestation_required"}"#.utf8))
            }
            statements.withLock { $0.append(statement) }
            return try await server.send(request)
        }
    }

    /// A platform that attests, or does what a test says.
    private struct Platform: AppAttester {
        var answer: @Sendable (Data) throws -> Data?

        func attest(_ clientDataHash: Data) async throws -> Data? { try answer(clientDataHash) }
    }

    private func enroll(
        attester: (any AppAttester)?
    ) async throws -> (statements: [AttestationStatement], error: WalletError?) {
        let world = World()
        world.server.addPerson(
            "alice", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        let transport = Attesting(world.server)
        var ports = world.ports
        ports.transport = transport
        ports.appAttester = attester
        let wallet = try await world.signedIn(ports: ports)
        var failure: WalletError?
        do { _ = try await wallet.devices.enroll(name: "Phone") } catch let error as WalletError { failure = error }
        return (transport.statements.withLock { $0 }, failure)
    }

    @Test("An enrollment carries what the platform attested about the device's key")
    func attested() async throws {
        let (statements, error) = try await enroll(attester: Platform { Data([1]) + $0 })
        #expect(error == nil)
        let object = try #require(statements.first?.object)
        #expect(statements.first?.format == .appleAttestation)
        #expect(object.count == 33 && object.first == 1)
    }

    @Test("Without an attester, or with one that says nothing, the server's refusal is the app's to fix")
    func without() async throws {
        for attester in [nil, Platform { _ in nil }] as [Platform?] {
            let error = try await enroll(attester: attester).error
            #expect(error?.code == .attestationRequired)
            #expect(error?.outcome == .refused)
        }
    }

    @Test("While the platform's service is away, the error says that another try may help")
    func unavailable() async throws {
        let error = try await enroll(attester: Platform { _ in throw AppAttesterFailure(reason: "away") }).error
        #expect(error?.code == .attestationUnavailable)
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
    }
}

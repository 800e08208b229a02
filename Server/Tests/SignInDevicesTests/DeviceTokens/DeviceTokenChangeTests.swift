import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// What the writes that end a device's token look at again, in the write itself.
@Suite("The last look before a device's token is ended")
struct DeviceTokenChangeTests {
    private struct Change: Sendable {
        let name: String
        let method: Endpoint.Method
        let make: @Sendable (TestServer, AppCaller) async throws -> DeviceTokenRefusal?
    }

    private static let changes = [
        Change(name: "declined", method: .put) { try await $0.flows.signIn.deviceTokens.decline(call: $1).refusal },
        Change(name: "expired", method: .delete) { try await $0.flows.signIn.deviceTokens.expire(call: $1).refusal },
    ]

    /// The state of the session's token.
    private func state(of session: TestLongSession, on server: TestServer) async throws -> DeviceTokenRecord.State? {
        let device = try #require(UniqueID(uuid: session.pin.id.rawValue))
        return try await server.context.database.read { try DeviceTokens.find(of: device, on: $0)?.state }
    }

    @Test("attack: a session that ends after its call was let in ends no token (stolen and just ended)")
    func endedMeanwhile() async throws {
        for change in Self.changes {
            let server = try await TestServer.start()
            let session = try await TestLongSession.start(on: server)
            _ = try await session.issue().get()
            let call = try await session.device.call(change.method, Endpoints.currentDeviceAuthenticationToken.path)
            let account = try #require(UniqueID(bytes: session.pin.account.bytes))
            let now = server.clock.now()
            try await server.context.database.write { connection in
                _ = try Sessions.endAll(of: account, because: .accountClosed, now: now, on: connection)
            }
            let refusal = try await change.make(server, call)
            #expect(refusal == .device(.accountChanged), "\(change.name)")
            let state = try await state(of: session, on: server)
            #expect(state == .active, "\(change.name)")
        }
    }

    @Test("attack: a recorded call ends no later token, also at a process that never saw its proof (replay)")
    func replayed() async throws {
        for change in Self.changes {
            let server = try await TestServer.start()
            let session = try await TestLongSession.start(on: server)
            _ = try await session.issue().get()
            let presented = try session.device.presented(
                change.method, Endpoints.currentDeviceAuthenticationToken.path)
            let first = try await change.make(server, server.flows.callers.app(presented))
            #expect(first == nil, "\(change.name)")
            _ = try await session.issue().get()
            let again = try await server.restarted()
            let refusal = try await change.make(again, again.flows.callers.app(presented))
            guard case .device(.unauthorized(.invalidDPoPProof))? = refusal else {
                Issue.record("\(change.name): \(String(describing: refusal))")
                continue
            }
            let state = try await state(of: session, on: again)
            #expect(state == .active, "\(change.name)")
        }
    }
}

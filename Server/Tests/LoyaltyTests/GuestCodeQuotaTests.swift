import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("Limits of messages to guests", .threat("Integrators' backends"))
struct GuestCodeQuotaTests {
    private static func number(_ index: Int) -> String { "212-555-01\(index < 10 ? "0" : "")\(index)" }

    /// Guests who have each proved a number.
    private func enroll(_ count: Int, _ integrator: Integrator) async throws {
        for index in 0..<count {
            let request = try integrator.enrollment(of: "sub-\(index)", username: "guest-\(index)")
            let token = try await integrator.enroll(request).get().tokens.accessToken
            _ = try await integrator.prove(Self.number(index), with: token).get()
        }
    }

    private func reports(_ server: LoyaltyServer) async throws -> Int64 {
        try await server.read {
            try $0.row(
                "SELECT COUNT(*) AS number FROM security_events WHERE kind = $1", [.text("loyalty.codes_held")])?
                .integer("number") ?? 0
        }
    }

    @Test(
        "attack: SMS pumping: codes to many numbers are limited by client, merchant and network, and reported once",
        arguments: ["client", "merchant", "network"])
    func pumping(limit: String) async throws {
        let server = try await LoyaltyServer.start { settings in
            switch limit {
            case "client": settings.guestCodes.client = 2
            case "merchant": settings.guestCodes.merchant = 2
            default: settings.guestCodes.network = 2
            }
        }
        let integrator = try await server.integrator { $0.guestPasswords = true }
        try await enroll(5, integrator)
        for index in 0..<5 { #expect(try await integrator.send(Self.number(index)).code == nil) }
        #expect(try await server.sentCodes().count == 2)
        #expect(try await reports(server) == 1)
        let held = server.context.guestCodes.held
        #expect(held.map(\.limit) == [limit] && held.map(\.count) == [3])
        // Later there are messages again.
        server.clock.advance(by: .hours(2))
        #expect(try await integrator.send(Self.number(4)).code == nil)
        #expect(try await server.sentCodes().count == 3)
    }

    @Test("attack: requests about unknown numbers use up no messages")
    func unknown() async throws {
        let server = try await LoyaltyServer.start { $0.guestCodes.client = 2 }
        let integrator = try await server.integrator { $0.guestPasswords = true }
        try await enroll(1, integrator)
        for index in 10..<20 { #expect(try await integrator.send(Self.number(index)).code == nil) }
        #expect(try await integrator.send(Self.number(0)).code == nil)
        #expect(try await server.sentCodes().count == 1)
        #expect(try await reports(server) == 0)
    }

    @Test("attack: one guest who has codes sent to many numbers does not use up the messages of others")
    func proving() async throws {
        let server = try await LoyaltyServer.start { $0.guestCodes.client = 10 }
        let integrator = try await server.integrator { $0.guestPasswords = true }
        let request = try integrator.enrollment(of: "mallory")
        let token = try await integrator.enroll(request).get().tokens.accessToken
        for index in 0..<12 {
            #expect(try await integrator.send(Self.number(index), provedBy: token).code == nil)
        }
        #expect(try await server.sentCodes().count == 3)
        #expect(try await reports(server) == 0)
    }
}

import Core
import Operations
import Testing
import WalletAuthWire

@testable import Apple

@Suite("Apple's refresh tokens for guests without an account")
struct GuestGrantTests {
    @Test("A guest who makes no account is revoked at Apple when their time is over")
    func guest() async throws {
        let server = try await AppleServer.start()
        try await server.guest()
        let kept = try #require(try await server.grant())
        #expect(!kept.isLinked)
        #expect(kept.sealed != nil)
        for wait in [Duration.zero, .minutes(10)] {
            server.clock.advance(by: wait)
            try await server.flows.maintenance.run()
            #expect(server.apple.asked("/auth/revoke") == 0)
        }
        server.clock.advance(by: .minutes(1))
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
        #expect(try await server.grant() == nil)
    }

    @Test("A guest who comes again, or makes an account in time, is not revoked at Apple")
    func guestInTime() async throws {
        let server = try await AppleServer.start()
        try await server.guest()
        server.clock.advance(by: .minutes(6))
        try await server.guest()
        server.clock.advance(by: .minutes(6))
        try await server.flows.maintenance.run()
        _ = try await server.person()
        server.clock.advance(by: .hours(1))
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 0)
        #expect(try await server.grant()?.isLinked == true)
    }

    @Test("A guest who has an account in another brand keeps the consent behind it")
    func guestOfAnotherBrand() async throws {
        let server = try await AppleServer.start()
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add { $0.brand = "second" }
        _ = try await server.person(brand: "second")
        try await server.guest()
        server.clock.advance(by: .minutes(11))
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 0)
        #expect(try await server.grant() == nil)
        #expect(try await server.grant(brand: "second")?.isLinked == true)
    }
}

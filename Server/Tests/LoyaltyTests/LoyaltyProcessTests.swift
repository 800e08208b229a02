import Kernel
import Store
import Synchronization
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

/// What rows decide, because the memory of one process does not know the other's requests.
@Suite("The loyalty API with two processes on one database")
struct LoyaltyProcessTests {
    @Test("16 equal enrollments at once at both processes make one account, redeem one code and count no guess")
    func enrollments() async throws {
        try await LoyaltyServer.pair { first, second in
            let integrator = try await first.integrator()
            let backends = [integrator, integrator.at(second)]
            let request = try integrator.enrollment(of: "sub-1")
            let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<16 {
                    group.addTask { try await backends[number % 2].enroll(request).get().accountID }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            #expect(numbers.count == 1)
            #expect(first.vendor.redeemed.count == 1)
            for table in ["accounts", "federated_identities", "loyalty_accounts", "loyalty_enrollments"] {
                #expect(try await first.rows(of: table) == 1, "\(table)")
            }
            #expect(try await failures(at: first) == 0)
        }
    }

    @Test("A code that was redeemed at one process is refused by the other without asking, and counts as no guess")
    func repeatedCode() async throws {
        try await LoyaltyServer.pair { first, second in
            try await first.guest("sub-1")
            let integrator = try await first.integrator()
            let token = first.vendor.token(of: "sub-1", issuedAt: first.clock.now())
            let code = first.vendor.code(of: "sub-1")
            let codes = try await withThrowingTaskGroup(of: LoyaltyErrorCode?.self) { group in
                for backend in [integrator, integrator.at(second)] {
                    group.addTask { try await backend.token(token, code).code }
                }
                return try await group.reduce(into: [LoyaltyErrorCode?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .externalCodeRefused } == 1)
            for backend in [integrator, integrator.at(second)] {
                #expect(try await backend.token(token, code).code == .externalCodeRefused)
            }
            #expect(first.vendor.redeemed.count == 1)
            #expect(try await failures(at: first) == 0)
        }
    }

    @Test("A request that is cancelled while another process has its code keeps no later one from the code")
    func cancelledWait() async throws {
        try await LoyaltyServer.pair { first, second in
            let here = ProviderCodes(database: first.context.database, clock: first.clock)
            let there = ProviderCodes(database: second.context.database, clock: second.clock)
            let code: [UInt8] = [1]
            let lease = try #require(try await here.take(code))
            let waiting = Task { try await there.take(code) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
            await lease.release()
            let next = try #require(try await there.take(code))
            await next.release()
            #expect(try await first.rows(of: "loyalty_enrollments") == 0)
        }
    }

    @Test("A code whose taking was written, but not answered, is free for the repetition at once")
    func lostAnswer() async throws {
        try await LoyaltyServer.pair { first, _ in
            let codes = ProviderCodes(database: AnswerlessDatabase(first.context.database), clock: first.clock)
            let code: [UInt8] = [1]
            await #expect(throws: StoreError.self) { _ = try await codes.take(code) }
            #expect(try await first.rows(of: "loyalty_enrollments") == 0)
            let lease = try #require(try await codes.take(code))
            #expect(try await first.rows(of: "loyalty_enrollments") == 1)
            await lease.release()
        }
    }

    /// How many subjects have a wrong try counted.
    private func failures(at server: LoyaltyServer) async throws -> Int64 {
        try await server.read {
            try $0.row("SELECT COUNT(*) AS number FROM attempts WHERE failures > 0", [])?.integer("number") ?? 0
        }
    }

    @Test("A store code with a control character is refused as malformed (PostgreSQL's text cannot hold U+0000)")
    func storeCode() throws {
        for code in ["\u{0}", "pxweb\u{0}", "a\nb", String(repeating: "x", count: 256)] {
            var object = JSONObject()
            object.set("authentication", "b2b")
            object.set("merchantId", LoyaltyServer.merchant)
            object.set("activationStoreCode", code)
            let failure = #expect(throws: LoyaltyFailure.self) { try LoyaltyEnrollmentRequest(object) }
            #expect(failure?.code == .invalidRequest)
            #expect(failure?.message.contains("activationStoreCode") == true)
        }
    }
}

/// The real engine, whose first write is committed, while its answer gets lost.
private final class AnswerlessDatabase: Database {
    private let base: any Database
    private let isAnswering = Mutex(false)

    init(_ base: any Database) { self.base = base }

    var group: (any ProcessGroup)? { base.group }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await base.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        let result = try await base.write(isolation: isolation, body)
        let isFirst = isAnswering.withLock { isAnswering in
            defer { isAnswering = true }
            return !isAnswering
        }
        if isFirst { throw StoreError(.outcomeUnknown, "the connection was lost") }
        return result
    }
}

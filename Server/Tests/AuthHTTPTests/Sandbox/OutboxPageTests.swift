import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Store
import Testing

@testable import HTTP
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("The sandbox's outbox page")
struct OutboxPageTests {
    @Test(
        "A message that is not due yet says so, with its time; one that only waits does not",
        arguments: Language.allCases)
    func scheduled(language: Language) async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            let context = server.server.context
            let now = context.clock.now()
            let due = now + .minutes(15)
            let account = try await context.database.read {
                try Accounts.find(named: "maria", brand: "default", on: $0)
            }
            func post(dueAt time: Timestamp) async throws {
                let entry = try context.auditLog.entry(
                    RecoveryMessage.stopped(.email), account: account?.id, email: "maria@example.com", dueAt: time,
                    now: now)
                _ = try await context.database.write { try entry.write(on: $0) }
            }
            let words = language.sandbox[.scheduled, ["time": language.moment(of: due.roundedUpToMinute)]]
            let shown = HTMLEscaping().escapeText(words)
            try await post(dueAt: now)
            let headers: HTTPFields = [.acceptLanguage: language.rawValue]
            let waiting = try await client.get("/sandbox/outbox", headers)
            #expect(waiting.text.contains("recovery_stopped"), "\(waiting.text)")
            #expect(!waiting.text.contains(shown))
            try await post(dueAt: due)
            let page = try await client.get("/sandbox/outbox", headers)
            #expect(page.text.ranges(of: "recovery_stopped").count == 2)
            #expect(page.text.ranges(of: shown).count == 1, "\(page.text)")
            let json = try await client.get("/sandbox/outbox", [.accept: "application/json"])
            #expect(json.text.ranges(of: "\"state\":\"waiting\"").count == 2, "\(json.text)")
        }
    }
}

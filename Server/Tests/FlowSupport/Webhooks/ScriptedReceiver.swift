package import Core
package import Outbound
package import Store
import Synchronization
import Testing
package import WalletAuthWire

@testable package import Kernel
@testable package import Operations

/// A receiver of webhooks that answers as a test wants, and keeps what it was given.
package final class ScriptedReceiver: WebhookTransport {
    private let outcomes: Mutex<[WebhookOutcome]>
    private let always: Mutex<WebhookOutcome?>
    private let kept = Mutex<[WebhookRequest]>([])
    /// The outcome of an attempt by what is posted, where it has one.
    private let judge = Mutex<(@Sendable (WebhookRequest) throws -> WebhookOutcome?)?>(nil)
    /// Happens at each post, before its answer.
    private let meanwhile = Mutex<(@Sendable (WebhookRequest) async throws -> Void)?>(nil)
    /// An element for each post, once it is kept.
    package let (posts, post) = AsyncStream<Void>.makeStream()

    /// - Parameters:
    ///   - outcomes: of the attempts, one after another; delivered where there is none left.
    ///   - always: of each attempt instead.
    package init(_ outcomes: [WebhookOutcome] = [], always: WebhookOutcome? = nil) {
        self.outcomes = Mutex(outcomes)
        self.always = Mutex(always)
    }

    package var requests: [WebhookRequest] { kept.withLock { $0 } }

    /// The types of what it was given, in order.
    package var types: [String] {
        requests.compactMap { try? JSONValue.object(parsing: $0.body).string("type") }
    }

    /// The data of what it was given, in order.
    package var data: [JSONObject] {
        requests.compactMap { try? JSONValue.object(parsing: $0.body)["data"]?.object }
    }

    package func answer(always outcome: WebhookOutcome?) { always.withLock { $0 = outcome } }

    package func answer(by judge: @escaping @Sendable (WebhookRequest) throws -> WebhookOutcome?) {
        self.judge.withLock { $0 = judge }
    }

    package func atEachPost(_ body: @escaping @Sendable (WebhookRequest) async throws -> Void) {
        meanwhile.withLock { $0 = body }
    }

    package func post(_ request: WebhookRequest, now: Timestamp) async throws -> WebhookOutcome {
        try await meanwhile.withLock { $0 }?(request)
        kept.withLock { $0.append(request) }
        post.yield()
        if let outcome = try judge.withLock({ $0 })?(request) { return outcome }
        if let outcome = always.withLock({ $0 }) { return outcome }
        return outcomes.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
    }

    package func fault(of url: String) async -> OutboundFault? { nil }
}

extension TestServer {
    /// A public address, to which nothing is sent.
    package static let hook = "https://1.1.1.1/hooks"

    /// Adds a receiver.
    /// - Returns: its id.
    @discardableResult
    package func addWebhook(
        client: String? = nil, brand: String? = nil, kinds: [WebhookKind] = [], at url: String = TestServer.hook
    ) async throws -> String {
        var words = ["webhook", "add", url]
        if let client { words += ["--client", client] }
        if let brand { words += ["--brand", brand] }
        for kind in kinds { words += ["--kind", kind.rawValue] }
        return try #require(try await administer(AdminRequest(words)).string("id"))
    }

    /// A process that delivers to a receiver of a test's.
    package func delivery(to receiver: any WebhookTransport) -> WebhookDelivery {
        WebhookDelivery(
            transport: receiver, timeout: .seconds(10), webhooks: context.webhooks, database: context.database,
            vault: Vault<WebhookField>(context.sealing), logoutTokens: LogoutTokens(context), pings: Pings(context),
            auditLog: context.auditLog, clock: clock, clocks: context.clocks, random: context.random,
            logger: context.logger)
    }

    /// What `webhook show` says.
    package func webhook(_ id: String) async throws -> JSONObject { try await administer(["webhook", "show", id]) }

    /// An event about a subject, for a brand's receivers.
    package func event(_ number: Int, about subject: UniqueID, kind: WebhookKind = .devices) throws -> BackendEvent {
        BackendEvent(
            id: try context.random.timeOrderedID(clock.now()), kind: kind, type: "test.event", clientID: nil,
            brandID: "default", subject: subject, position: Int64(number), occurredAt: clock.now(),
            data: JSONObject(strings: ["number": String(number), "subject": subject.uuid]))
    }

    /// Has a brand's receivers hear of an event about a subject.
    package func tell(_ number: Int, about subject: UniqueID, kind: WebhookKind = .devices) async throws {
        let event = try event(number, about: subject, kind: kind)
        let written = try await context.database.write { try event.write(sequence: 0, on: $0) }
        #expect(written > 0)
    }
}

package import Core
package import Logging
package import Store
package import WalletAuthWire

/// Clients as the authorization endpoint meets them: registered ones and, at hosts that an operator named, apps that describe themselves
/// at their `client_id`.
///
/// A description is kept for ten minutes. One request at a time fetches it, and none soon after a failure. Of apps that no one has
/// allowed anything yet, few are asked for in a minute: anyone can invent addresses, and must not make this server flood a host.
package actor ClientDocuments {
    private typealias Kept = (document: ClientDocument?, at: Timestamp)

    private let clients: ClientDirectory
    private let database: any Database
    private let http: ProviderHTTP
    private let environment: ServerSettings.Environment
    private let logger: Logger
    private var kept: [ClientID: Kept] = [:]
    private var fetches: [ClientID: Task<ClientDocument?, Never>] = [:]
    private var strangers: (since: Timestamp, count: Int)?

    private static let lifetime = Duration.minutes(10)
    private static let failurePause = Duration.seconds(10)
    private static let mostStrangers = 60
    /// At the limit, the cache is emptied.
    private static let capacity = 1024
    /// A person waits for the page.
    private static let timeout = Duration.seconds(5)

    package init(
        clients: ClientDirectory, database: any Database, http: ProviderHTTP,
        environment: ServerSettings.Environment, logger: Logger
    ) {
        self.clients = clients
        self.database = database
        self.http = http
        self.environment = environment
        self.logger = logger
    }

    /// Returns `nil` if there is no such client, or if its description cannot be used.
    package nonisolated func find(_ id: ClientID, now: Timestamp) async throws -> RegisteredClient? {
        let registered = try await clients.find(id, now: now)
        // What an operator registered under an address is what the operator said.
        if let registered, !registered.settings.selfDescribed { return registered }
        guard let address = ClientDocumentURL(id) else { return nil }
        let isStranger = registered == nil
        let template = try await database.read { connection -> ClientRecord? in
            guard let template = try Clients.template(for: address, on: connection) else { return nil }
            return try !isStranger || Clients.mayKeep(id, on: connection) ? template : nil
        }
        guard let template, let document = await self.document(at: address, isStranger: isStranger, now: now)
        else { return nil }
        return try RegisteredClient(
            template.describing(id, name: document.name, redirectURIs: document.redirectURIs, now: now))
    }

    private func document(at address: ClientDocumentURL, isStranger: Bool, now: Timestamp) async -> ClientDocument? {
        if let (document, at) = kept[address.id] {
            let lifetime = document == nil ? Self.failurePause : Self.lifetime
            if !now.isApart(from: at, by: lifetime) { return document }
        }
        if let running = fetches[address.id] { return await running.value }
        if isStranger {
            if strangers.map({ now.isApart(from: $0.since, by: .minutes(1)) }) ?? true { strangers = (now, 0) }
            guard let count = strangers?.count, count < Self.mostStrangers else { return nil }
            strangers?.count += 1
        }
        let fetch = Task { await self.logged(address) }
        fetches[address.id] = fetch
        let document = await fetch.value
        fetches[address.id] = nil
        if kept.count >= Self.capacity { kept = [:] }
        kept[address.id] = (document, now)
        return document
    }

    private nonisolated func logged(_ address: ClientDocumentURL) async -> ClientDocument? {
        do {
            // A redirect is no answer: whom it leads to, the operator has not named.
            let answer = try await http.answer(
                to: ProviderHTTP.Request(
                    url: address.url.rawValue, headers: [("Accept", "application/json")],
                    reach: .outside(to: address.url.host, in: environment), timeout: Self.timeout))
            guard answer.status == 200 else { throw ProviderFailure("the answer has status \(answer.status)") }
            return try ClientDocument(answer.body, at: address)
        } catch {
            let reason = (error as? ProviderFailure)?.reason ?? "\(error)"
            logger.info(
                "an app's description cannot be used",
                metadata: ["client": .string(address.id.rawValue), "reason": .string(reason)])
            return nil
        }
    }
}

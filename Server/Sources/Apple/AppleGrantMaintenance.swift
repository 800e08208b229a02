internal import Core
internal import Kernel
internal import Logging
internal import Outbound
internal import Store
internal import WalletAuthWire

/// Revokes the tokens of unlinked and erased identities and of guests without an account, and asks Apple about all others once a
/// day.
///
/// The row is the outbox. A process leases it, asks Apple outside any transaction, and deletes the row after Apple's response. If
/// the process dies in between, another one asks again, which changes nothing at Apple.
package struct AppleGrantMaintenance: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let revocation: AppleRevocation
    let question: AppleQuestion

    /// Apple throttles servers that ask about a token more often.
    static let askInterval = Duration.hours(24)
    /// When a guest's token is revoked. The extra minute lets a request finish that started at the last moment.
    static let guestLifetime = ProvenIdentity.guestLifetime + .minutes(1)

    private static let batch = 8
    /// The limits per run: tokens revoked, and tokens asked about.
    private static let mostRevocations = 64
    private static let mostQuestions = 64
    /// Longer than any attempt takes: it revokes the tokens of a person's apps one after another.
    static let lease = ProviderHTTP.timeout * AppleSettings.mostClients + .minutes(1)
    /// Attempts before a revocation is given up: about a month of them, the later ones an hour apart.
    static let mostAttempts: Int64 = 730

    /// Does a bounded part of the due work. Call it every few seconds. Of several processes on one database only one does it.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        guard await database.leads() else { return }
        let now = clock.now()
        // By a wrong time, leases would be over and guests' tokens due.
        guard clocks.check().allowsRequests else { return }
        let due = try await database.read { try AppleGrants.isDue(now: now, on: $0) }
        if due.revoke { try await inBatches(of: Self.mostRevocations, take: takeToRevoke, revocation.revoke) }
        if due.ask { try await inBatches(of: Self.mostQuestions, take: takeToAsk, question.ask) }
    }

    private func inBatches(
        of most: Int, take: (Timestamp) async throws -> [AppleGrantRecord],
        _ attempt: @escaping @Sendable (AppleGrantRecord, Timestamp) async throws -> Void
    ) async throws {
        for _ in 0..<(most / Self.batch) {
            try Task.checkCancellation()
            let now = clock.now()
            let taken = try await take(now)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for record in taken { group.addTask { try await attempt(record, now) } }
                try await group.waitForAll()
            }
            guard taken.count == Self.batch else { return }
        }
    }

    private func takeToRevoke(now: Timestamp) async throws -> [AppleGrantRecord] {
        try await database.write {
            try AppleGrants.takeToRevoke(now: now, until: now + Self.lease, limit: Self.batch, on: $0)
        }
    }

    private func takeToAsk(now: Timestamp) async throws -> [AppleGrantRecord] {
        try await database.write {
            try AppleGrants.takeToAsk(now: now, next: now + Self.askInterval, limit: Self.batch, on: $0)
        }
    }
}

/// Revokes the tokens of a grant.
struct AppleRevocation: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let shared: AppleSharedConsents
    let services: AppleServices
    let logger: Logger

    func revoke(_ record: AppleGrantRecord, now: Timestamp) async throws {
        guard let tokens = AppleGrantVault(sealing).open(record) else {
            logAbandonment(of: record, because: "its key is lost")
            return try await finish(record, [(.revocationAbandoned, [])], now: now)
        }
        // If the person uses the same app in another brand, a revocation would end the consent behind that link too.
        let shared = try await shared.brands(of: record.digest, besides: record.brandID)
        var revoked: [String] = []
        var failed: [String] = []
        var failure: ProviderFailure?
        for token in tokens where shared[token.clientID] == nil {
            do {
                try await revokeToken(token, of: record, now: now)
                revoked.append(token.clientID)
            } catch let refusal as ProviderFailure {
                // The other apps' tokens are revoked nevertheless.
                failed.append(token.clientID)
                failure = refusal
            }
        }
        if let failure {
            guard record.attempts >= AppleGrantMaintenance.mostAttempts else {
                return try await postpone(record, because: failure)
            }
            logAbandonment(of: record, because: failure.reason)
        }
        // If Apple issued no token, or called it invalid, there is nothing to record.
        let events: [(AppleEvent, clients: [String])] = [
            (.revoked, revoked), (.revocationAbandoned, failed),
            (.revocationWithheld, tokens.map(\.clientID).filter { shared[$0] != nil }),
        ]
        try await finish(record, events.filter { !$0.clients.isEmpty }, now: now)
    }

    /// - Throws: ``ProviderFailure`` unless Apple confirms it.
    private func revokeToken(_ token: AppleGrantToken, of record: AppleGrantRecord, now: Timestamp) async throws {
        guard let service = try await services.service(of: record, token) else {
            throw ProviderFailure("the provider was removed, or belongs to another team now")
        }
        try await service.revoke(refreshToken: token.refreshToken, clientID: token.clientID, now: now)
    }

    /// Keeps all tokens of a grant for another attempt. Revoking one of them again changes nothing at Apple. The delay
    /// begins now: this attempt may have taken minutes.
    private func postpone(_ record: AppleGrantRecord, because failure: ProviderFailure) async throws {
        let random = sealing.random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let delay = DeliveryBackoff.delay(after: record.attempts, retryAfter: nil, random: random)
        logger.warning(
            "an Apple token could not be revoked yet; it will be retried",
            metadata: [
                "provider": "\(record.providerID)", "brand": "\(record.brandID)",
                "attempt": .stringConvertible(record.attempts),
                "reason": "\(failure.reason)", "again_in": "\(delay.wholeSeconds)s",
            ])
        let end = clock.now() + delay
        try await database.write { try AppleGrants.postpone(record, until: end, on: $0) }
    }

    private func logAbandonment(of record: AppleGrantRecord, because reason: String) {
        logger.error(
            "gave up revoking an Apple token", metadata: ["provider": "\(record.providerID)", "reason": "\(reason)"])
    }

    /// Removes a grant, and records what happened to the tokens of which apps.
    private func finish(
        _ record: AppleGrantRecord, _ events: [(AppleEvent, clients: [String])], now: Timestamp
    ) async throws {
        let entries = try events.map { event, clients in
            var details = JSONObject(strings: ["provider": record.providerID, "brand": record.brandID])
            if !clients.isEmpty { details["clients"] = .array(clients.map { .string($0) }) }
            return try auditLog.administration(event, details: details, now: now)
        }
        try await database.write { connection in
            guard try AppleGrants.remove(record, on: connection) else { return }
            for entry in entries { try entry.write(on: connection) }
        }
    }
}

/// Asks Apple whether the tokens of a grant are still good.
struct AppleQuestion: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let consent: AppleConsent
    let services: AppleServices
    let logger: Logger

    func ask(_ record: AppleGrantRecord, now: Timestamp) async throws {
        let vault = AppleGrantVault(sealing)
        guard let tokens = vault.open(record) else { return }
        var living: [AppleGrantToken] = []
        for token in tokens {
            if try await isDead(token, of: record, now: now) { continue }
            living.append(token)
        }
        guard living.count < tokens.count else { return }
        let identity = AppleConsent.Identity(brand: record.brandID, digest: record.digest)
        guard living.isEmpty else {
            // The consent to one of several apps ended; the person can still use the others.
            let sealed = try vault.seal(living, of: record.digest, brand: record.brandID)
            return try await database.write {
                try AppleGrants.replaceTokens(of: record, by: sealed, on: $0)
            }
        }
        try await database.write { connection in
            try consent.suspend(
                identity, ended: now, holding: record.sealed, reason: "refresh_token", now: now, on: connection)
            // The link was already suspended, so nothing is left to ask about.
            if record.suspendedAt != nil { try AppleGrants.replaceTokens(of: record, by: nil, on: connection) }
        }
    }

    private func isDead(_ token: AppleGrantToken, of record: AppleGrantRecord, now: Timestamp) async throws
        -> Bool
    {
        do {
            // Without the provider there is no key to ask with.
            guard let service = try await services.service(of: record, token) else { return false }
            return try await !service.isAlive(
                refreshToken: token.refreshToken, clientID: token.clientID, now: now)
        } catch let failure as ProviderFailure {
            // The next question is due a day later, as usual.
            logger.warning(
                "an Apple token could not be checked",
                metadata: [
                    "provider": "\(record.providerID)", "brand": "\(record.brandID)", "reason": "\(failure.reason)",
                ])
            return false
        }
    }
}

/// Apple's service, by the provider that a grant belongs to.
struct AppleServices: Sendable {
    let providers: ProviderVault
    let http: ProviderHTTP
    let environment: ServerSettings.Environment

    /// The service for the team that got the token; `nil` if an operator removed the provider or gave it to another team.
    /// - Throws: ``ProviderFailure`` if its key is unreadable.
    func service(of record: AppleGrantRecord, _ token: AppleGrantToken) async throws -> AppleService? {
        let provider = try await providers.find(
            ProviderID(record.providerID), brand: BrandID(record.brandID))
        guard let apple = provider?.vendor as? AppleProvider, apple.namespace == token.namespace else { return nil }
        return try apple.service(http: http, environment: environment)
    }
}

/// Finds the apps with which a person uses other brands. Apple records a consent per app and not per brand, so revoking
/// one brand's token would sign the person out of the other.
struct AppleSharedConsents: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let providers: ProviderVault

    /// The apps of a person's consents in other brands.
    /// - Parameters:
    ///   - digest: the identity, which is the same for every brand of a team.
    ///   - brand: the brand to leave out.
    /// - Returns: the brand for each app's client ID.
    func brands(of digest: [UInt8], besides brand: String) async throws -> [String: String] {
        let others = try await database.read {
            try AppleGrants.list(of: digest, inOtherBrandsThan: brand, on: $0)
        }
        var brands: [String: String] = [:]
        for other in others where other.suspendedAt == nil {
            for client in try await clients(of: other) { brands[client] = other.brandID }
        }
        return brands
    }

    /// If no token names the app, it may be any app of the provider.
    private func clients(of grant: AppleGrantRecord) async throws -> [String] {
        if let tokens = AppleGrantVault(sealing).open(grant), !tokens.isEmpty { return tokens.map(\.clientID) }
        let provider = try await providers.find(
            ProviderID(grant.providerID), brand: BrandID(grant.brandID))
        return (provider?.vendor as? AppleProvider)?.settings.clientIDs ?? []
    }
}

internal import Core
internal import HTTPTypes
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire
internal import Web

/// `POST /v1/federation/apple/notifications`: changes to people's accounts at Apple. Only Apple's signature
/// authenticates the sender.
struct AppleNotificationEndpoint: Sendable {
    let notifications: AppleNotificationFlow
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let body = try request.json()
        return answer(
            to: try await notifications.receive(body.required("payload", body.string("payload"))), request.context)
    }

    private func answer(to outcome: AppleNotificationFlow.Outcome, _ context: RequestFacts) -> EndpointResponse {
        switch outcome {
        case .taken: .bytes(type: "application/json", JSONObject().bytes)
        case .refused:
            faults.problem(
                .badRequest, code: "bad_request",
                detail: "The payload is not a notification for a client of this server.", context)
        case .unavailable(let seconds):
            faults.problem(
                .serviceUnavailable, code: "temporarily_unavailable", detail: "Apple's keys cannot be fetched.",
                retryAfter: seconds, context)
        }
    }
}

extension AppleNotificationEndpoint {
    var routes: [Route] {
        [
            Route(.post, Endpoints.appleNotifications.path, body: .json, .problem, post).stating(
                .signIn, "receiveAppleNotification", "Takes Apple's notification about a person's account there"
            ) {
                Contract(
                    "It is taken",
                    takes: .object(
                        WireObject(
                            name: "AppleNotification", members: [.required("payload", .text(nil))], isOpen: true)),
                    gives: .object(WireObject(members: [], isOpen: true)),
                    refuses: [.refused, .unavailable(retryAfter: 1)].map { answer(to: $0, RequestFacts()) })
            }
        ]
    }
}

/// Receives Apple's notifications. Each one takes effect once, and only with Apple's signature.
package struct AppleNotificationFlow: Sendable {
    let database: any Database
    let clock: any Clock
    let clients: AppleNotificationClients
    let documents: ProviderDocuments
    let environment: ServerSettings.Environment
    let consent: AppleConsent
    let logger: Logger

    package enum Outcome: Sendable, Hashable {
        /// It was applied, now or earlier, or it concerns a person without an account here.
        case taken
        /// It is not from Apple, or not for a client of this server.
        case refused
        /// It cannot be verified now; retry after this many seconds.
        case unavailable(retryAfter: Int64)
    }

    private static let retry: Int64 = 60

    /// Verifies a notification and applies it.
    /// - Parameter payload: the signed notification as received.
    package func receive(_ payload: String) async throws -> Outcome {
        let now = clock.now()
        // The unverified claims only select a registered service, so no other keys are fetched.
        guard let claims = try? JWTClaims(parsing: CompactJWS(payload).unverifiedPayload), let issuer = claims.issuer,
            let audience = claims.audience
        else { return .refused }
        guard let clientIDs = try await clients.find(of: issuer, in: audience, now: now) else { return .refused }
        let notification: AppleNotification
        do {
            let signed = try await documents.signed(
                payload, algorithms: [.rs256], keysFrom: .url(AppleSettings.url(.keys, at: issuer)),
                reach: AppleSettings.reach(to: issuer, in: environment), broughtBy: .notification, now: now)
            notification = try AppleNotification(
                JWTClaims(signed.claims), issuer: issuer, clientIDs: Array(clientIDs), now: now)
        } catch let failure as ProviderFailure {
            logger.log(
                level: failure.logLevel, "a notification from Apple cannot be verified",
                metadata: ["reason": "\(failure.reason)"])
            return .unavailable(retryAfter: Self.retry)
        } catch let error where error is ProviderIDToken.Refusal || error is JOSEError || error is MalformedValue {
            logger.debug(
                "refused a notification that claims to be from Apple", metadata: ["reason": "\(error)"])
            return .refused
        }
        // Apple sent it, so it may cost a read. A provider may have been removed since the clients were read.
        let recipients = Set(notification.audience)
        let addressed = try await Self.providers(in: database).filter { provider in
            provider.settings.base == issuer && !recipients.isDisjoint(with: provider.settings.clientIDs)
        }
        guard !addressed.isEmpty else { return .refused }
        try await carryOut(notification, from: issuer, at: addressed, now: now)
        return .taken
    }

    /// A provider that a notification addresses.
    struct Addressed: Sendable {
        let brand: String
        let settings: AppleSettings
    }

    /// More than any operator has.
    private static let most = 1000

    static func providers(in database: any Database) async throws -> [Addressed] {
        let records = try await database.read {
            try IdentityProviders.list(kind: AppleVendor.kind, limit: Self.most, on: $0)
        }
        return records.compactMap { record in
            let provider = try? AppleVendor().provider(record, secret: nil) as? AppleProvider
            return provider.map { Addressed(brand: record.brandID, settings: $0.settings) }
        }
    }

    private func carryOut(
        _ notification: AppleNotification, from issuer: String, at providers: [Addressed], now: Timestamp
    ) async throws {
        // Two providers of a brand may belong to one team, and then share the identity.
        let identities = Set(
            providers.map { provider in
                AppleConsent.Identity(
                    brand: provider.brand,
                    digest: IdentityProvider.digest(
                        of: notification.subject, kind: AppleVendor.kind, namespace: provider.settings.namespace))
            })
        let name = Digests.of("apple-notification", Array("\(issuer)\0\(notification.id)".utf8))
        try await database.write { connection in
            guard try AppleNotifications.remember(name, until: notification.expiresAt, on: connection) else { return }
            for identity in identities {
                switch notification.event {
                case .consentRevoked:
                    try consent.suspend(
                        identity, ended: notification.happenedAt, of: notification.audience, reason: "notification",
                        now: now, on: connection)
                case .accountDeleted:
                    try consent.remove(identity, at: notification.happenedAt, now: now, on: connection)
                case .emailDisabled, .emailEnabled:
                    try consent.mark(
                        addressReachable: notification.event == .emailEnabled, of: identity,
                        at: notification.happenedAt, now: now, on: connection)
                case nil: break
                }
            }
        }
    }
}

/// The clients that notifications may be for, kept in memory. Anyone can send a notification, and forged ones must not each read and
/// decode all providers.
///
/// It only decides which notifications are verified. The providers of a genuine one are read again.
actor AppleNotificationClients {
    private let database: any Database
    /// The client ids by issuer.
    private var clients: [String: Set<String>] = [:]
    private var readAt: Timestamp?
    /// The read that callers wait for.
    private var reading: Task<Void, any Error>?

    private static let lifetime = Duration.seconds(60)
    /// An unknown client may be new. Made-up ones cause no more reads than one in this time.
    private static let leastInterval = Duration.seconds(1)

    init(database: any Database) { self.database = database }

    /// The registered clients of an issuer; `nil` if the audience contains none of them.
    func find(of issuer: String, in audience: [String], now: Timestamp) async throws -> Set<String>? {
        let found = known(of: issuer, in: audience)
        let limit = found == nil ? Self.leastInterval : Self.lifetime
        if let readAt, !now.isApart(from: readAt, by: limit) { return found }
        try await read(now: now)
        return known(of: issuer, in: audience)
    }

    private func known(of issuer: String, in audience: [String]) -> Set<String>? {
        clients[issuer].flatMap { $0.isDisjoint(with: audience) ? nil : $0 }
    }

    private func read(now: Timestamp) async throws {
        if let reading { return try await reading.value }
        let task = Task {
            defer { reading = nil }
            let providers = try await AppleNotificationFlow.providers(in: database)
            clients = providers.reduce(into: [:]) { clients, provider in
                clients[provider.settings.base, default: []].formUnion(provider.settings.clientIDs)
            }
            readAt = now
        }
        reading = task
        try await task.value
    }
}

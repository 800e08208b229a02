public import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A consent that has begun, and whose end the app has not learned yet.
struct PendingConsent: Hashable, Sendable, Codable {
    /// The session in which the operation began, and the only one that may continue the consent.
    struct Owner: Hashable, Sendable, Codable {
        /// The generation of a stored session.
        var generation: SessionGeneration?
        var subject: String
        var sessionID: String?

        /// Returns nil if the server did not say whose session it is.
        init?(_ holding: LiveSession.Holding) {
            guard let subject = holding.session.owner.subject else { return nil }
            self.subject = subject
            sessionID = holding.session.owner.sessionID
            generation = holding.origin == .stored ? holding.generation : nil
        }
    }

    enum Stage: String, Hashable, Sendable, Codable {
        /// The person is being asked.
        case asked
        /// The person agreed. The request may have been repeated, and its result is unknown.
        case agreed
    }

    let owner: Owner
    let eventID: String
    let operationID: String
    let request: ConsentRequest
    var offered: [SCA.AvailableVerification]
    /// The last challenge as received.
    var challenge: Data?
    var stage = Stage.asked
    var expiresAt: Instant

    /// How long the server lets a person agree, until the first challenge says it.
    static let eventLifetime = Duration.seconds(900)
    /// How long a backend remembers its response to an `Idempotency-Key`.
    static let answerLifetime = Duration.seconds(86_400)

    var details: SCADetails? {
        guard let event = try? SCAEventID(eventID), let operation = try? WalletOperationID(operationID) else {
            return nil
        }
        return SCADetails(eventID: event, operationID: operation)
    }

    /// The last challenge, parsed again.
    var keptChallenge: SCA.Challenge? {
        guard let challenge, let object = try? JSONValue.object(parsing: Array(challenge)),
            let response = try? SCAChallengeResponse(object), response.eventID.rawValue == eventID,
            let payload = try? OperationPayload(toShow: response.payload), payload.account.rawValue == owner.subject
        else { return nil }
        return SCA.Challenge(response, payload: payload)
    }

    mutating func note(_ challenge: SCA.Challenge) {
        self.challenge = Data(challenge.response.json.bytes)
        expiresAt = Instant(challenge.operation.expiresAt)
    }

    mutating func agree(at now: Instant) {
        stage = .agreed
        // The former page or code is no longer needed.
        challenge = nil
        expiresAt = now + Self.answerLifetime
    }
}

/// The unfinished consents of this wallet: a few, in the secure store, changed under a lock that other processes share.
/// Consents of other sessions, and those that have ended, are ignored and removed with the next change.
struct PendingConsents: Sendable {
    let store: any SecureStore
    let keeper: SessionKeeper
    private let key: SecureStoreKey
    private let lock: SecureStoreLock

    /// A fifth consent drops the first.
    static let most = 4

    /// The stored form. The version lets later releases recognize what they read.
    private struct Stored: Codable {
        var version = 1
        var consents: [PendingConsent] = []
    }

    init(store: any SecureStore, keeper: SessionKeeper, namespace: String) {
        self.store = store
        self.keeper = keeper
        key = SecureStoreKey("\(namespace).sca")
        lock = SecureStoreLock("\(namespace).sca")
    }

    /// The consents of the signed-in account, newest first.
    func all() async throws -> [PendingConsent] { Array(living(try await read()).reversed()) }

    /// Stores a consent, replacing the former one of its event.
    func keep(_ consent: PendingConsent) async throws {
        guard consent.request.isSmall else { return }
        try await change { consents in
            consents.removeAll { $0.eventID == consent.eventID }
            consents.append(consent)
            consents.removeFirst(max(0, consents.count - Self.most))
        }
    }

    func remove(_ eventID: String) async throws {
        try await change { $0.removeAll { $0.eventID == eventID } }
    }

    /// Removes all consents after a sign-out.
    func removeAll() async throws {
        try await store.withExclusiveLock(lock) { try await store.remove(key) }
    }

    private func change(_ body: @escaping @Sendable (inout [PendingConsent]) -> Void) async throws {
        // Runs to the end even if the caller is cancelled: half a record is useless.
        try await Task { [self] in
            try await store.withExclusiveLock(lock) {
                let found = try await read()
                var consents = living(found)
                body(&consents)
                guard consents != found else { return }
                guard !consents.isEmpty else { return try await store.remove(key) }
                try await store.put(encoding: Stored(consents: consents), for: key)
            }
        }.value
    }

    private func living(_ consents: [PendingConsent]) -> [PendingConsent] {
        let owner = keeper.snapshot.holding.flatMap { PendingConsent.Owner($0) }
        let now = keeper.clock.now
        return consents.filter { $0.owner == owner && now < $0.expiresAt }
    }

    private func read() async throws -> [PendingConsent] {
        guard let data = try await store.get(key) else { return [] }
        // Unreadable records cannot be continued either; the next change replaces them.
        guard let stored = try? JSONDecoder().decode(Stored.self, from: data), stored.version == 1 else { return [] }
        return stored.consents
    }
}

extension SCA {
    /// An unfinished consent: see ``Wallet/pendingSCA``.
    public struct Pending: Hashable, Sendable, Identifiable {
        /// The event.
        public var id: String { consent.eventID }
        /// The backend's name for the operation.
        public var walletOperationID: String { consent.operationID }
        /// The app's request, with its `Idempotency-Key`.
        public var request: URLRequest { consent.request.original.forApp }
        /// The operation; nil if the app was killed before it arrived, and once the person agreed.
        public let operation: Operation?
        /// Whether the person agreed. The request may then have been carried out, and continuing asks no one.
        public var isAgreed: Bool { consent.stage == .agreed }
        /// How long the consent is stored.
        public var expiresAt: Date { consent.expiresAt.date }
        let consent: PendingConsent

        init(_ consent: PendingConsent) {
            self.consent = consent
            operation = consent.keptChallenge?.operation
        }
    }
}

import Foundation
import WalletAuthWire

/// A consent that was begun and whose end the app has not been told.
struct PendingConsent: Hashable, Sendable, Codable {
    /// Whose it is: a consent is the session's in which its operation was begun, and no other's.
    struct Owner: Hashable, Sendable, Codable {
        /// Of a session that the store keeps.
        var generation: SessionGeneration?
        var subject: String
        var sessionID: String?

        /// - Returns: nil where the server did not tell whose the session is.
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
        /// The person agreed: the request may have been repeated, and nobody knows what came of it.
        case agreed
    }

    let owner: Owner
    let eventID: String
    let operationID: String
    let request: ConsentRequest
    var offered: [SCA.AvailableVerification]
    /// The challenge that was answered last, as it came.
    var challenge: Data?
    var stage = Stage.asked
    var expiresAt: Instant

    /// Before the first challenge tells it: for how long the server lets a person agree.
    static let eventLifetime = Duration.seconds(900)
    /// For how long a backend remembers what it answered to an `Idempotency-Key`.
    static let answerLifetime = Duration.seconds(86_400)

    var details: SCADetails? {
        guard let event = try? SCAEventID(eventID), let operation = try? WalletOperationID(operationID) else {
            return nil
        }
        return SCADetails(eventID: event, operationID: operation)
    }

    /// The challenge that was answered last, read anew.
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
        // What a hosted page or a code was, is no longer of use.
        challenge = nil
        expiresAt = now + Self.answerLifetime
    }
}

/// The consents of this wallet that were begun and not ended: a few, in the secure store, changed under a lock that other
/// processes share. Those of another session, and those that are over, are not seen, and go with the next change.
struct PendingConsents: Sendable {
    let store: any SecureStore
    let keeper: SessionKeeper
    private let key: SecureStoreKey
    private let lock: SecureStoreLock

    /// Somebody who begins a fifth has given the first up.
    static let most = 4

    private struct Pages: Codable {
        var version = 1
        var consents: [PendingConsent] = []
    }

    init(store: any SecureStore, keeper: SessionKeeper, namespace: String) {
        self.store = store
        self.keeper = keeper
        key = SecureStoreKey("\(namespace).sca")
        lock = SecureStoreLock("\(namespace).sca")
    }

    /// Those of whoever is signed in, the newest first.
    func all() async throws -> [PendingConsent] { Array(living(try await read()).reversed()) }

    /// Keeps one in the place of what was kept of its event.
    func keep(_ consent: PendingConsent) async throws {
        guard consent.request.isSmall else { return }
        try await change { consents in
            consents.removeAll { $0.eventID == consent.eventID }
            consents.append(consent)
            consents.removeFirst(max(0, consents.count - Self.most))
        }
    }

    /// Takes one out.
    func remove(_ eventID: String) async throws {
        try await change { $0.removeAll { $0.eventID == eventID } }
    }

    /// Takes all of them out: somebody signed out.
    func removeAll() async throws {
        try await store.withExclusiveLock(lock) { try await store.remove(key) }
    }

    private func change(_ body: @escaping @Sendable (inout [PendingConsent]) -> Void) async throws {
        // Carried through even when the caller is cancelled: half a note is none.
        try await Task { [self] in
            try await store.withExclusiveLock(lock) {
                let found = try await read()
                var consents = living(found)
                body(&consents)
                guard consents != found else { return }
                guard !consents.isEmpty else { return try await store.remove(key) }
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                try await store.put(try encoder.encode(Pages(consents: consents)), for: key)
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
        // What cannot be read cannot be gone on with either; the next change replaces it.
        guard let pages = try? JSONDecoder().decode(Pages.self, from: data), pages.version == 1 else { return [] }
        return pages.consents
    }
}

internal import Core
package import Logging
package import WalletAuthWire

/// The keys that clients publish at their `jwks_uri` (RFC 7591 §2), for `private_key_jwt`.
///
/// A set is kept for an hour. One request at a time fetches it. While it cannot be fetched, the former set goes on for a day, and a moment
/// passes between two attempts. An unknown `kid` causes a fetch at most once a minute for each client: anyone can invent one, and must not
/// make this server flood the client's.
package actor ClientKeySets {
    private struct Place: Hashable, Sendable {
        var client: ClientID
        var url: WebURL
    }

    private struct Entry {
        var kept: (keys: [any JWSVerifier], at: Timestamp)?
        /// The last fetch, whatever came of it.
        var triedAt: Timestamp?
        var fetch: Task<[any JWSVerifier]?, Never>?
    }

    private let http: ProviderHTTP
    private let environment: ServerSettings.Environment
    private let logger: Logger
    private var entries: [Place: Entry] = [:]

    private static let lifetime = Duration.hours(1)
    /// From the last time that the set was fetched: within it, the client may repair its endpoint.
    private static let longestUse = Duration.days(1)
    private static let failurePause = Duration.seconds(10)
    private static let unknownKeyPause = Duration.minutes(1)
    private static let longestSet = 64 * 1024
    /// A backend waits for its token.
    private static let timeout = Duration.seconds(5)
    /// More than any operator registers. At the limit, the cache is emptied.
    private static let capacity = 1024

    package init(http: ProviderHTTP, environment: ServerSettings.Environment, logger: Logger) {
        self.http = http
        self.environment = environment
        self.logger = logger
    }

    /// Verifies a client's assertion with the keys that it published, and once more with newly fetched ones if the key is unknown: the
    /// client may have rotated its keys since.
    func verified(
        _ assertion: CompactJWS, of client: ClientID, at url: WebURL, now: Timestamp
    ) async throws(ClientFault) -> VerifiedJWS {
        let place = Place(client: client, url: url)
        guard let known = await keys(at: place, now: now) else { throw .keysUnavailable }
        do throws(JOSEError) { return try assertion.verified(by: known) } catch {
            // Without a `kid`, the signature alone tells a new key.
            let isUnknown = error == .unknownKey || (assertion.header.keyID == nil && error == .invalidSignature)
            guard isUnknown, let new = await fetch(place, after: Self.unknownKeyPause, now: now) else {
                throw .assertion(error)
            }
            do throws(JOSEError) { return try assertion.verified(by: new) } catch { throw .assertion(error) }
        }
    }

    /// Fetches a set once, past the cache.
    /// - Throws: ``ProviderFailure`` if there are no keys to use, or `CancellationError`.
    package nonisolated func fetch(_ url: WebURL) async throws -> [any JWSVerifier] {
        // A redirect is no answer: whom it leads to, the operator has not named.
        let answer = try await http.answer(
            to: ProviderHTTP.Request(
                url: url.rawValue, headers: [("Accept", "application/jwk-set+json, application/json")],
                reach: .outside(to: url.host, in: environment), timeout: Self.timeout))
        guard answer.status == 200 else { throw ProviderFailure("the answer has status \(answer.status)") }
        guard answer.body.count <= Self.longestSet else { throw ProviderFailure("the answer is too long") }
        do {
            let keys = try RegisteredClient.verifiers(of: JWKSet(JSONValue.object(parsing: answer.body)))
            guard !keys.isEmpty else { throw ProviderFailure("no key in it can verify a signature") }
            return keys
        } catch JOSEError.keyNotAllowed(let reason) {
            throw ProviderFailure("a key \(reason)")
        } catch let failure as ProviderFailure {
            throw failure
        } catch {
            throw ProviderFailure("the answer is no JWK set")
        }
    }

    /// - Returns: `nil` if there are none that may be used.
    private func keys(at place: Place, now: Timestamp) async -> [any JWSVerifier]? {
        guard let entry = entries[place], let kept = entry.kept else {
            return await fetch(place, after: Self.failurePause, now: now)
        }
        if !now.isApart(from: kept.at, by: Self.lifetime) { return kept.keys }
        let former = now.isApart(from: kept.at, by: Self.longestUse) ? nil : kept.keys
        // One caller finds out whether there is a new set; the others need not wait for that.
        if let former, entry.fetch != nil { return former }
        return await fetch(place, after: Self.failurePause, now: now) ?? former
    }

    /// - Parameter pause: how long after the last fetch there is no other one.
    /// - Returns: `nil` if it failed, or came too early.
    private func fetch(_ place: Place, after pause: Duration, now: Timestamp) async -> [any JWSVerifier]? {
        if let running = entries[place]?.fetch { return await running.value }
        if let last = entries[place]?.triedAt, !now.isApart(from: last, by: pause) { return nil }
        if entries.count >= Self.capacity { entries = entries.filter { $0.value.fetch != nil } }
        let fetch = Task { await self.logged(place) }
        var entry = entries[place] ?? Entry()
        entry.triedAt = now
        entry.fetch = fetch
        entries[place] = entry
        let found = await fetch.value
        entries[place]?.fetch = nil
        if let found { entries[place]?.kept = (found, now) }
        return found
    }

    private nonisolated func logged(_ place: Place) async -> [any JWSVerifier]? {
        do {
            return try await fetch(place.url)
        } catch {
            let reason = (error as? ProviderFailure)?.reason ?? "\(error)"
            logger.warning(
                "the keys of a client cannot be read at its jwks_uri",
                metadata: ["client": .string(place.client.rawValue), "reason": .string(reason)])
            return nil
        }
    }
}

package import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The cookies of browser sessions: a browser that signed in may do so again without a prompt. The rows are those of
/// ``BrowserSessions``.
package struct BrowserSessionCookies: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The live session of a cookie; `nil` if there is none, or if it was opened with an account PIN that the brand no longer
    /// accepts.
    package func find(_ cookie: String?, now: Timestamp) async throws -> BrowserSessionRecord? {
        guard let hash = Self.hash(cookie) else { return nil }
        return try await context.database.read { connection in
            guard let session = try BrowserSessions.living(hash, now: now, on: connection),
                try Brands.take(session.methods, from: session.accountID, on: connection)
            else { return nil }
            return session
        }
    }

    /// Begins a session under a new id and ends the browser's old one: an id planted in the browser never becomes a signed-in
    /// one.
    /// - Returns: the cookie to set, and the time of the write; `nil` if the account has changed since the gate.
    func begin(
        _ admission: Admission, replacing old: String?, now: Timestamp
    ) async throws -> (cookie: CookieChange, at: Timestamp)? {
        let factors = admission.factors
        let value = Base64URL.encode(context.random.bytes(32))
        guard let hash = Self.hash(value) else { throw InvariantViolation() }
        let lifetime = context.settings.browserSessionLifetime
        let record = BrowserSessionRecord(
            idHash: hash, accountID: admission.account.id, securityVersion: factors.securityVersion,
            authTime: factors.authenticatedAt,
            acr: factors.acr, amr: factors.amr.joined(separator: " "), createdAt: now, expiresAt: now + lifetime)
        let oldHash = Self.hash(old)
        let begunAt = try await context.database.write { connection -> Timestamp? in
            if let oldHash { try BrowserSessions.end(oldHash, on: connection) }
            return try BrowserSessions.begin(record, on: connection) ? context.writeTime(since: now) : nil
        }
        return begunAt.map { (cookie: CookieChange(cookie: .session, value: value, lifetime: lifetime), at: $0) }
    }

    /// Ends the session of a cookie, if there is one.
    package func end(_ cookie: String?) async throws {
        guard let hash = Self.hash(cookie) else { return }
        try await context.database.write { _ = try BrowserSessions.end(hash, on: $0) }
    }

    private static func hash(_ cookie: String?) -> [UInt8]? {
        guard let cookie, let bytes = Base64URL.decode(cookie), bytes.count == 32 else { return nil }
        return Digests.of("browser-session", bytes)
    }
}

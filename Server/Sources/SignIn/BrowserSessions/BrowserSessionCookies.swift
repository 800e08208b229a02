package import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The cookies of browser sessions: a browser that signed in may do so again without a prompt. The rows are those of
/// ``BrowserSessions``.
package struct BrowserSessionCookies: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let lifetime: Duration
    let vault: SessionVault
    /// The sign-ins without a credential that a browser gets before it has to wait.
    let silentSignIns: Int64

    /// The live session of a cookie; `nil` if there is none, or if it was opened with an account PIN that the brand no longer
    /// accepts.
    package func find(_ cookie: String?, now: Timestamp) async throws -> BrowserSessionRecord? {
        guard let hash = Self.hash(cookie) else { return nil }
        return try await database.read { connection in
            guard let session = try BrowserSessions.living(hash, now: now, on: connection),
                try Brands.take(session.methods, from: session.accountID, on: connection)
            else { return nil }
            return session
        }
    }

    /// Begins a session under a new id and ends the browser's old one: an id planted in the browser never becomes a signed-in
    /// one.
    /// - Parameter origin: has what the browser says of itself.
    /// - Returns: the cookie to set, and the time of the write; `nil` if the account has changed since the gate.
    func begin(
        _ admission: Admission, from origin: RequestOrigin, replacing old: String?, now: Timestamp
    ) async throws -> (cookie: CookieChange, at: Timestamp)? {
        let factors = admission.factors
        let value = Base64URL.encode(random.bytes(32))
        guard let hash = Self.hash(value) else { throw InvariantViolation() }
        let record = BrowserSessionRecord(
            idHash: hash, accountID: admission.account.id, securityVersion: factors.securityVersion,
            authTime: factors.authenticatedAt,
            acr: factors.acr, amr: factors.amr.joined(separator: " "), createdAt: now, expiresAt: now + lifetime,
            kind: BrowserKind(origin), network: try network(of: origin, in: hash))
        let oldHash = Self.hash(old)
        let begunAt = try await database.write { connection -> Timestamp? in
            if let oldHash { try BrowserSessions.end(oldHash, on: connection) }
            return try BrowserSessions.begin(record, on: connection) ? clock.writeTime(since: now) : nil
        }
        return begunAt.map { (cookie: CookieChange(cookie: .session, value: value, lifetime: lifetime), at: $0) }
    }

    /// Adds a method that the person has proved since the session began. The session gets another id: a copy of the cookie from before is
    /// worth nothing from then on.
    /// - Parameter mark: of the form that proved it. Its second press gets the same cookie.
    func raise(
        _ session: BrowserSessionRecord, by method: String, mark: [UInt8], from origin: RequestOrigin, now: Timestamp
    ) async throws -> CookieChange {
        let value = try raisedCookie(of: session.idHash, mark: mark)
        guard let hash = Self.hash(value) else { throw InvariantViolation() }
        let network = try network(of: origin, in: hash)
        try await database.write {
            try BrowserSessions.raise(session, to: hash, by: method, from: network, on: $0)
        }
        return CookieChange(cookie: .session, value: value, lifetime: session.expiresAt - now)
    }

    /// The cookie that replaced another one when a form was pressed for the first time; `nil` if none did.
    func raised(_ cookie: String?, mark: [UInt8], now: Timestamp) async throws -> CookieChange? {
        guard let hash = Self.hash(cookie) else { return nil }
        let value = try raisedCookie(of: hash, mark: mark)
        guard let session = try await find(value, now: now) else { return nil }
        return CookieChange(cookie: .session, value: value, lifetime: session.expiresAt - now)
    }

    private func raisedCookie(of idHash: [UInt8], mark: [UInt8]) throws -> String {
        Base64URL.encode(
            Digests.keyed(
                "raised-browser-session", [Base64URL.encode(idHash), Base64URL.encode(mark)],
                key: try vault.sealing.keyRing.active(.attempts)))
    }

    /// Records a use that opens no session of an app.
    func use(_ session: BrowserSessionRecord, from origin: RequestOrigin, now: Timestamp) async throws {
        guard session.isUnrecorded(useAt: now) else { return }
        let network = try network(of: origin, in: session.idHash)
        try await database.write { try BrowserSessions.use(session.idHash, from: network, now: now, on: $0) }
    }

    private func network(of origin: RequestOrigin, in idHash: [UInt8]) throws -> [UInt8]? {
        try BrowserSessionRecord.publicID(of: idHash).flatMap {
            try vault.seal(networkOf: origin, .browser, of: $0)
        }
    }

    /// Ends the session of a cookie, if there is one.
    package func end(_ cookie: String?) async throws {
        guard Self.hash(cookie) != nil else { return }
        try await end(cookie) { _ in }
    }

    /// Ends the session of a cookie, if there is one, and what belongs to it, in one transaction.
    func end(_ cookie: String?, with change: @escaping @Sendable (any SQLConnection) throws -> Void) async throws {
        let hash = Self.hash(cookie)
        try await database.write { connection in
            if let hash { try BrowserSessions.end(hash, on: connection) }
            try change(connection)
        }
    }

    /// Counts a sign-in that a signed-in browser gets without a credential. Each is an entry of the audit log, and may become a session;
    /// an app that redirects in a circle would make a hundred of them a second.
    /// - Returns: the seconds to wait if there were too many; `nil` if it may go on.
    func countSilentSignIn(
        in session: BrowserSessionRecord, from origin: RequestOrigin, now: Timestamp
    ) async throws -> Int64? {
        let limits = [
            // After the free ones, an app that renews silently every ten seconds still can.
            AttemptLimit(
                Digests.of("silent-sign-ins", session.idHash),
                under: AttemptPolicy(
                    free: silentSignIns, afterwards: .delay(first: .seconds(10), longest: .seconds(10)),
                    forgottenAfter: .minutes(10))),
            // Of all browsers of an account: each sign-in by password begins another, with its own free ones.
            AttemptLimit(
                Digests.of("silent-sign-ins-of-account", session.accountID.bytes),
                under: AttemptPolicy(
                    free: silentSignIns * 10, afterwards: .delay(first: .seconds(1), longest: .seconds(1)),
                    forgottenAfter: .minutes(10))),
        ]
        let network = try session.isUnrecorded(useAt: now) ? network(of: origin, in: session.idHash) : nil
        return try await database.write { connection in
            for limit in limits {
                if case .refuse(let until) = try Attempts.count(
                    limit.subject, under: limit.policy, now: now, on: connection)
                {
                    return RetryAfter.seconds(until: until, now: now)
                }
            }
            if session.isUnrecorded(useAt: now) {
                try BrowserSessions.use(session.idHash, from: network, now: now, on: connection)
            }
            return nil
        }
    }

    private static func hash(_ cookie: String?) -> [UInt8]? {
        guard let cookie, let bytes = Base64URL.decode(cookie), bytes.count == 32 else { return nil }
        return Digests.of("browser-session", bytes)
    }
}

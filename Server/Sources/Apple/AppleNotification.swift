package import Core
package import Store
internal import WalletAuthWire

/// A notification about a person, signed by Apple.
struct AppleNotification: Sendable {
    enum Event: String, Sendable {
        /// The person stopped using Sign in with Apple for the app.
        case consentRevoked = "consent-revoked"
        /// The person deleted their Apple account.
        case accountDeleted = "account-deleted"
        /// The relay no longer delivers mail to the person.
        case emailDisabled = "email-disabled"
        /// The relay delivers mail again.
        case emailEnabled = "email-enabled"

        init?(apple text: String) {
            // Apple's documentation has both spellings.
            self.init(rawValue: text == "account-delete" ? "account-deleted" : text)
        }
    }

    /// The notification's own ID, for the detection of copies.
    let id: String
    /// The clients that it is for.
    let audience: [String]
    /// `nil` for a kind that this program does not know yet.
    let event: Event?
    /// The person's identifier within the team.
    let subject: String
    /// When the event happened.
    let happenedAt: Timestamp
    let expiresAt: Timestamp

    static let leeway = Duration.seconds(60)
    /// Each notification is remembered until it expires, so the lifetime has a limit.
    private static let longestLifetime = Duration.days(400)

    /// Reads verified claims.
    /// - Parameters:
    ///   - issuer: the required issuer.
    ///   - clientIDs: the audience must contain one of them.
    /// - Throws: ``JOSEError`` for a wrong claim, `MalformedValue` for an unreadable one.
    init(_ claims: JWTClaims, issuer: String, clientIDs: [String], now: Timestamp) throws {
        let date = NumericDate(clamping: now.seconds)
        try claims.validate(
            JWTRules(
                issuer: issuer, audiences: clientIDs, leeway: Self.leeway, maximumLifetime: Self.longestLifetime),
            now: date)
        _ = try claims.requiredDate("iat")
        let expiry = try claims.requiredDate("exp")
        expiresAt = Timestamp(seconds: expiry.secondsSince1970) + Self.leeway
        id = try claims.string("jti")
        guard (1...255).contains(id.utf8.count) else { throw JOSEError.claim(name: "jti", .malformed) }
        audience = claims.audience ?? []
        // JSON within a string.
        let events = try JSONValue.object(parsing: Array(claims.string("events").utf8))
        event = Event(apple: try events.required("type", events.string("type")))
        subject = try events.required("sub", events.string("sub"))
        let time = try events.required("event_time", events.integer("event_time"))
        happenedAt = min(Self.time(time), now)
    }

    /// Apple's documentation shows seconds; its notifications have milliseconds.
    private static func time(_ value: Int64) -> Timestamp {
        value < 100_000_000_000 ? Timestamp(seconds: value) : Timestamp(milliseconds: value)
    }
}

/// Remembers Apple's notifications. It owns the `apple_notifications` table.
package enum AppleNotifications {
    /// Remembers a notification, in the write that applies it. Of several callers with the same one, exactly one gets
    /// `true`.
    /// - Parameters:
    ///   - digest: over its issuer and `jti`.
    ///   - expiresAt: the time until which it would be accepted; the row is deleted afterwards.
    package static func remember(
        _ digest: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "INSERT INTO apple_notifications (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.blob(digest), .time(expiresAt)]) == 1
    }
}

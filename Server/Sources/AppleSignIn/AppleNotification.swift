internal import AuthCore
internal import AuthFlows
internal import WalletAuthWire

/// A message of Apple's about a person, read from what Apple signed.
struct AppleNotification: Sendable {
    /// What happened.
    enum Event: String, Sendable {
        /// The person stopped using their account at Apple with the app.
        case consentRevoked = "consent-revoked"
        /// The person's account at Apple is gone.
        case accountDeleted = "account-deleted"
        /// Mail to the relay address arrives no more.
        case emailDisabled = "email-disabled"
        /// It arrives again.
        case emailEnabled = "email-enabled"

        init?(apple text: String) {
            // Apple's pages have both spellings.
            self.init(rawValue: text == "account-delete" ? "account-deleted" : text)
        }
    }

    /// What names the notification: of several copies one is taken.
    let id: String
    /// The clients that it is for.
    let audience: [String]
    /// `nil` for a kind that came after this program.
    let event: Event?
    /// The person within the team.
    let subject: String
    /// When it happened.
    let happenedAt: Timestamp
    /// Until when the message is taken.
    let expiresAt: Timestamp

    static let leeway = Duration.seconds(60)
    /// A message that would be taken for longer would have to be remembered for as long.
    private static let longestLifetime = Duration.days(400)

    /// Reads claims whose signature was verified.
    /// - Parameters:
    ///   - claims: the message's.
    ///   - issuer: who has to have sent it.
    ///   - clientIDs: one of them has to be in the audience.
    ///   - now: the present.
    /// - Throws: ``JOSEError`` for a claim that does not hold, `MalformedValue` for one that cannot be read.
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
        // A text that holds the JSON, not the JSON itself.
        let events = try JSONValue.object(parsing: Array(claims.string("events").utf8))
        event = Event(apple: try events.required("type", events.string("type")))
        subject = try events.required("sub", events.string("sub"))
        let time = try events.required("event_time", events.integer("event_time"))
        happenedAt = min(Self.time(time), now)
    }

    /// Apple's pages show seconds, its messages milliseconds.
    private static func time(_ value: Int64) -> Timestamp {
        value < 100_000_000_000 ? Timestamp(seconds: value) : Timestamp(milliseconds: value)
    }
}

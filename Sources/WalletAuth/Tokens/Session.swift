import Foundation
import WalletAuthWire

/// Marks one session among all that ever were on this device: a new one with each sign-in and each sign-out. Whatever
/// takes long carries the generation it was begun in, and is void when that is over.
struct SessionGeneration: Hashable, Sendable, Codable {
    private let text: String

    static func new() -> SessionGeneration { SessionGeneration(text: Randomness.token()) }

    private init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Somebody's session: what the store keeps between the runs of an app.
struct Session: Hashable, Sendable, Codable {
    var owner: TokenOwner
    var scopes: [String]
    var accessToken: AccessToken
    var tokenType: TokenType
    var life: TokenLife
    var refreshToken: RefreshToken?
    /// The thumbprint of the key the tokens are bound to; nil for bearer tokens.
    var keyThumbprint: JWKThumbprint?
    var renewal: Renewal
    /// Apple's identifier for the person, where Sign in with Apple opened the session; nil for every other one, and in what
    /// former versions kept.
    var appleUser: String?
    /// How many renewals in a row the server answered with something that is neither tokens nor a reason. Nil for none.
    var unexplainedAnswers: Int?
    /// Whether the refresh token came with an answer that did not let itself be told whose it is. Then the next answer is taken
    /// only where it names the session's person. Nil for no.
    var isRefreshTokenUnjudged: Bool?

    /// How far a renewal has come.
    enum Renewal: Hashable, Sendable, Codable {
        case idle
        /// A refresh request with this attempt may have reached the server. Until its answer is stored, every refresh
        /// repeats the attempt, so that the server answers the same successor.
        case begun(RefreshAttempt)
    }
}

/// Whose a token is.
struct TokenOwner: Hashable, Sendable, Codable {
    var subject: String?
    var merchantID: String?
    var sessionID: String?
}

/// When an access token was issued and ends, by the server's clock. `lifetime` bounds what a clock that was moved
/// between two runs of the app can make of it.
struct TokenLife: Hashable, Sendable, Codable {
    var endsAt: Instant?
    var lifetime: Duration?

    static let unknown = TokenLife(endsAt: nil, lifetime: nil)

    init(endsAt: Instant?, lifetime: Duration?) {
        self.endsAt = endsAt
        self.lifetime = lifetime
    }

    init(issuedAt: Instant, lifetime: Duration) {
        endsAt = issuedAt + lifetime
        self.lifetime = lifetime
    }

    /// What is left at `now`; nil where the server never said.
    func remaining(at now: Instant) -> Duration? {
        guard let endsAt else { return nil }
        let left = endsAt - now
        return lifetime.map { min(left, $0) } ?? left
    }
}

/// A moment on the server's clock, in milliseconds since 1970.
struct Instant: Hashable, Sendable, Codable, Comparable {
    var milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }
    init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    var seconds: Int64 { milliseconds / 1000 }

    static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    static func - (a: Instant, b: Instant) -> Duration { .milliseconds(a.milliseconds - b.milliseconds) }
    static func + (a: Instant, b: Duration) -> Instant { Instant(milliseconds: a.milliseconds + b.milliseconds) }
    static func - (a: Instant, b: Duration) -> Instant { Instant(milliseconds: a.milliseconds - b.milliseconds) }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }
    var inSeconds: Double { Double(milliseconds) / 1000 }
}

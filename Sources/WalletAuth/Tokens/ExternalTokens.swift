import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sessions whose token the app, or its backend, obtains and renews. They live in memory only,
/// until a sign-out has their revocation wait in the store.
final class ExternalTokens: Sendable {
    private let keeper: SessionKeeper
    private let discovery: ServerDiscovery
    private let exchange: Exchange
    private let binding: DeviceBinding
    private let destinations: TokenDestinations
    private let time: any TimeSource
    private let warning = LockedValue<Task<Void, Never>?>(nil)

    init(
        keeper: SessionKeeper, discovery: ServerDiscovery, exchange: Exchange, binding: DeviceBinding,
        destinations: TokenDestinations, time: any TimeSource
    ) {
        self.keeper = keeper
        self.discovery = discovery
        self.exchange = exchange
        self.binding = binding
        self.destinations = destinations
        self.time = time
    }

    deinit { warning.withLock { $0?.cancel() } }

    /// Begins a session with `token` and signs out the former one.
    func begin(_ token: String, expiresAt: Date?) async throws {
        let session = try await session(token, expiresAt: expiresAt, from: .app)
        // Otherwise a stored session would return at the next start.
        let record = try await keeper.change { record in
            record.signOut(.replacedByAnotherSignIn)
            return record.generation
        }
        guard keeper.hold(session, record: record) else {
            throw WalletError.signedOut(keeper.snapshot.supersededReason, .authenticate)
        }
        warn(of: session)
    }

    /// Renews the session's token, for the same person and merchant only. If no one is signed in, it begins a session,
    /// because the app itself asked for it.
    func update(_ token: String, expiresAt: Date?) async throws {
        guard let holding = keeper.snapshot.holding else { return try await begin(token, expiresAt: expiresAt) }
        guard case .external = holding.origin else {
            throw WalletError(
                .wrongSignInMode, .misconfigured, during: .authenticate,
                reason: "the SDK renews this session itself")
        }
        try await renew(holding, with: token, expiresAt: expiresAt, from: .app)
    }

    /// Renews the session with a token from a URL. Any web page can open the app with one, so it never begins a
    /// session: the person would end up in the wallet of the page's author.
    func updateByURL(_ token: String) async throws {
        guard let holding = keeper.snapshot.holding, case .external = holding.origin else {
            throw WalletError(
                .tokenInCallback, .refused, during: .signIn,
                reason: "a token in a URL only renews a session whose token the app supplied; if the app itself asked"
                    + " for this one, pass it to authenticate(accessToken:) or updateToken(_:)")
        }
        try await renew(holding, with: token, expiresAt: nil, from: .url)
    }

    /// Where a token comes from.
    private enum Source {
        /// The app vouches for it.
        case app
        /// Any web page may have opened it.
        case url
    }

    private func renew(
        _ holding: LiveSession.Holding, with token: String, expiresAt: Date?, from source: Source
    ) async throws {
        // Checked first: no answer of the server about the new token could make it the same person's.
        guard let subject = holding.session.owner.subject else {
            throw WalletError(
                .tokenOwnerUnknown, .refused, during: .authenticate,
                reason: "the session's owner is unknown; begin one with authenticate(accessToken:)")
        }
        let renewed = try await session(token, expiresAt: expiresAt, from: source)
        try check(renewed.owner, against: subject, merchantID: holding.session.owner.merchantID)
        // The session may have changed while the server was asked.
        guard keeper.renew(holding, with: renewed) else {
            throw WalletError.signedOut(keeper.snapshot.supersededReason, .authenticate)
        }
        warn(of: renewed)
    }

    private func check(_ new: TokenOwner, against subject: String, merchantID: String?) throws {
        func refuse(_ code: WalletError.Code, _ reason: String) -> WalletError {
            WalletError(code, .refused, during: .authenticate, reason: reason)
        }
        guard let newSubject = new.subject else {
            throw refuse(.tokenOwnerUnknown, "the server did not confirm the token's owner")
        }
        guard newSubject == subject else { throw refuse(.anotherPerson, "the token is another person's") }
        guard new.merchantID == merchantID else { throw refuse(.anotherMerchant, "the token is another merchant's") }
    }

    private func session(_ text: String, expiresAt: Date?, from source: Source) async throws -> Session {
        let token: AccessToken
        do { token = try AccessToken(text) } catch {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: .authenticate, reason: "the token is malformed: \(error)"
            )
        }
        let claims = UnverifiedClaims(text)
        var owner = TokenOwner(merchantID: nil)
        owner.complete(from: claims)
        var key: BoundKey?
        if let thumbprint = claims?.keyThumbprint {
            key = try await binding.key(thumbprint: thumbprint)
            guard key != nil else {
                throw WalletError(
                    .tokenBoundElsewhere, .refused, during: .authenticate,
                    reason: "the token is bound to another device's key")
            }
        }
        if source == .url || owner.subject == nil {
            owner = try await self.owner(of: token, boundTo: key, claiming: owner, from: source)
        }
        let endsAt = expiresAt.map { Instant($0) } ?? claims?.expiresAt
        return Session(
            owner: owner,
            scopes: (claims?.claims.object["scope"]?.string).map { $0.split(separator: " ").map(String.init) } ?? [],
            accessToken: token, tokenType: key == nil ? .bearer : .dpop,
            life: TokenLifetime(endsAt: endsAt, lifetime: endsAt.map { $0 - keeper.clock.now }), refreshToken: nil,
            keyThumbprint: key?.thumbprint, renewal: .idle)
    }

    /// Asks the server who owns a token.
    ///
    /// Anyone can write the claims of a JWT. From a URL they count only if the server knows the token: otherwise a web page
    /// could replace a good token by one that opens nothing.
    /// - Parameter claimed: the owner by the token's own claims.
    private func owner(
        of token: AccessToken, boundTo key: BoundKey?, claiming claimed: TokenOwner, from source: Source
    ) async throws -> TokenOwner {
        let unknown = TokenOwner(merchantID: nil)
        guard let url = try await discovery.metadata().userInfoURL, destinations.allows(url, isBound: key != nil) else {
            return source == .app ? claimed : unknown
        }
        let answer = try await exchange.send(
            HTTPRequest(url, method: "GET"), token: token, proof: key, policy: .idempotent)
        if answer.isSuccess {
            let info = try UserInfo(try answer.object())
            guard let subject = claimed.subject else {
                return TokenOwner(subject: info.subject, merchantID: info.claims["merchant_id"]?.string)
            }
            return subject == info.subject ? claimed : unknown
        }
        if answer.isTemporaryFailure { throw answer.failure(during: .authenticate) }
        // The server has verified the token first (RFC 6750 §3.1).
        let said = OAuthError(wwwAuthenticate: answer.headers.values("WWW-Authenticate"))
        return source == .app || said?.code == .insufficientScope ? claimed : unknown
    }

    /// Tells the app in time to supply another token: after four fifths of its life, at most a minute before the end.
    private func warn(of session: Session) {
        let task: Task<Void, Never>?
        if let endsAt = session.life.endsAt {
            let remaining = endsAt - keeper.clock.now
            let lead = min(.seconds(60), remaining / 5)
            task = Task { [weak keeper, time] in
                guard (try? await time.sleep(for: max(.zero, remaining - lead))) != nil, !Task.isCancelled else {
                    return
                }
                keeper?.tellExpiring(session.accessToken, endsAt.date)
            }
        } else {
            task = nil
        }
        warning.withLock { former in
            former?.cancel()
            former = task
        }
    }
}

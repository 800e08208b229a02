internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// Who calls `/admin/v1` with a verified token, or uses the console. Whether they have a role is read from the database with each call.
struct OperatorCaller: Sendable {
    enum Identity: Sendable, Hashable {
        case person(UniqueID)
        case backend(ClientID)
    }

    let identity: Identity
    /// The client that has the token.
    let clientID: ClientID
    let origin: RequestOrigin
    let now: Timestamp
    /// Why the sign-in does not suffice; `nil` if it does.
    let shortcoming: Shortcoming?

    enum Shortcoming: Sendable, Hashable {
        case strongerSignIn
        /// After a recovery by message, for so many seconds.
        case cooling(retryAfter: Int64)
    }

    /// The greatest age of a sign-in.
    static let freshness = Duration.minutes(10)

    /// The caller's role now; `nil` if there is none.
    /// - Parameter restoredAt: when the database was last restored. The copy may have a role that a backend has lost since, so a
    ///   registration counts again once an operator has changed it after that.
    func grant(restoredAt: Timestamp?, on connection: any SQLConnection) throws -> OperatorGrant? {
        switch identity {
        case .person(let account): return try Operators.active(account, on: connection)
        case .backend(let id):
            guard let record = try Clients.find(id.rawValue, on: connection) else { return nil }
            if let restoredAt, record.updatedAt <= restoredAt { return nil }
            return try RegisteredClient(record).adminGrant
        }
    }
}

extension OperatorCaller {
    /// A person in an app of the operator's own, signed in with two factors minutes ago.
    fileprivate init(_ call: AppCaller) {
        self.init(
            identity: .person(call.account.id), clientID: call.client.id, origin: call.origin, now: call.now,
            shortcoming: Self.shortcoming(
                cooling: call.account.cooling(at: call.now), methods: call.settledMethods,
                since: call.session.facts.authTime, now: call.now))
    }

    /// - Parameters:
    ///   - cooling: the seconds left of the cooling period after a recovery; `nil` for none.
    ///   - methods: those of the sign-in that count.
    ///   - since: the time of the sign-in.
    static func shortcoming(
        cooling: Int64?, methods: [String], since authTime: Timestamp, now: Timestamp
    ) -> Shortcoming? {
        // First the cooling period, which no sign-in changes.
        if let cooling { return .cooling(retryAfter: cooling) }
        let isStrong = AuthenticationStrength.acr(of: methods) == AuthenticationStrength.twoFactors
        let isFresh = now < authTime + freshness
        return isStrong && isFresh ? nil : .strongerSignIn
    }
}

extension Callers {
    /// Authenticates a call to `/admin/v1`: by a person's token or a backend's own, with the scope `admin` and bound to a key.
    /// - Throws: `OAuthRefusal` for an invalid token, proof, client or scope.
    func administrator(_ presented: PresentedCredentials) async throws -> OperatorCaller {
        let now = clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        let claims = try await accessTokens.claimsForThisServer(of: authorization.token, now: now)
        guard claims.keyThumbprint != nil else { throw OAuthRefusal.unusableToken(.bindingRequired) }
        guard claims.sessionID != nil else {
            let call = try await backend(presented, scope: Operators.scope)
            // A secret may have been copied from anywhere.
            guard call.client.method == .privateKeyJWT else { throw OAuthRefusal.unauthorizedClient }
            return OperatorCaller(
                identity: .backend(call.client.id), clientID: call.client.id, origin: call.origin, now: call.now,
                shortcoming: nil)
        }
        let call = try await app(presented)
        guard claims.scope.contains(Operators.scope), call.client.scope.contains(Operators.scope) else {
            throw OAuthRefusal.insufficientScope(Operators.scope)
        }
        return OperatorCaller(call)
    }
}

extension CallerRequirement where Admitted == OperatorCaller {
    /// An operator, or a backend with a role.
    static var administrator: Self {
        Self(callers: [.administrator]) { request, callers in try await callers.administrator(request.credentials()) }
    }
}

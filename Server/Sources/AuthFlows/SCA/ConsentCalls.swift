internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// A call by an app on behalf of a person who is to agree to something, its token and session checked against the database.
struct ConsentCall: Sendable {
    let account: AccountRecord
    let session: SessionRecord
    /// The enrolled device that the session is opened on.
    let device: DeviceRecord?
    let client: RegisteredClient
    /// The key that the session was opened with; `nil` for a session whose code a partner's backend redeemed.
    let thumbprint: JWKThumbprint?
    let origin: RequestOrigin
    let now: Timestamp

    /// The methods by which the session's person signed in.
    var methods: [String] { session.facts.methods }
}

/// Lets an app's call in to what a person agrees to.
///
/// The app proves the key that its session was opened with. Where a partner's backend redeemed the code in the app's place, the
/// app has no key, and a bearer token is taken: it agrees by codes and pages, and by no key of a device.
struct ConsentCalls: Sendable {
    let context: ServerContext

    /// Checks a call.
    func check(_ presented: PresentedCall) async throws -> Result<ConsentCall, OAuthRefusal> {
        try await check(presented) { _, _, _ in }.map { call, _ in call }
    }

    /// Checks a call, and finds what it is about in the same read: another would be another change of threads.
    /// - Parameters:
    ///   - presented: the call.
    ///   - find: given the session and its account, before either is known to be let in.
    func check<Found: Sendable>(
        _ presented: PresentedCall,
        finding find: @escaping @Sendable (SessionRecord, AccountRecord, any SQLConnection) throws -> Found
    ) async throws -> Result<(ConsentCall, Found), OAuthRefusal> {
        let now = context.clock.now()
        guard let authorization = presented.authorization else { return .failure(.invalidToken) }
        guard let claims = try await AccessTokenCheck(context: context).claims(of: authorization.token, now: now),
            claims.audience.contains(context.settings.issuer.rawValue), let sessionID = claims.sessionID,
            let id = UniqueID(bytes: sessionID.bytes)
        else { return .failure(.invalidToken) }
        let proof: CheckedProof?
        switch TokenPossession(context: context).check(authorization, claims, proof: presented.proof, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let checked): proof = checked
        }
        let found = try await context.database.lookUp {
            connection -> (SessionRecord, AccountRecord, DeviceRecord?, Found)? in
            guard let session = try Sessions.living(id, now: now, on: connection),
                let account = try Accounts.find(session.facts.accountID, on: connection)
            else { return nil }
            let device = try session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
            return (session, account, device, try find(session, account, connection))
        }
        guard let (session, account, device, subject) = found, account.state == .active else {
            return .failure(.invalidToken)
        }
        let key = proof?.thumbprint
        let app: ClientID
        if let signedInTo = session.facts.grantedTo {
            // A redeemer's token ends with the redeemer, as any client's does.
            guard try await context.clients.find(claims.clientID, now: now) != nil else {
                return .failure(.invalidToken)
            }
            app = try ClientID(signedInTo)
        } else {
            guard let key, session.facts.isBound(to: key) else { return .failure(.invalidToken) }
            app = claims.clientID
        }
        guard let client = try await context.clients.find(app, now: now), client.isFirstParty else {
            return .failure(.unauthorizedClient)
        }
        let call = ConsentCall(
            account: account, session: session, device: device, client: client,
            thumbprint: session.facts.grantedTo == nil ? key : nil, origin: presented.origin, now: now)
        return .success((call, subject))
    }
}

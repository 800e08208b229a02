internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// An app that calls on behalf of a person who is to agree to something, its token and session checked against the database.
struct ConsentingApp: Sendable {
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

/// The same with the event that it calls about.
package struct EventCaller: Sendable {
    let call: ConsentingApp
    /// The event's operation; `nil` where the session has no such event.
    let operation: WalletOperationRecord?
}

extension Callers {
    /// Lets an app's call in to what a person agrees to.
    ///
    /// The app proves the key that its session was opened with. Where a partner's backend redeemed the code in the app's place, the
    /// app has no key, and a bearer token is taken: it agrees by codes and pages, and by no key of a device.
    /// - Parameters:
    ///   - presented: as the edge read it.
    ///   - event: what the call is about, found in the same read: another would be another change of threads. `nil` where the
    ///     request does not say it.
    /// - Throws: `OAuthRefusal` where token, proof, client or session are not all as they must be; infrastructure errors.
    package func consentingApp(
        _ presented: PresentedCredentials, about event: (id: SCAEventID, operation: WalletOperationID)?
    ) async throws -> EventCaller {
        let now = context.clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        guard let claims = try await AccessTokenCheck(context: context).claims(of: authorization.token, now: now),
            claims.audience.contains(context.settings.issuer.rawValue), let sessionID = claims.sessionID,
            let id = UniqueID(bytes: sessionID.bytes)
        else { throw OAuthRefusal.invalidToken }
        let key = try TokenPossession(context: context)
            .check(authorization, claims, proof: presented.proof, now: now).get()?.thumbprint
        let events = ConsentEvents(context: context)
        let found = try await context.database.lookUp {
            connection -> (SessionRecord, AccountRecord, DeviceRecord?, WalletOperationRecord?)? in
            guard let session = try Sessions.living(id, now: now, on: connection),
                let account = try Accounts.find(session.facts.accountID, on: connection)
            else { return nil }
            let device = try session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
            let operation = try event.flatMap { try events.find($0.id, $0.operation, of: session, on: connection) }
            return (session, account, device, operation)
        }
        guard let (session, account, device, operation) = found, account.state == .active else {
            throw OAuthRefusal.invalidToken
        }
        let app: ClientID
        if let signedInTo = session.facts.grantedTo {
            // A redeemer's token ends with the redeemer, as any client's does.
            guard try await context.clients.find(claims.clientID, now: now) != nil else {
                throw OAuthRefusal.invalidToken
            }
            app = try ClientID(signedInTo)
        } else {
            guard let key, session.facts.isBound(to: key) else { throw OAuthRefusal.invalidToken }
            app = claims.clientID
        }
        guard let client = try await context.clients.find(app, now: now), client.isFirstParty else {
            throw OAuthRefusal.unauthorizedClient
        }
        let call = ConsentingApp(
            account: account, session: session, device: device, client: client,
            thumbprint: session.facts.grantedTo == nil ? key : nil, origin: presented.origin, now: now)
        return EventCaller(call: call, operation: operation)
    }
}

internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire
internal import Web

/// An app that calls for a person who has to consent, with its token and session checked against the database.
package struct ConsentingApp: Sendable {
    let account: AccountRecord
    let session: SessionRecord
    /// The enrolled device of the session.
    let device: DeviceRecord?
    let client: RegisteredClient
    /// The key of the session; `nil` if a partner's backend redeemed its code.
    let thumbprint: JWKThumbprint?
    let origin: RequestOrigin
    let now: Timestamp
    /// The operation that the call is about, with its SCA event; `nil` if the session has no such event.
    let operation: WalletOperationRecord?
}

extension Callers {
    /// Authenticates an app's call about a consent.
    ///
    /// The app proves the key that its session was opened with. If a partner's backend redeemed the code, the app has no key, and a
    /// bearer token is accepted: such an app consents through codes and pages, never with a device's key.
    /// - Parameter event: the event of the call, read in the same transaction to save another thread hop; `nil` if the request names
    ///   none.
    /// - Throws: `OAuthRefusal` for an invalid token, proof, client or session.
    package func consentingApp(
        _ presented: PresentedCredentials, about event: (id: SCAEventID, operation: WalletOperationID)?
    ) async throws -> ConsentingApp {
        let now = clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        let claims = try await accessTokens.claimsForThisServer(of: authorization.token, now: now)
        guard let sessionID = claims.sessionID, let id = UniqueID(bytes: sessionID.bytes) else {
            throw OAuthRefusal.unusableToken(.ofClient)
        }
        let key = try await accessTokens.possession(
            of: authorization, claims, proof: presented.proof, now: now
        ).get()?.thumbprint
        let found = try await database.read {
            connection -> (SessionRecord, AccountRecord, DeviceRecord?, WalletOperationRecord?)? in
            guard let session = try Sessions.living(id, now: now, on: connection),
                let account = try Accounts.find(session.facts.accountID, on: connection)
            else { return nil }
            let device = try session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
            let operation = try event.flatMap {
                try WalletOperations.find($0.id, $0.operation, of: session, on: connection)
            }
            return (session, account, device, operation)
        }
        guard let (session, account, device, operation) = found, account.state == .active else {
            throw OAuthRefusal.unusableToken(.ended)
        }
        guard session.facts.belongs(to: claims) else { throw OAuthRefusal.invalidToken }
        let app: ClientID
        if let signedInTo = session.facts.grantedTo {
            // A redeemer's token becomes invalid when the redeemer is removed, like any client's.
            guard try await clients.find(claims.clientID, now: now) != nil else {
                throw OAuthRefusal.unusableToken(.ended)
            }
            app = try ClientID(signedInTo)
        } else {
            guard let key else { throw OAuthRefusal.unusableToken(.bindingRequired) }
            guard session.facts.isBound(to: key) else { throw OAuthRefusal.unusableToken(.otherSessionKey) }
            app = claims.clientID
        }
        guard let client = try await clients.find(app, now: now), client.isFirstParty else {
            throw OAuthRefusal.unauthorizedClient
        }
        return ConsentingApp(
            account: account, session: session, device: device, client: client,
            thumbprint: session.facts.grantedTo == nil ? key : nil, origin: presented.origin, now: now,
            operation: operation)
    }
}

/// The content of an app's request about an SCA event. It names the operation.
protocol EventContent: Sendable {
    var operationID: WalletOperationID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

/// A request from an app in which a person approves an operation.
struct EventRequest<Content: EventContent>: Sendable {
    let call: ConsentingApp
    let content: Content
}

extension CallerRequirement {
    /// An app in which a person approves an operation. The check also looks up the event.
    static func consentingApp<Content: EventContent>(
        _ content: Content.Type
    ) -> Self where Admitted == EventRequest<Content> {
        Self(callers: [.consentingApp]) { request, callers in
            let credentials = try request.credentials()
            let parsed = Result {
                (content: try Content(request.json()), id: try request.pathValue(as: SCAEventID.self))
            }
            let event = try? parsed.get()
            let call = try await callers.consentingApp(
                credentials, about: event.map { (id: $0.id, operation: $0.content.operationID) })
            return EventRequest(call: call, content: try parsed.get().content)
        }
    }
}

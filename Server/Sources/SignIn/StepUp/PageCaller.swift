internal import Core
internal import Kernel
internal import Store

/// A call from the account's page, by a browser session that began with a sign-in on that page.
///
/// A cookie proves only an earlier sign-in, and it can be copied. What allows a change is the sealed mark in the page's form,
/// which is served only at the address to which the last step of a sign-in led, or a later form of that page. The cookie names
/// the session, whose age and strength then count as for a token's session.
struct PageCaller: FactorCaller {
    let account: AccountRecord
    let session: BrowserSessionRecord
    /// Remembered once the page has changed something.
    let pageDigest: [UInt8]
    let formMark: [UInt8]?
    let sessionID: UniqueID
    /// End of the cooling period of a restored identity that the session may have used; `nil` for none.
    let identityCooling: Timestamp?
    let settledMethods: [String]
    let origin: RequestOrigin
    let now: Timestamp

    /// - Returns: `nil` unless the page follows the sign-in that began the session.
    init?(
        _ state: AccountPageState, person: SignedInPerson, origin: RequestOrigin, now: Timestamp
    ) {
        let (account, session) = (person.account, person.session)
        guard let proved = state.proved, proved == session.idHash, account.id == session.accountID,
            let id = session.publicID
        else { return nil }
        self.account = account
        self.session = session
        identityCooling = person.identityCooling
        settledMethods = person.settledMethods
        pageDigest = Digests.of("account-page", state.mark)
        formMark = state.mark
        sessionID = id
        self.origin = origin
        self.now = now
    }

    var authTime: Timestamp { session.authTime }
    var methods: [String] { session.methods }
    var clientID: String { AccountPageClient.id }

    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        guard try BrowserSessions.living(session.idHash, now: now, on: connection) != nil else {
            return .accountChanged
        }
        guard try SeenJTIs.remember(pageDigest, until: now + PageState.lifetime, on: connection) else {
            return .unauthorized(.invalidToken)
        }
        return nil
    }

    func isRepeated(on connection: any SQLConnection) throws -> Bool {
        try SeenJTIs.contains(pageDigest, now: now, on: connection)
    }
}

/// The signed-in person, according to the cookie.
struct SignedInPerson: Sendable {
    var account: AccountRecord
    var session: BrowserSessionRecord
    /// End of the cooling period of an identity that a restore brought back, if the session may have used it.
    var identityCooling: Timestamp?
    /// Whether the session began with an account PIN that is still in its cooling period.
    var isByNewAccountPIN = false

    /// The methods that count for a change. A browser proves no device key, and neither a restored identity nor an account PIN counts
    /// during its cooling period.
    var settledMethods: [String] {
        guard !AuthenticationStrength.isCrossDevice(session.methods) else { return [] }
        var unsettled = AuthenticationStrength.deviceKeys
        if identityCooling != nil { unsettled.insert(AuthenticationStrength.provider) }
        if isByNewAccountPIN { unsettled.insert(AuthenticationStrength.pin) }
        return session.methods.filter { !unsettled.contains($0) }
    }
}

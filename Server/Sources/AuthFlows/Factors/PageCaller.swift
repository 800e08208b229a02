internal import AuthCore
internal import AuthStore

/// What the account page's form carries sealed beside the request.
struct AccountPageState: Codable, Sendable {
    /// What a sign-in on the page is for.
    enum Intent: String, Codable, Sendable {
        case look
        case authenticator
        case recoveryCodes
        case passkeys
        case pin
        case clientConsents
    }

    /// What follows the sign-in that the page asks for.
    var intent: Intent
    /// The browser session whose sign-in this page follows upon, by its hash; `nil` on a page that a cookie opened.
    var proved: [UInt8]?
    /// Names this one page: it makes one change.
    var mark: [UInt8]

    private enum CodingKeys: String, CodingKey {
        case intent = "wish"
        case proved
        case mark
    }
}

/// A call by the account's page, of a browser session that began with a sign-in on that very page.
///
/// A cookie is no proof of anything but an earlier sign-in, and whoever copies a browser's cookies has it. What lets a page
/// change something is the sealed mark in its form, which is served in answer to the last step of a sign-in and to nothing
/// else; the cookie names the session, whose age and strength then count as a token's session's do.
struct PageCaller: FactorCaller {
    let account: AccountRecord
    let session: BrowserSessionRecord
    /// Under which the page is remembered once it has changed something.
    let pageDigest: [UInt8]
    let sessionID: UniqueID
    /// Until when an identity that the session may have come by counts as new; `nil` where none does.
    let identityCooling: Timestamp?
    let origin: RequestOrigin
    let now: Timestamp

    /// - Returns: `nil` unless the page follows upon the sign-in that began the session.
    init?(
        _ state: AccountPageState, person: AccountInteraction.SignedIn, origin: RequestOrigin, now: Timestamp
    ) {
        let (account, session) = (person.account, person.session)
        guard let proved = state.proved, proved == session.idHash, account.id == session.accountID,
            let id = UniqueID(bytes: Digests.of("browser-session-id", session.idHash).prefix(16))
        else { return nil }
        self.account = account
        self.session = session
        identityCooling = person.identityCooling
        pageDigest = Digests.of("account-page", state.mark)
        sessionID = id
        self.origin = origin
        self.now = now
    }

    var authTime: Timestamp { session.authTime }
    var methods: [String] { session.methods }
    /// No device's key is among what a browser proves, and a restored identity does not count while it is new.
    var settledMethods: [String] {
        var unsettled = AuthenticationStrength.deviceKeys
        if identityCooling != nil { unsettled.insert(NativeSignIn.federatedMethod) }
        return methods.filter { !unsettled.contains($0) }
    }
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
}

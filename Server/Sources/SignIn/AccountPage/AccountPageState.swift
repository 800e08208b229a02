internal import Core

/// The account page's part of the sealed state.
package struct AccountPageState: Codable, Sendable {
    package enum Intent: Codable, Sendable, Hashable {
        case look
        case password
        /// With the path and query of a page of the operators' console, which it leads back to; `nil` for none.
        case authenticator(before: String?)
        case authenticatorRemoval
        case recoveryCodes
        case passkeys
        case pin
        case clientConsents
        case deviceRemoval(id: String)
        case sessionEnd(id: String)
        case otherSessionsEnd
        case own(OwnAccountPage.Intent)
        /// Go on to a page of the operators' console, at this path and query; with a proof of the sign-in, if its question needs one.
        case administration(String, before: ConsoleQuestion?)
        /// None: the state is that of a form of the console, and no page of the account follows from it.
        case administrationForm(ConsoleProof?)

        /// To set up an authenticator app from a page with this intent.
        var authenticator: Intent { if case .authenticator = self { self } else { .authenticator(before: nil) } }
    }

    /// Carried out after the sign-in that the page requires.
    package var intent: Intent
    /// The hash of the browser session whose sign-in led to this page; `nil` on a page opened with a cookie only.
    package var proved: [UInt8]?
    /// Identifies this page: it makes one change only.
    package var mark: [UInt8]
    /// What the page shows, for its address; `nil` for a step of the sign-in before it.
    var shown: ShownAccountPage?
}

/// What a page shows in answer to a form, as far as the account does not say it.
struct ShownAccountPage: Codable, Sendable {
    enum View: Codable, Sendable {
        case overview, password, authenticator, passkeys, pin, clientConsents
        case removal(AccountPage.Removal)
        case own(ShownOwnAccountPage)
        /// The codes follow from the mark of the page that made them.
        case recoveryCodes(mark: [UInt8], replacedOthers: Bool)
        /// No page of a signed-in person.
        case signedOut, notSignedIn, notPossibleHere, authenticatorNeeded, codeUndeliverable, welcomeOver
        /// The link is right: its page asks for a password.
        case welcome(OperatorWelcome.Link)
    }

    var view: View
    var notice: AccountPage.Notice?
    var at: Timestamp
}

/// A sign-in for the account's own page instead of an app.
struct AccountPageSignIn: Sendable {
    let page: AccountPageState
    let host: AccountPages
    /// Whether the person has just set a new password by a recovery.
    var isRecovered = false
}

extension ShownAccountPage.View {
    /// - Parameter mark: of the page whose button led to the step.
    init(_ step: AccountPage.Step, by mark: [UInt8]) {
        self =
            switch step {
            case .overview: .overview
            case .password: .password
            case .removal(let removal): .removal(removal)
            case .authenticator: .authenticator
            case .recoveryCodes(_, let replacedOthers): .recoveryCodes(mark: mark, replacedOthers: replacedOthers)
            case .passkeys: .passkeys
            case .pin: .pin
            case .clientConsents: .clientConsents
            case .own(let step): .own(ShownOwnAccountPage(step))
            case .signedOut: .signedOut
            case .notSignedIn: .notSignedIn
            case .notPossibleHere: .notPossibleHere
            case .authenticatorNeeded: .authenticatorNeeded
            case .codeUndeliverable: .codeUndeliverable
            case .welcome(_, let link): .welcome(link)
            case .welcomeOver: .welcomeOver
            }
    }

    /// A page that needs no signed-in person; `nil` for any other.
    var end: AccountPage.Step? {
        switch self {
        case .signedOut: .signedOut
        case .notSignedIn: .notSignedIn
        case .notPossibleHere: .notPossibleHere
        case .codeUndeliverable: .codeUndeliverable
        case .welcomeOver: .welcomeOver
        case .overview, .password, .authenticator, .passkeys, .pin, .clientConsents, .removal, .own, .recoveryCodes,
            .welcome, .authenticatorNeeded:
            nil
        }
    }
}

package import AuthCore
package import WalletAuthWire

/// What the account's own page shows. The edge turns it into HTML; everything in it is text to be escaped.
package struct AccountPage: Sendable {
    /// What stands on it.
    package enum Step: Sendable {
        /// What the account is signed in with.
        case overview(AccountOverview)
        /// A secret for an authenticator app, and the question for its first code.
        case authenticator(AuthenticatorSetup)
        /// New recovery codes, shown this once.
        case recoveryCodes(RecoveryCodeSet)
        /// The account's passkeys, and what one more is made by.
        case passkeys(PasskeyOverview)
        /// The account's PIN, and the question for a new one.
        case pin(AccountPINOverview)
        /// The apps that the account lets in.
        case clientConsents([ClientAccess])
        /// The browser is signed out.
        case signedOut
        /// The person went back from the sign-in, and nobody is signed in.
        case notSignedIn
        /// No sign-in that a browser can make would be enough.
        case notPossibleHere
    }

    /// What is said beside it.
    package enum Notice: Sendable, Hashable {
        /// The authenticator app is in use from now on.
        case authenticatorOn
        /// The code is not the one that the authenticator app shows now; the page asks for it again.
        case invalidCode
        /// The secret waited too long, or was confirmed already.
        case nothingPending
        /// The sign-in that was just made is weaker than what the change takes.
        case strongerSignInNeeded
        /// The account was recovered lately by its mailbox alone: nothing is changed until a day is over.
        case recoveredLately
        /// The passkey is the account's.
        case passkeyAdded
        /// The passkey is called something else.
        case passkeyRenamed
        /// The passkey is gone.
        case passkeyRemoved
        /// What the browser brought is not taken.
        case passkeyNotTaken
        /// The account has no such passkey.
        case noSuchPasskey
        /// No passkey can have the name that was typed.
        case unusablePasskeyName
        /// Nobody could sign in to the account any more.
        case lastWayIn
        /// The PIN opens the account from now on.
        case pinSet
        /// The account has no PIN any more.
        case pinRemoved
        /// The app has no access any more, and is signed out.
        case accessRemoved
        /// The account lets no such app in.
        case noSuchAccess
        /// The installation of a device is confirmed.
        case deviceConfirmed
        /// A code that confirms a device is on its way.
        case deviceCodeSent
        /// One was sent a moment ago; the next may be asked for in so many seconds.
        case deviceCodeSentRecently(retryAfter: Int64)
        /// The code of a device is wrong or too old.
        case wrongDeviceCode
        /// The account has no such device that awaits a code.
        case noSuchDevice
        /// The new PIN breaks a rule.
        case unacceptablePIN(AccountPINFault)
        /// The factors were set anew too often; seconds.
        case tooManyAttempts(retryAfter: Int64)
    }

    /// The hidden fields of its form.
    package struct Form: Sendable {
        /// The hidden field `request`.
        package var request: String
        /// The hidden field `csrf`.
        package var csrf: String
    }

    /// What stands on it.
    package var step: Step
    /// What is said.
    package var notice: Notice?
    /// The hidden fields; `nil` where there is nothing to send.
    package var form: Form?
    /// How the account's brand looks; `nil` for a page that wears no brand's look.
    package var appearance: BrandAppearance?
    /// The languages that the page was asked for in (`ui_locales`), best first; before `Accept-Language`.
    package var locales: [LocaleTag]
}

/// What an account is signed in with, as its holder is shown it.
package struct AccountOverview: Sendable, Hashable {
    /// An enrolled device.
    package struct Device: Sendable, Hashable {
        /// What its holder calls it; empty where that cannot be read.
        package var name: String
        /// Where it is in its life.
        package var state: DeviceState
        /// Whether its installation has to confirm a code before it signs in.
        package var awaitsCode = false
        /// What the form names it by, where it awaits its code.
        package var id: String?
    }

    /// The user name.
    package var username: String
    /// The e-mail address with most of it hidden.
    package var email: String?
    /// Whether somebody confirmed it: no other serves as a factor.
    package var isEmailConfirmed: Bool
    /// The last digits of the telephone number.
    package var phone: String?
    /// Whether an authenticator app is in use.
    package var hasAuthenticator: Bool
    /// How many recovery codes are left.
    package var recoveryCodes: Int64
    /// Whether recovery codes can be made: they take a sign-in of two factors, which the account has to have.
    package var mayMakeRecoveryCodes: Bool
    /// The devices, the oldest first.
    package var devices: [Device]
    /// How many passkeys there are; `nil` where the server's address is one that browsers make none for.
    package var passkeys: Int?
    /// The account's PIN; `nil` where there is none and none can be set.
    package var pin: AccountPINOverview?
    /// The apps of others that the account lets in, the oldest first.
    package var apps: [ClientAccess]
}

/// Whom the account's page is opened for.
package struct AccountPageRequest: Sendable {
    /// Whose accounts sign in; the default brand where none is named, or none of this name is there.
    package var brand: BrandID?
    /// The languages, best first.
    package var locales: [LocaleTag]
    /// With what its sign-in begins; the password where nothing is said, or the brand does not offer what is.
    package var loginStrategy: AuthorizationRequest.LoginStrategy?

    /// - Parameters:
    ///   - brand: whose accounts sign in.
    ///   - locales: the languages, best first.
    ///   - loginStrategy: with what its sign-in begins.
    package init(
        brand: BrandID? = nil, locales: [LocaleTag] = [], loginStrategy: AuthorizationRequest.LoginStrategy? = nil
    ) {
        self.brand = brand
        self.locales = locales
        self.loginStrategy = loginStrategy
    }
}

extension AccountPage {
    /// What was asked for by the button.
    package enum Action: Sendable {
        /// A step of the sign-in that stands before the page.
        case signIn(SignInPage.Action)
        /// Show what the account has.
        case show
        /// Begin to set up an authenticator app.
        case setUpAuthenticator
        /// Take it into use; `nil` for a code that can be none.
        case confirmAuthenticator(OneTimeCode?)
        /// Show the passkeys.
        case managePasskeys
        /// Change something of the passkeys.
        case changePasskeys(PasskeyChange)
        /// Show the account's PIN.
        case managePIN
        /// Change something of the PIN.
        case changePIN(AccountPINChange)
        /// Show the apps that the account lets in.
        case manageClientConsents
        /// Take an app's access away.
        case withdrawConsent(client: String)
        /// Confirm the installation of a device by its code; `nil` for what can be none.
        case confirmDevice(id: String, code: OneTimeCode?)
        /// Send that code again.
        case sendDeviceCode(id: String)
        /// Make recovery codes, and void the ones before.
        case makeRecoveryCodes
        /// Sign out of the page.
        case signOut
    }
}

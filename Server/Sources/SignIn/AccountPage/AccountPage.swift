package import Core
package import Kernel
package import WalletAuthWire

/// The content of the account's own page. The edge turns it into HTML; every value is text to be escaped.
package struct AccountPage: Sendable {
    package enum Step: Sendable {
        /// The account's sign-in methods.
        case overview(AccountOverview)
        /// The form for a new password.
        case password(username: String)
        /// The question before something is removed.
        case removal(Removal)
        /// A secret for an authenticator app, and the prompt for its first code.
        case authenticator(AuthenticatorSetup)
        /// New recovery codes, shown only once.
        case recoveryCodes(RecoveryCodeSet, replacedOthers: Bool)
        /// The account's passkeys, and the options for creating another.
        case passkeys(PasskeyOverview)
        /// The account PIN, and the form for a new one.
        case pin(AccountPINOverview)
        /// The apps with access.
        case clientConsents([ClientAccess])
        case own(OwnAccountPage.Step)
        case signedOut
        /// The person went back from the sign-in, and no one is signed in.
        case notSignedIn
        /// No sign-in possible in a browser would be enough.
        case notPossibleHere
        /// The operators' console takes two factors, and a browser can ask this person for one: the button that sets up another.
        case authenticatorNeeded
        /// Nothing can deliver the code that the sign-in needs, and the person has no device.
        case codeUndeliverable
        /// The form for the password of a person who is to administer the server.
        case welcome(username: String, OperatorWelcome.Link)
        /// The link to that form was used, has expired or never existed.
        case welcomeOver
    }

    package enum Removal: Sendable, Hashable, Codable {
        case authenticator
        case device(id: String, name: String)
        case passkey(id: String, name: String)
        /// A person at a provider. The name is the provider's.
        case identity(id: String, name: String)
        /// The phone number, and whether word of the removal goes to it.
        case phone(String, getsWord: Bool)
    }

    package enum Notice: Sendable, Hashable, Codable {
        case passwordChanged
        /// The account had none before.
        case passwordAdded
        /// The new password is missing, mistyped or breaks a rule.
        case newPassword(NewPasswordFault)
        case authenticatorRemoved
        case deviceRemoved
        case sessionEnded
        case otherSessionsEnded
        /// The authenticator app is in use from now on.
        case authenticatorOn
        /// It was the last step of an operator's one-time link: the account has the role.
        case roleGranted
        /// The code does not match the authenticator app's current one; the page asks again.
        case invalidCode
        /// The secret has expired or was already confirmed.
        case nothingPending
        /// The sign-in just made is weaker than the change requires.
        case strongerSignInNeeded
        /// The cooling period after a recovery by mailbox alone: nothing can be changed yet.
        case recoveredLately(until: Timestamp)
        /// The sign-in proved only an identity that a database restore brought back, and which is still cooling. Another way to
        /// sign in may already be enough.
        case onlyRestoredIdentity(until: Timestamp)
        case passkeyAdded
        case passkeyRenamed
        case passkeyRemoved
        /// The browser's response was not accepted.
        case passkeyNotTaken
        /// The account has no such passkey.
        case noSuchPasskey
        /// No passkey can have this name.
        case unusablePasskeyName
        /// No one could sign in to the account any more.
        case lastWayIn
        case pinSet
        case pinRemoved
        /// The app lost access and was signed out.
        case accessRemoved
        /// The account has given this app no access.
        case noSuchAccess
        /// The installation of a device is confirmed.
        case deviceConfirmed
        /// A code that confirms a device is on its way.
        case deviceCodeSent
        /// A code was sent a moment ago. Seconds until the next.
        case deviceCodeSentRecently(retryAfter: Int64)
        /// The code of a device is wrong or too old.
        case wrongDeviceCode
        /// The account has no such device waiting for a code.
        case noSuchDevice
        /// The new PIN breaks a rule.
        case unacceptablePIN(AccountPINFault)
        /// Factors were changed too often. In seconds.
        case tooManyAttempts(retryAfter: Int64)
        case own(OwnAccountPage.Notice)
    }

    package struct Form: Sendable {
        /// The hidden field `request`.
        package var request: String
        /// The hidden field `csrf`.
        package var csrf: String

        package init(request: String, csrf: String) {
            self.request = request
            self.csrf = csrf
        }
    }

    package var step: Step
    package var notice: Notice?
    /// `nil` if there is nothing to submit.
    package var form: Form?
    /// The sealed state in its address, if it answers a form.
    package var state: String?
    /// The look of the account's brand; `nil` for a page without one.
    package var appearance: BrandAppearance?
    /// The requested languages (`ui_locales`), best first. They take precedence over `Accept-Language`.
    package var locales: [LocaleTag]
    /// Where its form may lead besides this server's pages, for the policy's `form-action`.
    var formTarget: String?
}

extension AccountPage.Notice {
    /// The notice some seconds later; `nil` once its wait is over.
    func after(_ seconds: Int64) -> Self? {
        switch self {
        case .deviceCodeSentRecently(let wait):
            wait > seconds ? .deviceCodeSentRecently(retryAfter: wait - seconds) : nil
        case .tooManyAttempts(let wait): wait > seconds ? .tooManyAttempts(retryAfter: wait - seconds) : nil
        case .own(let notice): notice.after(seconds).map { .own($0) }
        default: self
        }
    }
}

/// An account's sign-in methods, as shown to its holder.
package struct AccountOverview: Sendable, Hashable {
    /// The password's state.
    package enum Password: Sendable, Hashable {
        case unset
        case set(since: Timestamp?)
    }

    /// A person at a provider who signs in to the account.
    package struct Identity: Sendable, Hashable {
        /// Names it in the form.
        package var id: String
        package var provider: ProviderID
        /// What people call the provider.
        package var name: String
        package var linkedAt: Timestamp
    }

    package struct Session: Sendable, Hashable {
        package var session: AccountSession
        /// The holder's name for the device it was opened on.
        package var device: String?
    }

    package struct SecretQuestions: Sendable, Hashable {
        /// The number of questions answered.
        package var answered: Int64
        /// Whether the brand accepts them.
        package var isOffered: Bool
    }

    package struct Device: Sendable, Hashable {
        /// The holder's name for it; empty if it cannot be read.
        package var name: String
        package var state: DeviceState
        /// Whether its installation has to confirm a code before it signs in.
        package var awaitsCode: Bool
        /// Names it in the form.
        package var id: String
        package var lastUsedAt: Timestamp

        package init(id: String, name: String, state: DeviceState, awaitsCode: Bool = false, lastUsedAt: Timestamp) {
            self.id = id
            self.name = name
            self.state = state
            self.awaitsCode = awaitsCode
            self.lastUsedAt = lastUsedAt
        }
    }

    package var username: String
    /// The person's name; `nil` for none.
    package var name: String?
    /// Whether the holder may change it.
    package var isNameOwn = false
    /// The language of messages; `nil` if none was chosen.
    package var language: Language?
    /// The kinds of messages that the server does not send.
    package var undeliverable: Set<FactorKind> = []
    package var password: Password
    /// The oldest first.
    package var identities: [Identity] = []
    /// The e-mail address, masked unless the person has just signed in on the page.
    package var email: String?
    /// Whether the address was confirmed: only then it serves as a factor.
    package var isEmailConfirmed: Bool
    /// The last digits of the phone number.
    package var phone: String?
    package var hasAuthenticator: Bool
    /// The number of unused recovery codes.
    package var recoveryCodes: Int64
    /// Whether recovery codes can be created: that needs a sign-in with two factors, so the account has to have them.
    package var mayMakeRecoveryCodes: Bool
    /// `nil` if there are none and the brand accepts none.
    package var secretQuestions: SecretQuestions?
    /// The oldest first.
    package var devices: [Device]
    /// The session of this browser first.
    package var sessions: [Session]
    /// The number of passkeys; `nil` if browsers create none for the server's address.
    package var passkeys: Int?
    /// `nil` if there is none and none can be set.
    package var pin: AccountPINOverview?
    /// Third-party apps with access, the oldest first.
    package var apps: [ClientAccess]
    /// Whether a change asks for a sign-in first, because this page was opened by the cookie alone.
    package var asksBeforeChanges = false
    /// When changes are possible again after a recovery; `nil` if they are.
    package var changesFrom: Timestamp?
    /// When the account can be closed again after a change of address or number; `nil` if it can.
    package var closingFrom: Timestamp?
    /// The address of the operators' console, if the account has a role there.
    package var console: String?
}

/// The request for the account's page.
package struct AccountPageRequest: Sendable {
    /// The brand of the account; `nil` for the default brand, and if the named one does not exist.
    package var brand: BrandID?
    /// The languages, best first.
    package var locales: [LocaleTag] = []
    /// The first step of its sign-in; `nil` for the password, and if the brand does not offer the requested one.
    package var loginStrategy: AuthorizationRequest.LoginStrategy?
    package var entry = Entry.overview

    /// The page that an address asks for.
    package enum Entry: Sendable {
        case overview
        /// The form that takes the closing of an account back.
        case keeping
        /// An operator's one-time link; `nil` for text that cannot be one.
        case welcome(OperatorLinkSecret?)
    }
}

extension AccountPage {
    /// A button of the page.
    package enum Action: Sendable {
        /// A step of the sign-in before the page.
        case signIn(SignInPage.Action)
        /// Show the overview.
        case show
        case managePassword
        case changePassword(Result<Password, NewPasswordFault>)
        case setUpAuthenticator
        /// Take it into use; `nil` for text that cannot be a code.
        case confirmAuthenticator(OneTimeCode?)
        /// Ask before the authenticator app is removed.
        case askToRemoveAuthenticator
        case removeAuthenticator
        case managePasskeys
        case changePasskeys(PasskeyChange)
        /// Ask before a passkey is removed.
        case askToRemovePasskey(id: String)
        case managePIN
        case changePIN(AccountPINChange)
        case manageClientConsents
        case withdrawConsent(client: String)
        /// Confirm the installation of a device; `nil` for text that cannot be a code.
        case confirmDevice(id: String, code: OneTimeCode?)
        /// Send that code again.
        case sendDeviceCode(id: String)
        /// Ask before a device is removed.
        case askToRemoveDevice(id: String)
        case removeDevice(id: String)
        /// End a session of an app or another browser.
        case endSession(id: String)
        case endOtherSessions
        /// Create recovery codes and void any previous ones.
        case makeRecoveryCodes
        case own(OwnAccountPage.Action)
        /// Set the password of an operator's one-time link.
        case acceptInvitation(Result<Password, NewPasswordFault>)
        case signOut
    }
}

package import AuthCore
package import WalletAuthWire

/// What the hosted sign-in page shows. The edge turns it into HTML; everything in it is text to be escaped.
package struct SignInPage: Sendable {
    /// What is asked of the person.
    package enum Step: Sendable, Hashable {
        /// User name and password; the name is filled in where a hint named it.
        case credentials(username: String?)
        /// User name and the account's PIN.
        case pin(username: String?)
        /// The user name of somebody who has forgotten the password.
        case recovery(username: String?)
        /// The code that was sent for a recovery, if there is somebody to send it to.
        case recoveryCode(canResend: Bool)
        /// "Continue as …?": the browser is signed in already, and the app cannot prove who it is.
        /// `scopes` lists the scopes that a relying app asks for; it is `nil` for a first-party app.
        case confirmation(username: String, scopes: [String]? = nil)
        /// A new password, because the present one may not be used any longer.
        case newPassword
        /// A new password in the place of a forgotten one.
        case recoveredPassword
        /// The code that was sent to this address, which is shown in part only.
        case emailCode(destination: String)
        /// A second factor.
        case secondFactor(Factor)
        /// "You have no account yet": the provider knows the person, and this server does not.
        case newAccount(NewAccount)
        /// "For which merchant?": the person works for several that have the app.
        case merchant(username: String, [Merchant])
        /// "Allow the app …?": a third-party client asks for what the account does not allow it yet.
        case clientConsent(ClientConsentRequest)
    }

    /// What the sign-in is for.
    package enum Purpose: Sendable, Hashable {
        /// An app.
        case app
        /// The account's own page.
        case account
        /// A change on the account's own page, which takes a sign-in of its own.
        case accountChange
    }

    /// A provider by whose word one may sign in.
    package struct Provider: Sendable, Hashable {
        /// What the form names it by.
        package var id: ProviderID
        /// What people call it.
        package var name: String
        /// Where it is, for the policy's `form-action`.
        package var place: String
        /// Whether it is a vendor's service, whose button says "Sign in with", and not "Continue with".
        package var isVendor: Bool
    }

    /// The account that the page offers to a person whom a provider knows.
    package struct NewAccount: Sendable, Hashable {
        /// What people call the provider.
        package var provider: String
        /// The user name to fill in.
        package var username: String?
        /// The address that the provider told, which goes with the account.
        package var email: String?
        /// The brand's terms; `nil` where the operator named none.
        package var termsURL: String?
    }

    /// The second factor that is asked for.
    package struct Factor: Sendable, Hashable {
        /// What it is.
        package var kind: FactorKind
        /// The question, where it is one.
        package var question: String?
        /// Where the code went, shown in part only.
        package var destination: String?
        /// Whether a code can be sent once more.
        package var canResend: Bool
        /// Whether a code is on its way, where one is sent at all: not where too many were sent lately.
        package var isCodeSent = true
        /// Seconds until a code can be sent; `nil` where none can be.
        package var sendableAfter: Int64?
        /// What the person may use instead.
        package var alternatives: [FactorKind]
    }

    /// What is said beside it.
    package enum Notice: Sendable, Hashable {
        /// The same for every wrong, unknown or locked credential.
        case invalidCredentials
        /// The same for a wrong PIN, a locked one, none, and a name that nobody has.
        case invalidPIN
        /// The password has to be changed, which a PIN does not do: the person signs in by the password.
        case passwordNeeded
        /// The PIN is forgotten: the person signs in by the password, and sets a new one on the account's page.
        case pinForgotten
        /// The same for whatever is wrong with a passkey, known or not.
        case passkeyRefused
        /// The person did not sign in at the provider.
        case providerDeclined(name: String)
        /// The same for whatever is wrong with a provider's answer.
        case providerFailed(name: String)
        /// A fresh sign-in is needed, and the provider did not show one.
        case providerSessionOld(name: String)
        /// The provider cannot be asked; the page is served with 503.
        case providerUnavailable(name: String)
        /// The provider is not offered any more, or is another one by now.
        case providerGone
        /// A provider's answer was used before, or came too late.
        case providerAnswerUsed
        /// Another account has the name.
        case nameTaken
        /// Told to a known device only: the wallet is deactivated.
        case walletDeactivated
        /// A code is on its way, if there is somebody to send it to.
        case recoveryCodeSent
        /// No account can have the name that was typed.
        case unusableName
        /// The account has more than its mailbox, and nothing of it can be asked for in a browser.
        case recoveryUnavailable
        /// The new password breaks a rule.
        case passwordUnacceptable(PasswordRuleViolation)
        /// The new password was typed twice, and the two differ.
        case passwordMistyped
        /// The code is wrong or too old.
        case invalidCode
        /// The answer to a second factor is wrong; the page asks for it again.
        case wrongAnswer
        /// A second factor was answered wrongly too often; everything begins anew.
        case factorOver
        /// A code is on its way.
        case codeSent
        /// A code was sent a moment ago; the next may be asked for in so many seconds.
        case codeSentRecently(retryAfter: Int64)
        /// Too many attempts from this place; the page is served with 429. Seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// The server is busy; the page is served with 503. Seconds.
        case busy(retryAfter: Int64)
    }

    /// The sealed authorization request: the form's hidden field `request`.
    package var request: String
    /// The form's hidden field `csrf`.
    package var csrf: String
    /// What is asked.
    package var step: Step
    /// What is said.
    package var notice: Notice?
    /// The brand whose accounts sign in, and whose look the page wears.
    package var brand: BrandID
    /// How the brand looks.
    package var appearance: BrandAppearance
    /// The app's name.
    package var clientName: String
    /// The languages that the request prefers (`ui_locales`), best first; before `Accept-Language`.
    package var locales: [LocaleTag]
    /// Where "Forgot your password?" leads; registered for the client.
    package var resetCredentialsURL: String?
    /// Where the form leads in the end, for the policy's `form-action`: a browser checks redirects against it as well.
    package var redirectURI: String
    /// What the sign-in is for.
    package var purpose = Purpose.app
    /// What the browser is asked to sign, where a passkey may be used instead of what is asked.
    package var passkey: PasskeyRequestOptions?
    /// Whether the person may choose between the password and the account's PIN.
    package var offersPIN = false
    /// The providers by whose word one may sign in instead.
    package var providers: [Provider] = []
}

extension SignInPage {
    /// What was asked for by the button.
    package enum Action: Sendable {
        /// Sign in.
        case signIn(username: String, password: Password)
        /// Sign in by the account's PIN; `nil` for what can be none.
        case signInByPIN(username: String, pin: AccountPIN?)
        /// Ask for the PIN instead.
        case usePIN
        /// Ask for the password instead.
        case usePassword
        /// "Forgot your PIN?": the password instead, behind which a new PIN is set.
        case forgotPIN
        /// Sign in with a passkey; `nil` for what the browser brought and can be none.
        case usePasskey(PasskeyAssertionResponse?)
        /// Have a provider say who it is.
        case useProvider(ProviderID)
        /// Make an account of this name for the person whom the page offered one.
        case createAccount(username: String)
        /// Go on as the person whom the browser knows.
        case confirm
        /// Sign in as somebody else.
        case useAnotherAccount
        /// "Forgot your password?"
        case forgotPassword
        /// Send a code for a recovery.
        case recover(username: String)
        /// Check the code of a recovery.
        case checkRecoveryCode(OneTimeCode)
        /// Send the code of a recovery again.
        case resendRecoveryCode
        /// Set this password.
        case setPassword(Password)
        /// Set the one that was typed twice, not the same: nothing is set.
        case mistypePassword
        /// Check this code.
        case checkEmailCode(EmailCode)
        /// Send the code again.
        case resendEmailCode
        /// Check this answer to the second factor.
        case answerFactor(Password)
        /// Send the second factor's code again.
        case resendFactor
        /// Ask for this second factor instead.
        case chooseFactor(FactorKind)
        /// Sign in for this merchant.
        case chooseMerchant(MerchantID)
        /// Allow the app what the page lists.
        case allow
        /// Back to the app, signed out.
        case cancel
    }
}

package import Core
package import Kernel
package import WalletAuthWire

/// The content of the hosted sign-in page. The edge turns it into HTML; every value is text to be escaped.
package struct SignInPage: Sendable {
    package enum Step: Sendable, Hashable, Codable {
        /// User name and password; the name is prefilled from a hint.
        case credentials(username: String?)
        /// User name, and another secret than the password.
        case alternative(PasswordAlternative, username: String?)
        /// The code for a phone to scan, or the number once one has.
        case scan(Scan)
        /// The user name for a forgotten password.
        case recovery(username: String?)
        /// The code of a recovery. Shown even if no code was sent.
        case recoveryCode(canResend: Bool)
        /// "Continue as …?": the browser is already signed in, and the app cannot prove its identity. `scopes` lists the scopes
        /// that a relying app requests; it is `nil` for a first-party app.
        case confirmation(username: String, scopes: [String]? = nil)
        /// A new password, because the current one may no longer be used.
        case newPassword
        /// A new password in place of a forgotten one.
        case recoveredPassword
        /// The code that was sent to this address, which is masked.
        case emailCode(destination: String)
        case secondFactor(Factor)
        /// In place of a factor whose answers are not compared at present: no code is asked for or sent. Others can be used.
        case heldFactor(instead: [FactorKind])
        /// "You have no account yet": the provider knows the person, this server does not.
        case newAccount(NewAccount)
        /// A newcomer's address.
        case registration(address: String?, takesPhones: Bool)
        /// The code that was sent to this address. Shown also if the address has an account, whose holder got a message that says so.
        case registrationCode(destination: String)
        /// The user name and password of a newcomer whose address is proved.
        case registrationAccount(Newcomer)
        /// The passkey of a newcomer who chose a user name.
        case registrationPasskey(Newcomer)
        /// "For which merchant?": the person works for several that have the app.
        case merchant(username: String, [Merchant])
        /// "Allow the app …?": a third-party client requests more than the account has allowed.
        case clientConsent(ClientConsentRequest)
    }

    /// A sign-in that waits for a phone.
    package struct Scan: Sendable, Hashable, Codable {
        /// Names it in the page's address.
        package var id: String
        /// The text of the code; `nil` once a phone has scanned it.
        package var code: String?
        /// The number to find on the phone; `nil` until then.
        package var number: Int64?
        /// Seconds after which a page without scripts loads itself again.
        package var refreshAfter: Int64
    }

    package enum Purpose: Sendable, Hashable {
        case app
        /// A device without a browser, which waits elsewhere.
        case device
        /// The account's own page.
        case account
        /// A change on the account's own page, which needs its own sign-in.
        case accountChange
        /// The operators' console, which needs its own sign-in with two factors; one more before what nothing undoes.
        case administration(ConsoleQuestion?)

        /// Whether an earlier sign-in does not count.
        var needsOwnSignIn: Bool { self == .accountChange || isAdministration }

        var isAdministration: Bool { if case .administration = self { true } else { false } }
    }

    /// A provider that people can sign in with.
    package struct Provider: Sendable, Hashable {
        /// Names it in the form.
        package var id: ProviderID
        package var name: String
        /// Its origin, for the policy's `form-action`.
        package var place: String
        /// Whether it is a vendor's service: the button then says "Sign in with" instead of "Continue with".
        package var isVendor: Bool
        package var style = ProviderButtonStyle.plain
    }

    /// The account offered to a person known to a provider only.
    package struct NewAccount: Sendable, Hashable, Codable {
        /// The provider's name for people.
        package var provider: String
        /// Prefilled.
        package var username: String?
        /// The address from the provider, which becomes the account's.
        package var email: String?
        /// The brand's terms; `nil` if the operator set none.
        package var termsURL: String?
    }

    /// The account of a newcomer.
    package struct Newcomer: Sendable, Hashable, Codable {
        /// Prefilled.
        package var username: String?
        /// The address that was proved.
        package var address: String
        /// The brand's terms; `nil` if the operator set none.
        package var termsURL: String?
        /// Whether a passkey may take the place of the password.
        package var takesPasskeys: Bool
    }

    package struct Factor: Sendable, Hashable, Codable {
        package var kind: FactorKind
        /// The text of a secret question.
        package var question: String?
        /// The masked destination of the code.
        package var destination: String?
        /// Whether another code can be sent.
        package var canResend: Bool
        /// Whether a code is on its way, for a factor with codes. False if too many were sent recently.
        package var isCodeSent = true
        /// Seconds until a code can be sent; `nil` if none can be.
        package var sendableAfter: Int64?
        /// Other factors that the person may use instead.
        package var alternatives: [FactorKind]
        /// The tries that are left after a wrong answer; `nil` before one.
        package var remainingTries: Int64?
    }

    package enum Notice: Sendable, Hashable, Codable {
        /// Of the step's form. The same for a wrong secret, a locked one, none, and an unknown name.
        case invalidCredentials
        /// The password must be changed. Only the password can do that, so the person signs in with it.
        case passwordNeeded
        /// The secret is forgotten. The person signs in with the password and sets a new one on the account's page.
        case forgotten(PasswordAlternative)
        /// The same for every fault of a passkey, known or not.
        case passkeyRefused
        /// The person did not sign in at the provider.
        case providerDeclined(name: String)
        /// The same for every fault in a provider's answer.
        case providerFailed(name: String)
        /// A fresh sign-in is needed, and the provider did not prove one.
        case providerSessionOld(name: String)
        /// The provider is unreachable; the page is served with 503.
        case providerUnavailable(name: String)
        /// The provider is no longer offered, or was replaced.
        case providerGone
        /// A provider's answer was used before or came too late.
        case providerAnswerUsed
        case nameTaken
        /// A newcomer's name is taken, or easily taken for one that is.
        case lookAlikeTaken
        /// A newcomer entered no name.
        case newNameMissing
        /// A newcomer's name is an address, and not the one that was proved.
        case nameIsAddress
        /// Nothing can be sent to the address.
        case unusableAddress
        /// The newcomer's address has an account. Only after the code that was sent there.
        case addressTaken
        /// The brand lets no one register.
        case registrationOff
        /// The code of a registration has expired, or was wrong too often.
        case registrationOver
        /// The same for every fault of a newcomer's passkey.
        case newPasskeyRefused
        /// A newcomer entered no password.
        case newPasswordMissing
        /// The two entries of a newcomer's password differ.
        case newPasswordMistyped
        /// Another number was chosen on the phone than the page showed, which ended the attempt.
        case numberMismatch
        /// No phone approved the code in time.
        case scanExpired
        /// The sign-in was refused on the phone.
        case scanRejected
        /// Shown only to a known device, or after the right password: the account is deactivated.
        case walletDeactivated
        /// Shown only to a known browser: wrong passwords closed the account, and a recovery opens it.
        case closedByFailures
        /// Shown only after the right first factor: the holder closed the account.
        case closedByHolder(eraseAt: Timestamp)
        /// A code is on its way, unless there is no recipient.
        case recoveryCodeSent
        /// No account can have the name.
        case unusableName
        /// Shown only after the right code: the account has more than its mailbox, but nothing that a recovery in the browser can ask for.
        case recoveryUnavailable(WaysBesideMailbox)
        case passwordUnacceptable(PasswordRuleViolation)
        /// The new password is longer than any may be, or contains a control character.
        case passwordUnusable
        /// The two entries of the new password differ.
        case passwordMissing
        case passwordMistyped
        /// The code is wrong or too old.
        case invalidCode
        /// The authenticator app's code was used before; the page asks for the next one.
        case codeUsed
        /// The answer to a second factor is wrong; the page asks again.
        case wrongAnswer
        /// The last try at a second factor was wrong; the sign-in starts over.
        case factorFailed
        /// The same. No answer is accepted for as long. Seconds.
        case factorHeld(retryAfter: Int64)
        /// A second factor has ended, for whatever reason; the sign-in starts over.
        case factorOver
        case codeSent
        /// A code was sent a moment ago. Seconds until the next.
        case codeSentRecently(retryAfter: Int64)
        /// A code was sent a moment ago, for a registration on another page. Seconds until the next.
        case codeElsewhere(retryAfter: Int64)
        /// Too many attempts in this browser, or at one factor; the page is served with 429. Seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// Too many attempts from this network, by any person; the page is served with 429. Seconds.
        case networkHeld(retryAfter: Int64)
        /// The server is busy; the page is served with 503. Seconds.
        case busy(retryAfter: Int64)
        /// Passwords cannot be verified at present; the page is served with 503. Seconds.
        case unavailable(retryAfter: Int64)
    }

    /// The form's hidden field `request`: the sealed state. The page's address has the same, if it answers a form.
    package var request: String
    /// The form's hidden field `csrf`.
    package var csrf: String
    package var step: Step
    package var notice: Notice?
    /// How many wrong secrets this browser sent in a row, each from the page before.
    package var misses = 0
    /// What was typed for the recovery, on the page that asks for its code.
    package var recoveryName: String?
    /// The attempts left before the account is closed. Only a browser that the account knows learns it, from the third failure on.
    package var attemptsLeft: Int64?
    /// How long even the right password may be refused, in seconds; `nil` if it is not.
    package var slowedFor: Int64?
    /// The brand of the accounts that sign in, whose look the page wears.
    package var brand: BrandID
    package var appearance: BrandAppearance
    package var clientName: String
    /// The languages of the request (`ui_locales`), best first. They take precedence over `Accept-Language`.
    package var locales: [LocaleTag]
    /// The link of "Forgot your password?"; registered for the client.
    package var resetCredentialsURL: String?
    /// The final destination of the form, for the policy's `form-action`: a browser applies it to redirects as well.
    package var redirectURI: String
    package var purpose = Purpose.app
    /// The payment that the app asks for; `nil` for any other sign-in.
    package var payment: PaymentInitiation?
    /// Whose password is set, for password managers; `nil` on other steps.
    package var username: String?
    /// The options for signing in with a passkey instead; `nil` if not offered.
    package var passkey: PasskeyRequestOptions?
    /// The options for a newcomer's passkey; `nil` on other steps.
    package var newPasskey: PasskeyCreationOptions?
    /// The methods that the person may use instead of the password.
    package var alternatives: [PasswordAlternative] = []
    /// Whether the person may scan the page with their phone instead.
    package var offersScan = false
    /// Whether a newcomer may make an account.
    package var offersRegistration = false
    /// Providers that the person may use instead.
    package var providers: [Provider] = []
    /// Whether the form is for the person whose session the browser has, and their account has no password.
    package var isWithoutPassword = false
    /// Whether that person has a provider to sign in with, so that the page asks for no password.
    package var hidesPassword = false
}

extension SignInPage.Notice {
    /// The notice some seconds later; `nil` once its wait is over.
    func after(_ seconds: Int64) -> Self? {
        func left(_ wait: Int64, _ notice: (Int64) -> Self) -> Self? { wait > seconds ? notice(wait - seconds) : nil }
        return switch self {
        case .codeSentRecently(let wait): left(wait) { .codeSentRecently(retryAfter: $0) }
        case .codeElsewhere(let wait): left(wait) { .codeElsewhere(retryAfter: $0) }
        case .factorHeld(let wait): wait > seconds ? .factorHeld(retryAfter: wait - seconds) : .factorFailed
        case .tooManyAttempts(let wait): left(wait) { .tooManyAttempts(retryAfter: $0) }
        case .networkHeld(let wait): left(wait) { .networkHeld(retryAfter: $0) }
        case .busy(let wait): left(wait) { .busy(retryAfter: $0) }
        case .unavailable(let wait): left(wait) { .unavailable(retryAfter: $0) }
        default: self
        }
    }
}

extension SignInPage {
    /// The `error_description` of a sign-in that the person cancelled.
    package static let cancelled = "the user cancelled"

    /// A button of the page. A typed secret is `nil` for text that cannot be one, which is answered like a wrong one.
    package enum Action: Sendable {
        case signIn(username: String, password: Password?)
        /// Sign in with another secret than the password.
        case signInInstead(username: String, PasswordAlternative.Secret)
        /// Switch to this method, with the user name in the field; `nil` without one.
        case use(PasswordAlternative, username: String? = nil)
        /// Switch to the password, with the user name in the field.
        case usePassword(username: String? = nil)
        /// "Forgot your PIN?": switch to the password; a new PIN can be set after the sign-in.
        case forgot(PasswordAlternative, username: String? = nil)
        /// Sign in with a passkey; `nil` for a malformed response.
        case usePasskey(PasskeyAssertionResponse?)
        /// Show a code for the person's phone.
        case useScan
        /// Sign in with a provider.
        case useProvider(ProviderID)
        /// Create an account with this name for the person that the page offered one.
        case createAccount(username: String)
        /// Make an account: show the form for the address.
        case register
        /// Send a newcomer's address a code.
        case sendRegistrationCode(String)
        case checkRegistrationCode(OneTimeCode?)
        case resendRegistrationCode
        /// Go back from a registration to the sign-in.
        case leaveRegistration
        /// Make the newcomer's account.
        case finishRegistration(username: String, password: Result<Password, NewPasswordFault>)
        /// Show the form for a passkey, with the user name in the field.
        case registerByPasskey(username: String)
        /// Go back from the passkey to the form of the password.
        case registerByPassword
        /// Make the newcomer's account with this passkey; `nil` for a malformed response.
        case finishRegistrationByPasskey(PasskeyRegistrationResponse?)
        /// Continue as the signed-in person.
        case confirm
        /// Sign in as another person.
        case useAnotherAccount
        /// "Forgot your password?", with the user name in the field; `nil` without one.
        case forgotPassword(username: String? = nil)
        /// Send a code for a recovery.
        case recover(username: String)
        case checkRecoveryCode(OneTimeCode?)
        case resendRecoveryCode
        case setPassword(Password?)
        /// No new password was entered.
        case omitPassword
        /// Two different entries of a new password: nothing is set.
        case mistypePassword
        case checkEmailCode(EmailCode?)
        case resendEmailCode
        /// Check this answer to the second factor.
        case answerFactor(Password?)
        /// Send the second factor's code again.
        case resendFactor
        /// Switch to another second factor.
        case chooseFactor(FactorKind)
        /// Sign in for this merchant.
        case chooseMerchant(MerchantID)
        /// Allow the app everything that the page lists.
        case allow
        /// Return to the app without signing in.
        case cancel

        /// The user name that was typed to sign in, if an account can have it.
        var typedName: String? {
            switch self {
            case .signIn(let name, _), .signInInstead(let name, _), .recover(let name): (try? Username(name))?.typed
            default: nil
            }
        }
    }
}

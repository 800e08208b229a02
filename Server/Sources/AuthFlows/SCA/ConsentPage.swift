package import AuthCore
package import WalletAuthWire

/// What the page shows on which a person agrees to an operation. The edge turns it into HTML; everything in it is text to be
/// escaped.
package struct ConsentPage: Sendable {
    /// What stands on it.
    package enum Step: Sendable {
        /// The operation, and what the person proves.
        case asking(Factor)
        /// Nothing can be done here any more.
        case over(End)
    }

    /// What the person proves. A further factor stands here as a case of its own, with what its part of the page needs; the rest
    /// of the page is the same for all.
    package enum Factor: Sendable {
        /// The account's password.
        case password
        /// A passkey of the account's, over this very operation.
        case passkey
        /// The account's PIN.
        case pin
    }

    /// Why nothing can be done here any more.
    package enum End: Sendable, Hashable {
        /// The person agreed, here or in the app.
        case agreed
        /// The person just said that they did not ask for it.
        case refused
        /// Too many wrong values.
        case locked
        /// Another way is challenged since, or this page's factor was proved already.
        case superseded
        /// It was refused or taken back, took too long, or its session ended.
        case over
    }

    /// What is said beside it.
    package enum Notice: Sendable, Hashable {
        /// What was typed is wrong.
        case wrong(remaining: Int)
        /// Too many wrong values over all operations; seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// No room to compare; seconds.
        case busy(retryAfter: Int64)
    }

    /// The hidden fields of its forms.
    package struct Form: Sendable {
        /// The hidden field `request`.
        package var request: String
        /// The hidden field `csrf`.
        package var csrf: String
    }

    /// What stands on it.
    package var step: Step
    /// What is said beside it.
    package var notice: Notice?
    /// What is agreed to, as the operation's bytes say it.
    package var operation: WalletOperation
    /// The name of the backend's client that asks for it.
    package var requester: String
    /// The name of the app that the person comes from and goes back to.
    package var app: String
    /// The person's user name; it goes to their password manager as well.
    package var username: String
    /// What the browser is asked to sign; `nil` where no passkey is asked for.
    package var passkey: PasskeyRequestOptions?
    /// The hidden fields; `nil` where there is nothing to send.
    package var form: Form?
    /// Where "back" leads.
    package var returnLocation: String
    /// How the account's brand looks.
    package var appearance: BrandAppearance
}

/// What the page, or a form of it, is answered with.
package struct ConsentPageAnswer: Sendable {
    /// The answer.
    package enum Outcome: Sendable {
        /// The page.
        case page(ConsentPage)
        /// Back to the app. What came of it is not told by the way, which anybody can forge: the app asks.
        case leave(location: String)
        /// The link or the form is none of ours, or too old.
        case stale
    }

    /// The answer.
    package var outcome: Outcome
    /// The cookies to set.
    package var cookies: [CookieChange]
}

extension ConsentPage {
    /// The button.
    package enum Action: Sendable {
        /// Agree, by the password.
        case agree(Password)
        /// Agree, by the account's PIN; `nil` for what can be none.
        case agreeByPIN(AccountPIN?)
        /// Agree, by a passkey; `nil` for what the browser brought and can be none.
        case usePasskey(PasskeyAssertionResponse?)
        /// Go back, and leave everything as it is.
        case cancel
        /// "I did not ask for this": nobody can agree to it any more.
        case refuse
    }
}

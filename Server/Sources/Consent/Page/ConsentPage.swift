package import Kernel
package import SignIn
package import WalletAuthWire

/// The content of the consent page. The edge renders it as HTML and escapes all text in it.
package struct ConsentPage: Sendable {
    package enum Step: Sendable {
        /// The operation, and the factor that the person proves.
        case asking(Factor)
        /// The interaction is over.
        case over(End)
    }

    /// The factor that the person proves. Another factor is another case here, with its part of the page; the rest of the page is the
    /// same for all.
    package enum Factor: Sendable {
        case password
        /// One of the account's passkeys, signing this very operation.
        case passkey
        case pin
    }

    /// Why the interaction is over.
    package enum End: String, Sendable, Hashable, Codable {
        /// The person consented, here or in the app.
        case agreed
        /// The person said that they did not ask for it.
        case refused
        case locked
        /// The person canceled here, another method was challenged since, or this page's factor was already proved.
        case superseded
        /// The operation was refused, cancelled or expired, or its session ended.
        case over
    }

    /// How the person leaves for the app.
    package enum Departure: String, Sendable, Hashable, Codable {
        /// Nothing more is needed for the consent.
        case agreed
        /// The page's factor was proved, and the app asks for another.
        case unfinished
        /// Without a change.
        case cancelled
    }

    package enum Notice: Sendable, Hashable, Codable {
        /// The value is wrong.
        case wrong(remaining: Int)
        /// Too many wrong values over all operations; in seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// No capacity to compare; in seconds.
        case busy(retryAfter: Int64)
    }

    /// The hidden fields of the page's forms.
    package struct Form: Sendable {
        package var request: String
        package var csrf: String
    }

    package var step: Step
    package var notice: Notice?
    /// The operation, decoded from the bytes that the person consents to.
    package var operation: WalletOperation
    /// The name of the client that requests it.
    package var requester: String
    /// The name of the app that the person returns to.
    package var app: String
    /// The person's user name; also for their password manager.
    package var username: String
    /// The request to the browser; `nil` if no passkey is asked for.
    package var passkey: PasskeyRequestOptions?
    /// `nil` if the page has no form.
    package var form: Form?
    /// The sealed state in its address, if it answers a form.
    package var state: String?
    /// The app's own page for a forgotten password; `nil` for the account page.
    package var resetLocation: String?
    /// How long a password that was reset may not suffice for a payment.
    package var coolingPeriod: Duration
    /// The destination of the back link.
    package var returnLocation: String
    package var appearance: BrandAppearance
}

/// The response to the page or one of its forms.
package struct ConsentPageAnswer: Sendable {
    package enum Outcome: Sendable {
        case page(ConsentPage)
        /// Back to the app. The URL does not contain the result, because anyone could forge it; the app asks the server.
        /// The page is for its return location, and for what a page on the way shows. `byItself` is false for a page that is loaded later,
        /// which has the link only.
        case leave(ConsentPage.Departure, ConsentPage, byItself: Bool = true)
        /// To the same page again: the form or address no longer belongs to the browser, which may have signed in in another tab.
        case restart(location: String)
        /// The link or form was not issued by this server, or is too old. With the look of the page that it opened before; `nil` if it may
        /// be forged.
        case stale(BrandAppearance?)
    }

    package var outcome: Outcome
    package var cookies: [CookieChange]
}

extension ConsentPage {
    /// The submitted button.
    package enum Action: Sendable {
        /// `nil` for text that cannot be a password.
        case agree(Password?)
        /// `nil` for input that cannot be a PIN.
        case agreeByPIN(AccountPIN?)
        /// `nil` for a response that cannot be valid.
        case usePasskey(PasskeyAssertionResponse?)
        /// Go back without a change.
        case cancel
        /// "I did not ask for this": no one can consent to it afterwards.
        case refuse
    }
}

extension ConsentPage.Notice {
    /// The notice some seconds later; `nil` once its wait is over.
    func after(_ seconds: Int64) -> Self? {
        switch self {
        case .wrong: self
        case .tooManyAttempts(let wait): wait > seconds ? .tooManyAttempts(retryAfter: wait - seconds) : nil
        case .busy(let wait): wait > seconds ? .busy(retryAfter: wait - seconds) : nil
        }
    }
}

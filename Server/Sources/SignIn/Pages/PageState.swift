internal import Core
package import WalletAuthWire
internal import Web

/// The sealed state in a hosted page's form: the checked request, and the progress of the sign-in.
package struct PageState: Codable, Sendable {
    package var request: AuthorizationRequest
    /// A digest of the binding cookie of the browser that received the page.
    package var binding: [UInt8]
    /// A sign-in whose first factor was right.
    var pending: PendingSignIn?
    /// A recovery that waits for its code.
    var recovery: String?
    /// What was typed for the recovery.
    var recoveryName: String?
    /// The account named on the page: another tab may have signed in another person since.
    var named: String?
    /// A person without an account, to whom the page offers one.
    var guest: PageGuest?
    /// A newcomer's registration.
    var registration: Registrations.Begun?
    /// The offer on a consent page. "Allow" grants exactly this.
    var allowing: ClientConsentOffer?
    /// The merchant that the person chose, if the request names none.
    var merchant: MerchantID?
    /// State of the account's own page; `nil` for an app's sign-in.
    package var account: AccountPageState?
    /// The device that the sign-in is for; `nil` for an app's or the account page's.
    package var deviceGrant: DevicePageState?
    /// The wrong secrets typed on the pages before; `nil` for none.
    var misses: Int?
    /// Until when even the right password may be refused, after a wrong one.
    var refusedUntil: Timestamp?
    /// The attempts left after a wrong password; `nil` in a browser that the account does not know.
    var attemptsLeft: Int64?
    /// What the page of a sign-in shows, for its address; `nil` for any other page.
    var shown: ShownStep?
    /// The answer that the page leads to the app with, for its address; `nil` for any other page.
    var returning: ShownReturn?
    /// The form that carried this state. It is not part of what is sealed.
    var form: SubmittedForm?

    private enum CodingKeys: String, CodingKey {
        case request, binding, pending, recovery, recoveryName, named, guest, registration, allowing, merchant, account,
            deviceGrant, misses
        case refusedUntil, attemptsLeft, shown, returning
    }

    /// Long enough for an interruption. An older page is refused as stale.
    package static let lifetime = PasskeyChallenges.lifetime

    /// Whether anything was proved before this page.
    var hasProof: Bool { pending != nil || guest != nil || registration?.provenAt != nil }
}

/// A form submitted from a page.
package struct PageSubmission<Action: Sendable>: Sendable {
    /// The hidden field `request`.
    package var request: String
    /// The hidden field `csrf`.
    package var csrf: String
    /// The button and its fields.
    package var action: Action

    package init(request: String, csrf: String, action: Action) {
        self.request = request
        self.csrf = csrf
        self.action = action
    }

    /// - Parameters:
    ///   - form: as it arrived.
    ///   - action: the button and its fields, read from the form.
    package init(_ form: FormParameters, action: Action) throws(MalformedValue) {
        self.init(request: try form.required("request"), csrf: try form.required("csrf"), action: action)
    }
}

/// What a page of a sign-in shows, besides what its state says anyway.
struct ShownStep: Codable, Sendable {
    var step: SignInPage.Step
    var notice: SignInPage.Notice?
    var at: Timestamp
}

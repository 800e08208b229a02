internal import Kernel
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
    /// The account named on the page: another tab may have signed in another person since.
    var named: String?
    /// A person without an account, to whom the page offers one.
    var guest: PageGuest?
    /// The offer on a consent page. "Allow" grants exactly this.
    var allowing: ClientConsentOffer?
    /// The merchant that the person chose, if the request names none.
    var merchant: MerchantID?
    /// State of the account's own page; `nil` for an app's sign-in.
    package var account: AccountPageState?
    /// The wrong secrets typed on the pages before; `nil` for none.
    var misses: Int?
    /// The form that carried this state. It is not part of what is sealed.
    var form: SubmittedForm?

    private enum CodingKeys: String, CodingKey {
        case request, binding, pending, recovery, named, guest, allowing, merchant, account, misses
    }

    /// Long enough for an interruption. An older page is refused as stale.
    package static let lifetime = PasskeyChallenges.lifetime

    /// Whether anything was proved before this page.
    var hasProof: Bool { pending != nil || guest != nil }
}

/// A form submitted from a page.
package struct PageSubmission<Action: Sendable>: Sendable {
    /// The hidden field `request`.
    package var request: String
    /// The hidden field `csrf`.
    package var csrf: String
    /// The button and its fields.
    package var action: Action
    /// A digest of all fields, by which the same submission is recognized; see ``RepeatedMistake``. `nil` if it is not to be.
    package var fields: [UInt8]?

    package init(request: String, csrf: String, action: Action, fields: [UInt8]? = nil) {
        self.request = request
        self.csrf = csrf
        self.action = action
        self.fields = fields
    }

    /// - Parameters:
    ///   - form: as it arrived.
    ///   - action: the button and its fields, read from the form.
    package init(_ form: FormParameters, action: Action) throws(MalformedValue) {
        self.init(
            request: try form.required("request"), csrf: try form.required("csrf"), action: action,
            fields: Digests.of("form-fields", Array(form.encoded.utf8)))
    }
}

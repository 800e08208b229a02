internal import Kernel
internal import WalletAuthWire
internal import Web

/// The answer of the sign-out endpoint.
struct LogoutAnswer: Sendable {
    enum Outcome: Sendable {
        /// The page that asks first.
        case asking(LogoutPage)
        /// The page that says that the browser is signed out.
        case signedOut(BrandAppearance, locales: [LocaleTag])
        /// The address of that page, without what the request has.
        case plain(location: String)
        /// The way back to the client, at a URI that it registered.
        case leave(LogoutReturn)
        case refused(LogoutFault)
    }

    var outcome: Outcome
    var cookies: [CookieChange] = []
}

/// The page that asks a person whether to sign out.
struct LogoutPage: Sendable {
    /// The hidden fields of its form.
    var request: String
    var csrf: String
    var username: String
    /// Where the form leads in the end; `nil` if it stays here.
    var location: String?
    var appearance: BrandAppearance
    var locales: [LocaleTag]
}

/// The return to a client after the sign-out.
struct LogoutReturn: Sendable {
    var location: String
    /// The client's name.
    var app: String
    var appearance: BrandAppearance
    var locales: [LocaleTag]
}

/// Why there is an error page in place of a sign-out.
enum LogoutFault: Error, Hashable {
    case unknownClient
    /// `client_id` is not the audience of the ID token.
    case otherClient
    /// `post_logout_redirect_uri` is not registered for the client.
    case unregisteredURI(RedirectMismatch)
    /// The form is too old, or another browser's.
    case stalePage
}

/// The sealed content of the page's form.
struct LogoutState: Codable, Sendable {
    var request: LogoutRequest
    /// A digest of the binding cookie of the browser that received the page.
    var binding: [UInt8]
    /// The hash of the session that the person was asked about.
    var session: [UInt8]
}

/// The page that asks whether to sign out: one button, and the way to the account for those who stay.
struct LogoutValues: PageValues {
    let form: PageFormValues
    let signOut: ButtonsValues
    let account: LinkValues

    static let template = PageTemplate(
        "logout",
        """
        {{<layout}}
        {{$content}}
        {{#signOut}}
        {{> buttons}}
        {{/signOut}}
        {{#account}}
        <p class="next"><a href="{{address}}" rel="noreferrer">{{label}}</a></p>
        {{/account}}
        {{/content}}
        {{/layout}}

        """)
}

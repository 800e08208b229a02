internal import AuthCore
internal import ClientConsents
internal import Crypto
internal import WalletAuthWire

/// What the hosted page's form carries sealed: the request, as it was checked, and how far the sign-in has come.
struct PageState: Codable, Sendable {
    /// The authorization request.
    var request: AuthorizationRequest
    /// The browser that was shown the page: a digest of its binding cookie.
    var binding: [UInt8]
    /// A sign-in whose first factor was right.
    var pending: PendingSignIn?
    /// A recovery that waits for its code.
    var recovery: String?
    /// Whom the page named when it asked to go on: another tab may have signed somebody else in since.
    var named: String?
    /// A person without an account, whom the page offers one.
    var guest: PageGuest?
    /// What a consent page offered: pressing "Allow" allows it.
    var allowing: ClientConsentOffer?
    /// The merchant that the person chose, where the request names none.
    var merchant: MerchantID?
    /// What the account's own page carries; `nil` for an app's sign-in.
    var account: AccountPageState?

    /// Long enough for somebody who is called away; a page that is older says so.
    static let lifetime = Duration.hours(1)

    /// Whether something was proved on the way to the page.
    var hasProof: Bool { pending != nil || guest != nil }
}

/// Ties pages to browsers: the sealed state, the form's token, and the three cookies.
struct PageSeal: Sendable {
    let context: ServerContext

    private var states: SealedState<PageState> {
        SealedState(context: context, purpose: .page, label: "page", lifetime: PageState.lifetime)
    }

    private var devices: SealedState<KnownDeviceCookie> {
        SealedState(
            context: context, purpose: .page, label: "known-device", lifetime: KnownDeviceCookie.lifetime,
            restore: .spares)
    }

    /// The cookie's value that a browser is bound by; made new where the one presented is not of our making's form.
    func binding(_ presented: String?) -> String {
        guard let presented, Base64URL.decode(presented)?.count == 32 else { return newBinding() }
        return presented
    }

    /// A value for a browser that nobody can know before.
    func newBinding() -> String { Base64URL.encode(context.random.bytes(32)) }

    /// What a state remembers of a binding.
    static func digest(of binding: String) -> [UInt8] { Digests.of("page-binding", Array(binding.utf8)) }

    /// The hidden fields of a page.
    func fields(_ state: PageState, binding: String, now: Timestamp) throws -> (request: String, csrf: String) {
        let request = try states.seal(state, now: now)
        return (request, token(for: request, binding: binding, key: try context.keyRing.active(.page)))
    }

    /// The state of a form that this browser was served; `nil` for a forged, foreign or stale one.
    func open(_ request: String, csrf: String, binding: String?, now: Timestamp) -> PageState? {
        guard let binding, Base64URL.decode(binding)?.count == 32 else { return nil }
        guard isGenuine(csrf, for: request, binding: binding, now: now), let state = states.open(request, now: now),
            ConstantTime.equal(state.binding, Self.digest(of: binding))
        else { return nil }
        return state
    }

    /// Whether a form's token was made for this request and this browser.
    func isGenuine(_ csrf: String, for request: String, binding: String, now: Timestamp) -> Bool {
        context.keyRing.keys(.page, at: now).contains {
            ConstantTime.equal(token(for: request, binding: binding, key: $0), csrf)
        }
    }

    /// The known-device cookie's content; `nil` where there is none of ours.
    func device(_ cookie: String?, now: Timestamp) -> KnownDeviceCookie? {
        cookie.flatMap { devices.open($0, now: now) }
    }

    /// The cookie after an account signed in.
    func device(
        _ cookie: KnownDeviceCookie?, adding account: String, by proof: KnownDeviceCookie.Proof, now: Timestamp
    ) throws -> CookieChange {
        let device = cookie ?? KnownDeviceCookie(device: newBinding(), accounts: [])
        let known = device.adding(account, by: proof, now: now)
        return CookieChange(
            cookie: .device, value: try devices.seal(known, now: now), lifetime: KnownDeviceCookie.lifetime)
    }

    /// The token of a form.
    func token(for request: String, binding: String, key: DataKey) -> String {
        let message = Array("csrf\0\(binding)\0\(request)".utf8)
        return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key)))
    }
}

package import Core
internal import Crypto
package import Kernel
internal import WalletAuthWire

/// Binds pages to browsers: the sealed state, the form's token, and the cookies of a sign-in.
package struct PageSeal: Sendable {
    private let states: SealedState<PageState>
    private let devices: SealedState<KnownDeviceCookie>
    let keyRing: KeyRing
    private let random: any RandomBytes

    package init(sealing: SealingKeys, keyRing: KeyRing, random: any RandomBytes) {
        states = SealedState(sealing, purpose: .page, label: "page", lifetime: PageState.lifetime)
        devices = SealedState(
            sealing, purpose: .page, label: "known-device", lifetime: KnownDeviceCookie.lifetime, restore: .spares)
        self.keyRing = keyRing
        self.random = random
    }

    /// The binding cookie's value; a new one if the presented value is malformed.
    package func binding(_ presented: String?) -> String {
        guard let presented, Base64URL.decode(presented)?.count == 32 else { return newBinding() }
        return presented
    }

    /// An unpredictable value.
    func newBinding() -> String { Base64URL.encode(random.bytes(32)) }

    /// The digest of a binding, as kept in a state.
    package static func digest(of binding: String) -> [UInt8] { Digests.of("page-binding", Array(binding.utf8)) }

    /// The hidden fields of a page.
    package func fields(_ state: PageState, binding: String, now: Timestamp) throws -> (request: String, csrf: String) {
        let request = try states.seal(state, now: now)
        return (request, token(for: request, binding: binding, key: try keyRing.active(.page)))
    }

    /// A form that arrived.
    package enum Form {
        /// It was served to this browser, which has had no other binding since.
        case current(PageState)
        /// It is genuine, but bound to another cookie: the browser has signed in since, perhaps in another tab, or the form was served to
        /// another browser. Only its request counts, which any page on the web may begin.
        case unbound(PageState)
        /// Forged or too old, or the browser sends no cookies.
        case refused
    }

    /// Opens a form.
    package func open(_ request: String, csrf: String, binding: String?, now: Timestamp) -> Form {
        let form = open(address: request, binding: binding, now: now)
        switch form {
        // The address of its page has the same state, but no token: posting it says nothing of the request.
        case .current(let state), .unbound(let state):
            guard isGenuine(csrf, for: request, boundTo: state.binding, now: now) else { return .refused }
        case .refused: return .refused
        }
        guard case .current(var state) = form else { return form }
        state.form = SubmittedForm(request)
        return .current(state)
    }

    /// Opens a form with the button that was pressed.
    func open<Action>(_ submission: PageSubmission<Action>, binding: String?, now: Timestamp) -> Form {
        open(submission.request, csrf: submission.csrf, binding: binding, now: now)
    }

    /// Opens the state in the address of a page. It has no form's token, since showing a page changes nothing.
    func open(address request: String, binding: String?, now: Timestamp) -> Form {
        guard let binding, Base64URL.decode(binding)?.count == 32, let state = states.open(request, now: now) else {
            return .refused
        }
        return ConstantTime.equal(state.binding, Self.digest(of: binding)) ? .current(state) : .unbound(state)
    }

    /// The state that was sealed for a page of this browser, which the server kept itself. No form's token is needed: nothing was posted.
    func state(in request: String, binding: String, now: Timestamp) -> PageState? {
        guard case .current(let state) = open(address: request, binding: binding, now: now) else { return nil }
        return state
    }

    /// The state of a genuine form, however old, or whichever browser it comes from. It tells an error page how to look, and counts for
    /// nothing else.
    func genuine(_ request: String) -> PageState? { states.openExpired(request) }

    /// Whether a form's token was made for this request and this browser.
    package func isGenuine(_ csrf: String, for request: String, binding: String, now: Timestamp) -> Bool {
        isGenuine(csrf, for: request, boundTo: Self.digest(of: binding), now: now)
    }

    /// Whether a form's token was made for this request and the browser with the binding of this digest.
    private func isGenuine(_ csrf: String, for request: String, boundTo digest: [UInt8], now: Timestamp) -> Bool {
        keyRing.keys(.page, at: now).contains {
            ConstantTime.equal(token(for: request, boundTo: digest, key: $0), csrf)
        }
    }

    /// The known-device cookie's content; `nil` if it was not sealed here.
    func device(_ cookie: String?, now: Timestamp) -> KnownDeviceCookie? {
        cookie.flatMap { devices.open($0, now: now) }
    }

    /// The cookie after an account signed in.
    /// - Parameter binding: the binding cookie that the sign-in replaces.
    func device(
        _ cookie: KnownDeviceCookie?, adding account: String, by proof: KnownDeviceCookie.Proof,
        replacing binding: String?, now: Timestamp
    ) throws -> CookieChange {
        let device = cookie ?? KnownDeviceCookie(device: newBinding(), accounts: [])
        var known = device.adding(account, by: proof, now: now)
        known.formerBinding = binding.map { Self.digest(of: $0) }
        return try change(to: known, now: now)
    }

    /// The cookies of a browser whose forms are spent without a sign-in. Its addresses from before still lead on, see
    /// ``Authorization/show(address:cookies:origin:)``.
    /// - Parameter isCancelled: whether the person cancelled.
    func leaving(
        _ cookies: BrowserCookies, isCancelled: Bool = false, now: Timestamp
    ) throws -> (binding: String, changes: [CookieChange]) {
        var device = device(cookies.device, now: now) ?? KnownDeviceCookie(device: newBinding(), accounts: [])
        device.formerBinding = cookies.binding.map { Self.digest(of: $0) }
        device.isCancelled = isCancelled ? true : nil
        let next = newBinding()
        return (next, [CookieChange(cookie: .binding, value: next), try change(to: device, now: now)])
    }

    private func change(to device: KnownDeviceCookie, now: Timestamp) throws -> CookieChange {
        CookieChange(
            cookie: .device, value: try devices.seal(device, now: now), lifetime: KnownDeviceCookie.lifetime)
    }

    /// The form's CSRF token.
    package func token(for request: String, binding: String, key: DataKey) -> String {
        token(for: request, boundTo: Self.digest(of: binding), key: key)
    }

    /// Made from the digest, which a state contains: the token of a form that is bound to another cookie can be checked as well.
    private func token(for request: String, boundTo digest: [UInt8], key: DataKey) -> String {
        let message = Array("csrf\0".utf8) + digest + Array(request.utf8)
        return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key)))
    }
}

extension KnownDeviceCookie.Proof {
    /// The trust that a sign-in gives its browser, once the gate admitted it.
    init(_ admission: Admission) { self.init(admission.grant) }
}

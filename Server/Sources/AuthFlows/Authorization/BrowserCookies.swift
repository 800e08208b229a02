/// The three cookies of the hosted pages. The edge sets each `Secure` (outside the sandbox's loopback), `HttpOnly`,
/// `SameSite=Lax` and with the `__Host-` prefix where the issuer is https.
package enum BrowserCookie: String, Sendable, CaseIterable {
    /// Ties a page's form to the browser that was shown it. Lives as long as the browser runs.
    case binding = "wa_binding"
    /// A finished sign-in, which serves for further, silent ones.
    case session = "wa_session"
    /// Makes this browser a known device of the accounts that signed in with it.
    case device = "wa_device"
}

/// The cookies that a request brought; each is opaque and checked before it counts.
package struct BrowserCookies: Sendable {
    /// The value of ``BrowserCookie/binding``.
    package var binding: String?
    /// The value of ``BrowserCookie/session``.
    package var session: String?
    /// The value of ``BrowserCookie/device``.
    package var device: String?

    /// - Parameters:
    ///   - binding: the value of ``BrowserCookie/binding``.
    ///   - session: the value of ``BrowserCookie/session``.
    ///   - device: the value of ``BrowserCookie/device``.
    package init(binding: String? = nil, session: String? = nil, device: String? = nil) {
        self.binding = binding
        self.session = session
        self.device = device
    }
}

/// A cookie to set or to remove.
package struct CookieChange: Sendable, Hashable {
    /// Which one.
    package var cookie: BrowserCookie
    /// Its new value; `nil` removes it.
    package var value: String?
    /// Its `Max-Age`; `nil` for a cookie that ends with the browser.
    package var lifetime: Duration?
}

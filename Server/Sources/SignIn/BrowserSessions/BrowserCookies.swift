/// The cookies of the hosted pages. The edge sets each `Secure` (outside the sandbox's loopback), `HttpOnly`,
/// `SameSite=Lax`, and with the `__Host-` prefix if the issuer is https.
package enum BrowserCookie: String, Sendable, CaseIterable {
    /// Binds a page's form to the browser that received it. Ends with the browser.
    case binding = "wa_binding"
    /// A finished sign-in, good for further silent ones.
    case session = "wa_session"
    /// Makes this browser a known device of the accounts that signed in with it.
    case device = "wa_device"
    /// Binds the page with a transaction's code to the browser that drew it.
    case watch = "wa_watch"
}

/// The cookies of a request. Each is opaque and checked before it counts.
package struct BrowserCookies: Sendable {
    package var binding: String?
    package var session: String?
    package var device: String?
    package var watch: String?
}

/// A cookie to set or remove.
package struct CookieChange: Sendable, Hashable {
    package var cookie: BrowserCookie
    /// `nil` removes it.
    package var value: String?
    /// Its `Max-Age`; `nil` for a cookie that ends with the browser.
    package var lifetime: Duration?

    package init(cookie: BrowserCookie, value: String? = nil, lifetime: Duration? = nil) {
        self.cookie = cookie
        self.value = value
        self.lifetime = lifetime
    }
}

package import HTTPTypes
package import WalletAuthWire
package import Web

/// The pages' cookies on the wire.
///
/// With https each has the `__Host-` prefix, with which the browser guarantees that it came over TLS from this exact
/// host. No other host of the domain can plant one. On the sandbox's http loopback, browsers refuse the prefix, so the
/// names are plain.
package struct CookieJar: Sendable {
    private let prefix: String
    private let attributes: String

    package init(issuer: Issuer) {
        prefix = issuer.isInsecure ? "" : "__Host-"
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (issuer.isInsecure ? "" : "; Secure")
    }

    /// The cookies of a request. A cookie that appears twice counts as absent: one of the two may be planted, and there
    /// is no way to tell which.
    package func cookies(of headers: HTTPFields) -> BrowserCookies {
        var found: [BrowserCookie: String] = [:]
        var doubled: Set<BrowserCookie> = []
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.trimmed()
                guard let equals = pair.firstIndex(of: "="), pair.hasPrefix(prefix) else { continue }
                let name = pair[pair.index(pair.startIndex, offsetBy: prefix.count)..<equals]
                guard let cookie = BrowserCookie(rawValue: String(name)) else { continue }
                let value = String(pair[pair.index(after: equals)...])
                if found.updateValue(value, forKey: cookie) != nil { doubled.insert(cookie) }
            }
        }
        for cookie in doubled { found[cookie] = nil }
        return BrowserCookies(
            binding: found[.binding], session: found[.session], device: found[.device], watch: found[.watch])
    }

    package func apply(_ changes: [CookieChange], to response: inout EndpointResponse) {
        for change in changes {
            var text = prefix + change.cookie.rawValue + "=" + (change.value ?? "") + attributes
            if change.value == nil {
                text += "; Max-Age=0"
            } else if let lifetime = change.lifetime {
                text += "; Max-Age=\(lifetime.components.seconds)"
            }
            response.headers.append(HTTPField(name: .setCookie, value: text))
        }
    }
}

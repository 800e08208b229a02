import HTTPTypes
import Hummingbird
import Testing
import WalletAuthWire

@testable import SignIn
@testable import Web

@Suite("How pages look and what they may load", .threat("session fixation by a planted cookie"))
struct LookTests {
    @Test("Any brand color leaves text readable, on it and as a link, in the light and in the dark")
    func contrast() throws {
        for value in stride(from: 0, through: 0xffffff, by: 0x010307) {
            let digits = String(value, radix: 16)
            let color = try #require(BrandColor(String(repeating: "0", count: 6 - digits.count) + digits))
            #expect(color.ink.contrast(with: color) >= 4.5, "\(color.hex)")
            for ground in ["f3f5f8", "ffffff", "0e1217", "171d25"] {
                let surface = try #require(BrandColor(ground))
                let dark = ground < "8"
                let hardest = try #require(BrandColor(dark ? "171d25" : "f3f5f8"))
                let link = color.readable(on: hardest)
                #expect(link.contrast(with: surface) >= 4.5, "\(color.hex) on \(ground)")
                let edge = color.readable(on: hardest, ratio: 3)
                #expect(edge.contrast(with: surface) >= 3, "\(color.hex) on \(ground)")
            }
        }
    }

    @Test("The stylesheet's own pairs of colors contrast by 4.5 to 1")
    func ownColors() throws {
        let schemes = Stylesheet.text.components(around: "@media (prefers-color-scheme: dark)")
        for scheme in [schemes.before, schemes.after] {
            func color(_ name: String) throws -> BrandColor {
                let pattern = try Regex("--\(name): #([0-9a-f]{6})")
                let match = try #require(scheme.firstMatch(of: pattern))
                let digits = try #require(match.output[1].substring)
                return try #require(BrandColor(digits))
            }
            let pairs = [
                ("ink", "ground"), ("ink", "surface"), ("soft", "ground"), ("soft", "surface"), ("link", "ground"),
                ("link", "surface"), ("on-accent", "accent"), ("bad", "bad-ground"), ("ink", "bad-ground"),
                ("good", "good-ground"), ("ink", "good-ground"),
            ]
            for (text, ground) in pairs {
                #expect(try color(text).contrast(with: color(ground)) >= 4.5, "\(text) on \(ground)")
            }
            // The edge of a field is no text: 3 to 1 (WCAG 2.2 §1.4.11).
            #expect(try color("field-line").contrast(with: color("surface")) >= 3)
            #expect(try color("edge").contrast(with: color("surface")) >= 3)
        }
    }

    @Test("Only what was done is shown as a success; what was not, without a fault, is neither")
    func noticeKinds() {
        let kinds: [(PageNotice.Kind, style: String, role: String)] = [
            (.fault, "bad", "alert"), (.success, "good", "status"), (.information, "plain", "status"),
        ]
        for (kind, style, role) in kinds {
            let values = PageNotice(text: "text", kind: kind).values(heading: "heading")
            #expect(values.noticeKind == style)
            #expect(values.noticeRole == role)
            #expect((values.noticeHeading == nil) == (kind != .fault))
            #expect(Stylesheet.text.contains(".notice.\(style) {"))
        }
    }

    @Test(
        "CSS injection by a color: only six hexadecimal digits are one",
        arguments: ["", "fff", "12345g", "#12345", "red", "000000}", "000000;", "００００００", "url(x)"])
    func colors(text: String) {
        #expect(BrandColor(text) == nil)
    }

    @Test(
        "The policy names an app's address by origin or scheme",
        arguments: [
            ("https://app.example.com/callback?x=1", "https://app.example.com"),
            ("http://127.0.0.1:4711/cb", "http://127.0.0.1:4711"), ("http://[::1]:4711/", "http:"),
            ("com.example.app:/callback", "com.example.app:"),
        ])
    func policySources(url: String, source: String) {
        #expect(ContentPolicy.source(for: url) == source)
    }

    @Test(
        "Policy injection: an address with a semicolon, a space or a quotation mark adds nothing to the policy",
        arguments: ["https://a; script-src *", "https://a b", "https://'unsafe-inline'", "a b:c", ":", "none"])
    func policyInjection(url: String) {
        let policy = ContentPolicy(formTargets: [url]).text
        #expect(policy.contains("form-action 'self'; "))
    }

    @Test("Only its own hashed files, and any color's stylesheet, are assets")
    func assets() throws {
        let assets = PageAssets()
        let stylesheet = try #require(assets.response(for: assets.stylesheetName))
        #expect(stylesheet.headers[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(stylesheet.headers[.contentType] == "text/css; charset=utf-8")
        let brand = PageAssets.stylesheetName(for: try #require(BrandColor("1f5eff")))
        #expect(assets.response(for: brand) != nil)
        for name in [
            brand.uppercased(), "brand-1f5eff.css", brand.replacing("1f5eff", with: "1f5efe"), "brand-.css",
            "brand-12345.css", "pages.css", "..", "../Package.swift", "",
        ] {
            #expect(assets.response(for: name) == nil, "\(name)")
        }
    }

    @Test("On https the cookies are __Host-, Secure, HttpOnly and Lax; on loopback they bear plain names")
    func cookieAttributes() throws {
        func header(_ issuer: String) throws -> String? {
            var response = EndpointResponse(status: .ok)
            CookieJar(issuer: try Issuer(issuer)).apply([.session("abc")], to: &response)
            return response.headers[.setCookie]
        }
        #expect(
            try header("https://id.example.com")
                == "__Host-wa_session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60")
        #expect(try header("http://127.0.0.1:8700") == "wa_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60")
    }

    @Test("Session fixation: a cookie without its prefix, or one that appears twice, counts as absent")
    func plantedCookies() throws {
        let jar = CookieJar(issuer: try Issuer("https://id.example.com"))
        #expect(jar.cookies(of: [.cookie: "wa_session=planted"]).session == nil)
        #expect(jar.cookies(of: [.cookie: "__Host-wa_session=own; a=b"]).session == "own")
        #expect(jar.cookies(of: [.cookie: "__Host-wa_session=own; __Host-wa_session=planted"]).session == nil)
        var split = HTTPFields()
        split.append(HTTPField(name: .cookie, value: "__Host-wa_session=own"))
        split.append(HTTPField(name: .cookie, value: "__Host-wa_device=known"))
        #expect(jar.cookies(of: split).session == "own")
        #expect(jar.cookies(of: split).device == "known")
    }
}

extension CookieChange {
    fileprivate static func session(_ value: String) -> CookieChange {
        CookieChange(cookie: .session, value: value, lifetime: .seconds(60))
    }
}

extension String {
    fileprivate func components(around separator: String) -> (before: Substring, after: Substring) {
        guard let range = firstRange(of: separator) else { return (self[...], "") }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }
}

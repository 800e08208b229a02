import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// Every page that a person may see, from what a flow answered to HTML with its headers.
struct Pages: Sendable {
    let templates: PageTemplates
    let assets: PageAssets
    let issuer: Issuer

    /// - Parameter issuer: names the path below which forms and assets lie; the `Host` header is never asked.
    /// - Throws: ``PageTemplates/Fault`` when a template is broken.
    init(issuer: Issuer) throws(PageTemplates.Fault) {
        templates = try PageTemplates()
        assets = PageAssets()
        self.issuer = issuer
    }

    func assetPath(_ name: String) -> String { issuer.pathPrefix + "/assets/" + name }

    /// The values that the layout needs on every page.
    func frame(
        _ language: PageLanguage, title: String, brandName: String, look: BrandStyle = BrandStyle(),
        footer: String? = nil
    ) -> [String: Any] {
        var values: [String: Any] = [
            "language": language.rawValue,
            "title": "\(title) · \(brandName)",
            "stylesheet": assetPath(assets.stylesheetName),
            "icon": assetPath(assets.iconName),
            "brandName": brandName,
            "monogram": Self.monogram(of: brandName),
        ]
        if let color = look.color { values["brandStylesheet"] = assetPath(PageAssets.stylesheetName(for: color)) }
        if let logo = look.logo { values["logo"] = logo.rawValue }
        if let footer { values["footer"] = footer }
        return values
    }

    func response(
        _ status: HTTPResponse.Status, _ template: PageTemplate, _ values: [String: Any], _ language: PageLanguage,
        _ policy: ContentPolicy
    ) -> Response {
        var response = Response.html(status, templates.render(template, values))
        response.headers[.contentLanguage] = language.rawValue
        response.headers[.vary] = "Accept-Language"
        response.headers[.contentSecurityPolicy] = policy.text
        response.headers[.xFrameOptions] = "DENY"
        response.headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=()"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        return response
    }

    /// The first letter of a name; a host that is an address has none.
    private static func monogram(of name: String) -> String {
        name.first { $0.isLetter }.map { $0.uppercased() } ?? "W"
    }
}

/// How a brand looks, where it says so.
struct BrandStyle: Sendable {
    /// In place of the accent color.
    var color: BrandColor?
    /// An image in place of the monogram and the name.
    var logo: WebURL?

    /// Where its images lie, for the policy.
    var images: [String] { [logo?.rawValue].compactMap { $0 } }
}

extension BrandStyle {
    init(_ appearance: BrandAppearance) {
        self.init(color: appearance.color.flatMap { BrandColor($0) }, logo: appearance.logo)
    }
}

/// A page's Content-Security-Policy: nothing but the server's own stylesheet, and each page's form target by name.
struct ContentPolicy: Sendable {
    /// Whether the page brings the one script.
    enum Script: Sendable {
        case none
        case ownFile
    }

    let text: String

    /// - Parameters:
    ///   - formTargets: where the page's form leads in the end. Browsers hold the redirect after a form to
    ///     `form-action` as well, so without the app's address the way back to it would be blocked. `nil` leaves forms free.
    ///   - images: where the brand's logo lies.
    ///   - script: whether the page brings the one script.
    init(formTargets: [String]? = [], images: [String] = [], script: Script = .none) {
        let images = (["'self'"] + images.compactMap(Self.source)).joined(separator: " ")
        var text = "default-src 'none'; style-src 'self'; img-src \(images); "
        if let formTargets {
            let targets = (["'self'"] + formTargets.compactMap(Self.source)).joined(separator: " ")
            text += "form-action \(targets); "
        }
        if case .ownFile = script { text += "script-src 'self'; " }
        self.text = text + "base-uri 'none'; frame-ancestors 'none'"
    }

    /// The source expression that matches a URL: its origin, or its scheme for an app's own.
    ///
    /// An IPv6 literal has no spelling in the policy's grammar, so the loopback `[::1]` is named by its scheme.
    static func source(for url: String) -> String? {
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let scheme = url[..<colon]
        guard !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isSchemeCharacter) else { return nil }
        let rest = url[url.index(after: colon)...]
        guard scheme == "https" || scheme == "http", rest.hasPrefix("//") else { return scheme + ":" }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.hasPrefix("[") else { return scheme + ":" }
        guard !authority.isEmpty, authority.utf8.allSatisfy(Self.isAuthorityCharacter) else { return nil }
        return "\(scheme)://\(authority)"
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// Nothing that could end the expression or begin another directive.
    private static func isAuthorityCharacter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

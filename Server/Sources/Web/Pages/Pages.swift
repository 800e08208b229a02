package import Core
package import HTTPTypes
package import Kernel
package import WalletAuthWire

/// Renders every page a person can see: from the answer of a flow to HTML with its headers. It decides nothing and
/// reads no storage.
package struct Pages: Sendable {
    package let templates: PageTemplates
    package let assets: PageAssets
    package let issuer: Issuer
    /// The address of the sandbox's outbox; `nil` in production.
    private let outbox: String?

    /// - Parameters:
    ///   - issuer: the source of the base path of forms and assets. The `Host` header is never used.
    ///   - templates: of all pages.
    ///   - outbox: the path of the sandbox's outbox; `nil` in production.
    package init(issuer: Issuer, templates: PageTemplates, outbox: String? = nil) {
        self.templates = templates
        assets = PageAssets()
        self.issuer = issuer
        self.outbox = outbox.map { issuer.pathPrefix + $0 }
    }

    /// From a page that asks for a code to the message with it, in the sandbox only.
    package func messageLink(_ language: Language) -> LinkValues? {
        outbox.map { LinkValues(address: $0, label: language.sandbox[.messageLabel]) }
    }

    package func assetPath(_ name: String) -> String { issuer.pathPrefix + "/assets/" + name }

    /// Where the forms of a page go. Error pages find the page's languages there.
    /// - Parameters:
    ///   - path: of the endpoint.
    ///   - locales: the languages of the request (`ui_locales`), best first.
    package func formAddress(_ path: String, _ locales: [LocaleTag]) -> String {
        guard !locales.isEmpty else { return issuer.pathPrefix + path }
        var languages = FormParameters()
        languages.append("ui_locales", locales.prefix(8).map(\.rawValue).joined(separator: " "))
        return issuer.pathPrefix + path + "?" + languages.encoded
    }

    /// The values of the layout.
    /// - Parameters:
    ///   - title: of the window, if not the heading.
    ///   - brandName: above the page; `nil` for a page without a name, see ``ownName``.
    package func frame(
        _ language: Language, title: String? = nil, heading: String, lead: String, brandName: String?,
        look: BrandStyle = BrandStyle(), footer: String? = nil
    ) -> PageFrame {
        PageFrame(
            language: language.rawValue,
            title: [title ?? heading, brandName].compactMap { $0 }.joined(separator: " · "),
            icon: assetPath(assets.iconName), stylesheet: assetPath(assets.stylesheetName),
            brandStylesheet: look.color.map { assetPath(PageAssets.stylesheetName(for: $0)) },
            brand: brandName.map {
                .init(logo: look.logo?.rawValue, brandName: $0, monogram: Self.monogram(of: $0))
            },
            heading: heading, lead: LineValues(lead), footer: footer.map(LineValues.init),
            supportLink: supportLink(language, brandName, look))
    }

    private func supportLink(_ language: Language, _ brandName: String?, _ look: BrandStyle) -> LinkValues? {
        guard let address = look.support, let brandName else { return nil }
        let text = BrandLanguage(language, look.texts).text
        return LinkValues(address: address, label: text[.supportLabel, ["brand": brandName]])
    }

    /// The name on pages that belong to no brand: the server's domain. An IP address or `localhost` is no name to people.
    package var ownName: String? {
        let host = issuer.host
        let isDomain = host.contains(".") && host.last?.isLetter == true && !host.hasSuffix(".localhost")
        return isDomain ? host : nil
    }

    package func response(
        _ status: HTTPResponse.Status, _ page: some PageValues, in frame: PageFrame, _ language: Language,
        _ policy: ContentPolicy
    ) -> EndpointResponse {
        var response = EndpointResponse.html(status, templates.render(page, in: frame))
        response.headers[.contentLanguage] = language.rawValue
        response.headers[.vary] = "Accept-Language"
        response.headers[.contentSecurityPolicy] = policy.text
        response.headers[.xFrameOptions] = "DENY"
        response.headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=()"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        return response
    }

    /// The first letter of a name.
    private static func monogram(of name: String) -> String {
        name.first { $0.isLetter }.map { $0.uppercased() } ?? "W"
    }
}

/// The parts of a brand's look that replace or add to the defaults.
package struct BrandStyle: Sendable {
    /// Replaces the accent color.
    package var color: BrandColor?
    /// Replaces the monogram and the name.
    package var logo: WebURL?
    /// Where its people get help.
    package var support: String?
    package var texts: BrandTexts?

    package init(color: BrandColor? = nil, logo: WebURL? = nil) {
        self.color = color
        self.logo = logo
    }

    /// The URLs of its images, for the policy.
    package var images: [String] { [logo?.rawValue].compactMap { $0 } }
}

extension BrandStyle {
    package init(_ appearance: BrandAppearance) {
        self.init(color: appearance.color.flatMap { BrandColor($0) }, logo: appearance.logo)
        support = appearance.support
        texts = appearance.texts
    }
}

/// A page's Content-Security-Policy: only the server's own stylesheet, and an explicit form target per page.
package struct ContentPolicy: Sendable {
    /// Whether the page includes the passkey or form script.
    package enum Script: Sendable {
        case none
        case ownFile
        /// The script asks this server for the page's state.
        case asking
    }

    package let text: String

    /// - Parameters:
    ///   - formTargets: the final destinations of the page's form. Browsers also apply `form-action` to the redirect
    ///     after a form, so the policy must include the app's address. `nil` does not restrict forms.
    ///   - images: the URLs of the brand's images.
    package init(formTargets: [String]? = [], images: [String] = [], script: Script = .none) {
        let images = (["'self'"] + images.compactMap(Self.source)).joined(separator: " ")
        var text = "default-src 'none'; style-src 'self'; img-src \(images); "
        if let formTargets {
            let targets = (["'self'"] + formTargets.compactMap(Self.source)).joined(separator: " ")
            text += "form-action \(targets); "
        }
        switch script {
        case .none: break
        case .ownFile: text += "script-src 'self'; "
        case .asking: text += "script-src 'self'; connect-src 'self'; "
        }
        self.text = text + "base-uri 'none'; frame-ancestors 'none'"
    }

    /// The source expression that matches a URL: its origin, or the scheme of an app's own URL.
    ///
    /// The policy's grammar cannot express an IPv6 literal, so the loopback `[::1]` is covered by its scheme.
    package static func source(for url: String) -> String? {
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

    /// Excludes characters that could end the expression or start another directive.
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

/// What a page says about the last submission. It is a fault by default.
package struct PageNotice {
    package enum Kind {
        case fault
        /// What the person asked for was done.
        case success
        /// Neither: nothing is wrong, and nothing was done.
        case information
    }

    package var text: String
    package var kind = Kind.fault
    package var isFault: Bool { kind == .fault }
    /// Whether the page's field is at fault. The notice is then at the field.
    package var concernsField = false
    /// A second sentence with advice.
    package var hint: String?

    package init(text: String, kind: Kind = .fault, concernsField: Bool = false, hint: String? = nil) {
        self.text = text
        self.kind = kind
        self.concernsField = concernsField
        self.hint = hint
    }

    /// The values of the template.
    /// - Parameter heading: the heading above a fault.
    package func values(heading: String) -> NoticeValues {
        let style =
            switch kind {
            case .fault: "bad"
            case .success: "good"
            case .information: "plain"
            }
        return NoticeValues(
            noticeKind: style, noticeRole: isFault ? "alert" : "status",
            noticeHeading: isFault ? heading : nil, noticeText: text, noticeHint: hint)
    }
}

package import Kernel

/// A family of browsers. The list is closed, so that nothing a browser writes is ever stored or shown.
package enum BrowserFamily: String, Sendable, CaseIterable {
    case chrome, edge, firefox, safari, opera, brave
    case samsungInternet = "samsung_internet"

    /// The product's name, in every language.
    package var name: String {
        switch self {
        case .chrome: "Chrome"
        case .edge: "Edge"
        case .firefox: "Firefox"
        case .safari: "Safari"
        case .opera: "Opera"
        case .brave: "Brave"
        case .samsungInternet: "Samsung Internet"
        }
    }
}

/// A family of operating systems, or of devices where people know the device rather than its system.
package enum SystemFamily: String, Sendable, CaseIterable {
    case windows, macos, linux, android, iphone, ipad, chromeos

    /// The product's name, in every language.
    package var name: String {
        switch self {
        case .windows: "Windows"
        case .macos: "macOS"
        case .linux: "Linux"
        case .android: "Android"
        case .iphone: "iPhone"
        case .ipad: "iPad"
        case .chromeos: "ChromeOS"
        }
    }
}

/// The kind of browser that a session belongs to, so that the holder can tell their sessions apart. It is what the browser says of
/// itself, and proves nothing.
///
/// A browser built on another one names both, and then itself. One that is not in the list stays unknown: a wrong name would be worse
/// than none. Versions and models are left out, because they tell people apart.
package struct BrowserKind: Sendable, Hashable {
    package var browser: BrowserFamily?
    package var system: SystemFamily?

    package init(browser: BrowserFamily? = nil, system: SystemFamily? = nil) {
        self.browser = browser
        self.system = system
    }

    /// The kind of the browser that sent a request, by its client hints where it sends any, else by its `User-Agent`.
    package init(_ origin: RequestOrigin) {
        let agent = origin.userAgent.flatMap(UserAgentText.init)
        system = origin.platformHint.flatMap(Self.system(ofHint:)) ?? agent?.system
        browser = origin.brandsHint.flatMap(Self.browser(ofHint:)) ?? agent?.browser
    }

    /// The kind that a `User-Agent` names.
    init(userAgent: String?) {
        let agent = userAgent.flatMap(UserAgentText.init)
        self.init(browser: agent?.browser, system: agent?.system)
    }

    // MARK: - Client hints

    private static let brands: [String: BrowserFamily] = [
        "Google Chrome": .chrome, "Microsoft Edge": .edge, "Opera": .opera, "Brave": .brave,
        "Samsung Internet": .samsungInternet,
    ]

    private static let platforms: [String: SystemFamily] = [
        "Windows": .windows, "macOS": .macos, "Linux": .linux, "Android": .android, "Chrome OS": .chromeos,
        "Chromium OS": .chromeos,
    ]

    /// The only known brand in a `Sec-CH-UA` (User-Agent Client Hints §3.1), which also has the engine's and an invented one.
    private static func browser(ofHint hint: String) -> BrowserFamily? {
        guard isHeader(hint) else { return nil }
        // The strings of the list and of its parameters are between the quotation marks.
        let strings = hint.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        let known = Set(strings.compactMap { brands[String($0)] })
        return known.count == 1 ? known.first : nil
    }

    /// The platform in a `Sec-CH-UA-Platform` (User-Agent Client Hints §3.5), a quoted string.
    private static func system(ofHint hint: String) -> SystemFamily? {
        guard isHeader(hint), hint.count > 2, hint.hasPrefix("\""), hint.hasSuffix("\"") else { return nil }
        return platforms[String(hint.dropFirst().dropLast())]
    }

    /// Whether a header can be a browser's: printable ASCII, no longer than three times what browsers send.
    fileprivate static func isHeader(_ text: String) -> Bool {
        text.utf8.count <= 512 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}

/// The parts of a `User-Agent` (RFC 9110 §10.1.5) that name the browser and its system.
private struct UserAgentText {
    /// The names of the products, without versions.
    private var products: Set<Substring> = []
    /// The fields of the first comment, in which browsers name the system.
    private var details: [Substring] = []

    init?(_ text: String) {
        guard BrowserKind.isHeader(text) else { return nil }
        var depth = 0
        var hasComment = false
        var start = text.startIndex
        func product(upTo end: String.Index) -> Substring? {
            let name = text[start..<end].prefix { $0 != "/" }
            return name.isEmpty ? nil : name
        }
        for index in text.indices {
            switch text[index] {
            case "(":
                if depth == 0 {
                    if let product = product(upTo: index) { products.insert(product) }
                    start = text.index(after: index)
                }
                depth += 1
            case ")" where depth > 0:
                depth -= 1
                guard depth == 0 else { break }
                if !hasComment {
                    details = text[start..<index].split(separator: ";").map { $0.drop { $0 == " " } }
                    hasComment = true
                }
                start = text.index(after: index)
            case " " where depth == 0:
                if let product = product(upTo: index) { products.insert(product) }
                start = text.index(after: index)
            default: break
            }
        }
        if depth == 0, let product = product(upTo: text.endIndex) { products.insert(product) }
    }

    // MARK: - The system

    private static let systems: [(prefix: String, system: SystemFamily)] = [
        ("iPhone", .iphone), ("iPad", .ipad), ("Android", .android), ("Windows NT ", .windows), ("CrOS ", .chromeos),
        ("Macintosh", .macos),
        // With the processor: Android and televisions have the bare word.
        ("Linux ", .linux),
    ]

    var system: SystemFamily? {
        details.lazy.compactMap { detail in Self.systems.first { detail.hasPrefix($0.prefix) }?.system }.first
    }

    // MARK: - The browser

    /// The products that browsers name for compatibility.
    private static let engines: Set<Substring> = [
        "Mozilla", "AppleWebKit", "Gecko", "Chrome", "Safari", "Version", "Mobile",
    ]

    /// The products by which browsers name themselves, on phones as well.
    private static let browsers: [Substring: BrowserFamily] = [
        "Edg": .edge, "EdgA": .edge, "EdgiOS": .edge, "Firefox": .firefox, "FxiOS": .firefox, "CriOS": .chrome,
        "OPR": .opera, "OPT": .opera, "SamsungBrowser": .samsungInternet,
    ]

    var browser: BrowserFamily? {
        let own = products.subtracting(Self.engines)
        guard own.isEmpty else { return own.count == 1 ? own.first.flatMap { Self.browsers[$0] } : nil }
        let hasVersion = products.contains("Version")
        // With a `Version`, Android's view of the web within an app.
        if products.contains("Chrome") { return hasVersion ? nil : .chrome }
        switch system {
        // Without a `Version`, the view of the web within an app.
        case .macos, .iphone, .ipad: return hasVersion && products.contains("Safari") ? .safari : nil
        default: return nil
        }
    }
}

/// The languages that the pages speak.
enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case bulgarian = "bg"

    var text: PageText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }

    /// Chooses the language of a page.
    /// - Parameters:
    ///   - locales: `ui_locales` of the request, in the client's order of preference (OpenID Connect Core §3.1.2.1).
    ///   - acceptLanguage: the browser's `Accept-Language` (RFC 9110 §12.5.4), asked when the client's wishes match
    ///     nothing.
    /// - Returns: the first that is spoken here; English when none is.
    static func choose(locales: [String], acceptLanguage: String?) -> PageLanguage {
        for locale in locales {
            if let language = PageLanguage(tag: locale[...]) { return language }
        }
        return acceptLanguage.flatMap(preferred) ?? .english
    }

    /// RFC 4647 lookup, down to the primary subtag: `de-AT` is served in German.
    private init?(tag: Substring) {
        let primary = tag.prefix { $0 != "-" && $0 != "_" }
        self.init(rawValue: primary.lowercased())
    }

    private static func preferred(_ header: String) -> PageLanguage? {
        var best: (language: PageLanguage, quality: Double)?
        // A browser lists a handful; a header of thousands is cut rather than read.
        for range in header.split(separator: ",").prefix(32) {
            let parts = range.split(separator: ";")
            guard let tag = parts.first?.drop(while: { $0 == " " }).prefix(while: { $0 != " " }) else { continue }
            guard let language = PageLanguage(tag: tag) else { continue }
            let quality = parts.dropFirst().lazy.compactMap(weight).first ?? 1
            guard quality > 0, quality > best?.quality ?? 0 else { continue }
            best = (language, quality)
        }
        return best?.language
    }

    private static func weight(_ parameter: Substring) -> Double? {
        let trimmed = parameter.filter { $0 != " " }
        guard trimmed.hasPrefix("q="), let value = Double(trimmed.dropFirst(2)), (0...1).contains(value) else {
            return nil
        }
        return value
    }
}

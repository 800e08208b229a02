package import Core
package import WalletAuthWire

extension Language {
    /// Chooses the language of a page: the first supported one, or else English.
    /// - Parameters:
    ///   - locales: `ui_locales` of the request, in the client's order of preference (OpenID Connect Core §3.1.2.1).
    ///   - acceptLanguage: the browser's `Accept-Language` (RFC 9110 §12.5.4), used if `ui_locales` has no match.
    package static func choose(locales: [String], acceptLanguage: String?) -> Language {
        for locale in locales {
            if let language = Language(tag: locale) { return language }
        }
        let wanted = AcceptLanguage(acceptLanguage ?? "").first(of: allCases.map(\.rawValue))
        return wanted.flatMap(Language.init(rawValue:)) ?? .english
    }

    /// The `ui_locales` of a query that may be malformed otherwise.
    package static func asked(in query: String?) -> [String] {
        let parameter = query?.split(separator: "&").first { $0.hasPrefix("ui_locales=") }
        let form = parameter.flatMap { try? FormParameters(parsing: $0) }
        return form?["ui_locales"]?.split(separator: " ").prefix(8).map(String.init) ?? []
    }
}

extension FormParameters {
    /// The `ui_locales` of a request that may be malformed otherwise, best first; what is no tag is ignored.
    package var uiLocales: [LocaleTag] {
        (self["ui_locales"] ?? "").split(separator: " ").prefix(8).compactMap { try? LocaleTag(String($0)) }
    }
}

extension EndpointRequest {
    /// The language of a page whose request names none.
    package var language: Language { .choose(locales: [], acceptLanguage: context.acceptLanguage) }
}

package import WalletAuthWire

/// The texts that a brand has in place of the catalog's.
package struct BrandTexts: Codable, Sendable, Hashable {
    /// By tag, section and key.
    private typealias Stored = [String: [String: [String: String]]]

    private var texts: Stored = [:]
    /// Those that may be shown. After an update of the program, a text may lack a placeholder that its text has got.
    private var shown: Stored = [:]

    package init() {}

    package init(from decoder: any Decoder) throws {
        texts = try decoder.singleValueContainer().decode(Stored.self)
        for text in all where (try? text.name.check(text.text, in: text.language)) != nil {
            shown[text.language.rawValue, default: [:]][text.name.section, default: [:]][text.name.key] = text.text
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }

    package var isEmpty: Bool { texts.isEmpty }

    func section(_ name: String, in language: Language) -> [String: String]? { shown[language.rawValue]?[name] }

    package subscript(name: TextName, language: Language) -> String? {
        texts[language.rawValue]?[name.section]?[name.key]
    }

    /// Whether people see a text, rather than the catalog's.
    package func isShown(_ name: TextName, in language: Language) -> Bool {
        shown[language.rawValue]?[name.section]?[name.key] != nil
    }

    /// All of them, by language and name.
    package var all: [(language: Language, name: TextName, text: String)] {
        Language.allCases.flatMap { language in
            (texts[language.rawValue] ?? [:]).flatMap { section, texts in
                texts.map { (language, TextName(section: section, key: $0.key), $0.value) }
            }.sorted { "\($0.1)" < "\($1.1)" }
        }
    }

    /// Sets a text.
    /// - Throws: `MalformedValue` if the text promises less than the one it replaces, or cannot be shown.
    package mutating func set(
        _ text: String, for name: TextName, in language: Language
    ) throws(MalformedValue) {
        try name.check(text, in: language)
        texts[language.rawValue, default: [:]][name.section, default: [:]][name.key] = text
        shown[language.rawValue, default: [:]][name.section, default: [:]][name.key] = text
    }

    /// Removes a text, so that the catalog's is shown again.
    package mutating func remove(_ name: TextName, in language: Language) {
        Self.remove(name, in: language, from: &texts)
        Self.remove(name, in: language, from: &shown)
    }

    private static func remove(_ name: TextName, in language: Language, from texts: inout Stored) {
        texts[language.rawValue]?[name.section]?[name.key] = nil
        texts = texts.mapValues { $0.filter { !$0.value.isEmpty } }.filter { !$0.value.isEmpty }
    }
}

/// The name of a text that a brand may replace, such as `pages.signInLead`.
package struct TextName: Sendable, Hashable, CustomStringConvertible {
    package let section: String
    package let key: String

    package var description: String { "\(section).\(key)" }

    fileprivate init(section: String, key: String) {
        self.section = section
        self.key = key
    }

    /// Sections whose texts do not depend on a brand: names of months, secret questions that may be set already, the page of a
    /// transaction's link, what an operation is called, which is part of what people consent to, the operators' console, and the
    /// sandbox.
    private static let common: Set = [
        "appleStandIn", "console", "consoleEvents", "consoleMembers", "months", "operations", "sandbox",
        "secretQuestions", "transactions",
    ]

    /// The section of what a brand's own scopes let an app do, by scope. The program has none of these texts.
    package static let scopes = "scopes"

    /// - Throws: `MalformedValue` if this cannot be a name.
    package init(_ name: String) throws(MalformedValue) {
        // A scope may have dots itself.
        if name.hasPrefix(Self.scopes + ".") {
            self.init(section: Self.scopes, key: String(name.dropFirst(Self.scopes.count + 1)))
            return
        }
        guard let dot = name.lastIndex(of: ".") else { throw Self.unknown }
        self.init(section: String(name[..<dot]), key: String(name[name.index(after: dot)...]))
    }

    /// - Throws: `MalformedValue` if there is no such text, or if it is the same for all brands.
    package func requireReplaceable() throws(MalformedValue) {
        if section == Self.scopes { return try requireOwnScope() }
        guard TextCatalog.of(.english).sections[section]?[key] != nil else { throw Self.unknown }
        guard !Self.common.contains(section) else {
            throw MalformedValue(field: "key", reason: "names a text that is the same for all brands")
        }
    }

    private func requireOwnScope() throws(MalformedValue) {
        guard let scope = try? Scope(tokens: [key]), scope.tokens == [key] else {
            throw MalformedValue(
                field: "key", reason: "names no scope: write scopes. and a scope, such as scopes.payments")
        }
        guard !Scope.standard.contains(key) else {
            throw MalformedValue(field: "key", reason: "names a standard scope, whose text is in clientConsent")
        }
    }

    package static let unknown = MalformedValue(field: "key", reason: "names no text")

    /// Every text of the program that differs between brands, by name.
    package static let replaceable = TextCatalog.of(.english).sections.filter { !common.contains($0.key) }
        .flatMap { section, texts in texts.keys.map { TextName(section: section, key: $0) } }
        .sorted { $0.description < $1.description }

    /// The text of the catalog.
    package func text(in language: Language) -> String { TextCatalog.of(language).sections[section]?[key] ?? "" }

    fileprivate func check(_ text: String, in language: Language) throws(MalformedValue) {
        func refuse(_ reason: String) -> MalformedValue { MalformedValue(field: "text", reason: reason) }
        try requireReplaceable()
        let catalog = self.text(in: language)
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            throw refuse("is empty, or begins or ends with a space: remove the space")
        }
        let limit = section == Self.scopes ? 120 : max(2 * catalog.count, catalog.count + 40)
        guard text.count <= limit, text.unicodeScalars.count <= 2 * limit else {
            throw refuse("is too long: use at most \(limit) characters")
        }
        guard !text.unicodeScalars.contains(where: Self.isMarkup) else {
            throw refuse("has markup: write plain text, without <, >, & and `")
        }
        guard !text.unicodeScalars.contains(where: ShownText.isDeceptive), ShownText.fault(in: text) == nil else {
            throw refuse("has a line break, or a character that people cannot see: remove it")
        }
        let (wanted, found) = (Placeholders.names(in: catalog), Placeholders.names(in: text))
        if let missing = Set(wanted).subtracting(found).min() {
            throw refuse("lacks {\(missing)}: keep each placeholder of “\(catalog)”")
        }
        guard Set(found).isSubset(of: wanted), text.count(where: { $0 == "{" || $0 == "}" }) == 2 * found.count else {
            throw refuse(
                wanted.isEmpty
                    ? "has braces: “\(catalog)” has no placeholder"
                    : "has a brace that belongs to no placeholder of “\(catalog)”")
        }
        // Strangers fill some of them: “Amount” alone, the name of a detail, would look like the amount's own label.
        guard wanted.isEmpty || Placeholders.removed(from: text).contains(where: \.isLetter) else {
            throw refuse("has nothing but placeholders: say what they are, like “\(catalog)”")
        }
        // The payee chose the name, and a phone's lock screen shows only the beginning.
        guard section != "messageParts" || found == wanted else {
            throw refuse("changes the order of the placeholders: keep that of “\(catalog)”")
        }
    }

    /// By scalars, as browsers read: with a combining mark, `<` is another character to Swift.
    private static func isMarkup(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "<" || scalar == ">" || scalar == "&" || scalar == "`"
    }
}

/// Where texts for people come from: a language, or a brand in a language.
package protocol TextSource: Sendable {
    var language: Language { get }
    /// In place of the catalog's.
    var brandTexts: BrandTexts? { get }
}

extension Language: TextSource {
    package var language: Language { self }
    package var brandTexts: BrandTexts? { nil }
}

/// A language in the words of a brand.
package struct BrandLanguage: TextSource {
    package let language: Language
    package let brandTexts: BrandTexts?

    /// - Parameter texts: the brand's; `nil` without a brand.
    package init(_ language: Language, _ texts: BrandTexts?) {
        self.language = language
        brandTexts = texts
    }
}

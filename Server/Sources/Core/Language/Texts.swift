/// The keys of one section of the catalog: each case is a text, by its name in the file.
///
/// A test compares the cases with the catalogs, so that a key has a text in each language, and a text a key.
package protocol TextKey: RawRepresentable<String>, CaseIterable, Sendable {
    static var section: String { get }
}

/// The texts of a section in one language: `texts[.heading]`.
package struct Texts<Key: TextKey>: Sendable {
    private let texts: [String: String]
    /// A brand's.
    private let own: [String: String]?

    init(_ texts: [String: String], own: [String: String]?) {
        self.texts = texts
        self.own = own
    }

    package subscript(key: Key) -> String { own?[key.rawValue] ?? texts[key.rawValue] ?? key.rawValue }

    /// The text with the values of its placeholders.
    package subscript(key: Key, values: [String: String]) -> String { Placeholders.fill(self[key], with: values) }
}

extension TextSource {
    /// The texts of a section.
    package func texts<Key: TextKey>(_: Key.Type = Key.self) -> Texts<Key> {
        Texts(
            TextCatalog.of(language).sections[Key.section] ?? [:], own: brandTexts?.section(Key.section, in: language))
    }

    /// The texts of a section that is not known to the compiler.
    package func texts(ofSection section: String) -> [String: String] {
        let texts = TextCatalog.of(language).sections[section] ?? [:]
        guard let own = brandTexts?.section(section, in: language) else { return texts }
        return texts.merging(own) { _, own in own }
    }
}

/// The placeholders of a text, such as `{brand}`.
package enum Placeholders {
    /// Fills all of them in one pass, so that a value that looks like a placeholder stays unchanged.
    package static func fill(_ text: String, with values: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            filled += values[String(rest[rest.index(after: open)..<close])] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    /// The names of the placeholders in a text, in their order.
    static func names(in text: String) -> [String] {
        text.matches(of: /\{([a-z_]+)\}/).map { String($0.1) }
    }

    static func removed(from text: String) -> String { text.replacing(/\{[a-z_]+\}/, with: "") }
}

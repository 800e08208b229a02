/// A language of the texts for people.
package enum Language: String, Sendable, CaseIterable, Codable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case bulgarian = "bg"

    /// The tags in a sentence: `bg, de, en, es or fr`.
    package static var listed: String {
        let tags = allCases.map(\.rawValue).sorted()
        return tags.dropLast().joined(separator: ", ") + " or " + tags.suffix(1).joined()
    }

    /// The language of a BCP 47 tag, by its primary subtag (RFC 4647 §3.4): `de-AT` is German.
    package init?(tag: String) {
        let primary = tag.drop { $0 == " " }.prefix { $0.isLetter }
        self.init(rawValue: primary.lowercased())
    }

    /// The language of the first tag that has one; English if none has.
    /// - Parameter tags: BCP 47 tags, the preferred one first. The ranges of an `Accept-Language` header work as
    ///   well, in their order of appearance.
    package static func choose(_ tags: [String]) -> Language {
        tags.lazy.compactMap(Language.init(tag:)).first ?? .english
    }
}

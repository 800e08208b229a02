/// A language of the texts for people.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case bulgarian = "bg"

    /// The first supported language among the tags, by primary subtag (RFC 4647 §3.4); English if there is none.
    /// - Parameter tags: BCP 47 tags, the preferred one first. The ranges of an `Accept-Language` header work as
    ///   well, in their order of appearance.
    package static func choose(_ tags: [String]) -> Language {
        tags.lazy.compactMap { tag in
            let primary = tag.drop { $0 == " " }.prefix { $0.isLetter }
            return Language(rawValue: primary.lowercased())
        }.first ?? .english
    }
}

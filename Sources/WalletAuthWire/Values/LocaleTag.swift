/// A language tag (RFC 5646), well-formed but not looked up: `en`, `de-AT`, `zh-Hant-TW`.
public struct LocaleTag: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(2...35, pattern: "^[A-Za-z0-9-]*$", example: "de-AT") }

    /// The tag in its recommended case: language in lower case, region in upper case, script in title case.
    public let rawValue: String

    /// Validates a tag and converts it to its recommended case (RFC 5646 §2.1.1). `de_AT`, as platforms name their locales, is `de-AT`.
    /// - Parameter text: at most 35 characters.
    public init(_ text: String) throws(MalformedValue) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard text.utf8.count <= 35, let language = parts.first, (2...8).contains(language.utf8.count),
            language.utf8.allSatisfy(ASCII.isLetter),
            parts.dropFirst().allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(ASCII.isAlphanumeric) }
            )
        else { throw MalformedValue(field: "locale", reason: "is not a language tag") }
        var written = [language.lowercased()]
        for part in parts.dropFirst() {
            // After a singleton (extensions, private use), case has no convention.
            if written.dropFirst().contains(where: { $0.utf8.count == 1 }) {
                written.append(part.lowercased())
            } else if part.utf8.count == 4, part.utf8.allSatisfy(ASCII.isLetter) {
                written.append(part.prefix(1).uppercased() + part.dropFirst().lowercased())
            } else if part.utf8.count == 2 {
                written.append(part.uppercased())
            } else {
                written.append(part.lowercased())
            }
        }
        rawValue = written.joined(separator: "-")
    }

    /// The primary language subtag: `de` of `de-AT`.
    public var language: String { rawValue.split(separator: "-").first.map(String.init) ?? rawValue }
}

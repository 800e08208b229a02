/// A browser's `Accept-Language` (RFC 9110 §12.5.4): the person's languages in order of preference.
public struct AcceptLanguage: Hashable, Sendable {
    /// The languages in order of preference, without those that the person excludes.
    public let tags: [LocaleTag]

    /// Parses a header field.
    ///
    /// Malformed parts are skipped: a page in some language is better than none. Browsers list a handful of languages,
    /// so a field with thousands is cut off.
    /// - Parameter field: the field's value.
    public init(_ field: String) {
        let ranges = field.utf8.prefix(1024).split(separator: UInt8(ascii: ",")).prefix(32)
        let weighted = ranges.compactMap { range -> (tag: LocaleTag, weight: Double)? in
            let parts = String(decoding: range.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).split(separator: ";")
            guard let tag = parts.first.flatMap({ try? LocaleTag(String($0)) }) else { return nil }
            return (tag, parts.dropFirst().lazy.compactMap(Self.weight).first ?? 1)
        }
        // Entries of equal weight keep their order.
        tags = weighted.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }

    /// Returns the first supported language, by primary subtag: `de-AT` gets `de` (RFC 4647 §3.4).
    /// - Parameter languages: primary subtags in lower case.
    /// - Returns: nil if none of them is wanted.
    public func first(of languages: some Collection<String>) -> String? {
        tags.lazy.map(\.language).first(where: languages.contains)
    }

    private static func weight(_ parameter: Substring) -> Double? {
        guard parameter.lowercased().hasPrefix("q="), let value = Double(parameter.dropFirst(2)),
            (0...1).contains(value)
        else { return nil }
        return value
    }
}

/// A browser's `Accept-Language` (RFC 9110 section 12.5.4): the languages that its person reads, the preferred one first.
public struct AcceptLanguage: Hashable, Sendable {
    /// The languages in the order of preference. One that the person does not want at all is left out.
    public let tags: [LocaleTag]

    /// Reads a header field.
    ///
    /// Whatever is malformed is passed over: a page in some language is better than none. A browser lists a handful, so a
    /// field that lists thousands is cut rather than read.
    /// - Parameter field: the field's value.
    public init(_ field: String) {
        let ranges = field.utf8.prefix(1024).split(separator: UInt8(ascii: ",")).prefix(32)
        let weighted = ranges.compactMap { range -> (tag: LocaleTag, weight: Double)? in
            let parts = String(decoding: range.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).split(separator: ";")
            guard let tag = parts.first.flatMap({ try? LocaleTag(String($0)) }) else { return nil }
            return (tag, parts.dropFirst().lazy.compactMap(Self.weight).first ?? 1)
        }
        // The sort is by the place in the list where the weights are equal.
        tags = weighted.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }

    /// The first language that is spoken, down to the primary subtag: `de-AT` is served in `de` (RFC 4647 section 3.4).
    /// - Parameter languages: primary subtags in lower case.
    /// - Returns: nil where none of them is wanted.
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

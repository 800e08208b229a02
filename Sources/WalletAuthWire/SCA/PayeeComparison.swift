/// A payee's account in a form for comparison.
///
/// An IBAN may be written in groups of four, with any kind of blank between them, in upper or lower case. Other
/// accounts, such as a card token or a wallet address, may be case-sensitive: only their blanks are ignored.
public struct PayeeAccount: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates a comparable account.
    /// - Parameter text: the account as written.
    public init(_ text: String) { bytes = Array(Self.normalized(text).utf8) }

    /// Whether two accounts look the same to a person, even if one uses other characters that Unicode considers
    /// equivalent, or joiners and variation selectors. Use it to remove a payee from a list, never to trust one.
    /// - Parameter other: the other account.
    public func looksLike(_ other: PayeeAccount) -> Bool { appearance == other.appearance }

    private var appearance: String { Self.normalized(TextRule.appearance(of: String(decoding: bytes, as: UTF8.self))) }

    private static func normalized(_ text: String) -> String {
        (try? IBAN(text))?.rawValue ?? IBAN.withoutBlanks(text)
    }
}

extension Payee {
    /// Whether a person would consider a name this payee's: the same letters, ignoring case, Unicode spelling, the
    /// width of gaps and joiners. Similar letters of another script are different letters.
    /// - Parameter name: the name that a person typed, or of another payee.
    public func isCalled(_ name: String) -> Bool {
        TextRule.appearance(of: self.name).lowercased() == TextRule.appearance(of: name).lowercased()
    }
}

/// A payee's account as one is held against another, whatever way it is written.
///
/// An IBAN is the same in groups of four, with whatever blank between them, in capital or small letters. Other accounts, such as a card's token
/// or a wallet's address, may tell capital from small letters: of them only the blanks are left out.
public struct PayeeAccount: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Parameter text: the account as it was written.
    public init(_ text: String) { bytes = Array(Self.normalized(text).utf8) }

    /// Whether two accounts look the same to a person: also where one is spelled with other characters that Unicode treats as
    /// equivalent, or has joiners and variation selectors in it. Taking a payee off a list goes by this, trusting one does not.
    /// - Parameter other: the other account.
    public func looksLike(_ other: PayeeAccount) -> Bool { appearance == other.appearance }

    private var appearance: String { Self.normalized(TextRule.appearance(of: String(decoding: bytes, as: UTF8.self))) }

    private static func normalized(_ text: String) -> String {
        (try? IBAN(text))?.rawValue ?? IBAN.withoutBlanks(text)
    }
}

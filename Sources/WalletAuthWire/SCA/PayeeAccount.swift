/// A payee's account as one is held against another, whatever way it is written.
///
/// An IBAN is the same in groups of four, with whatever blank between them, in capital or small letters. Other accounts, such as a card's token
/// or a wallet's address, may tell capital from small letters: of them only the blanks are left out.
public struct PayeeAccount: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Parameter text: the account as it was written.
    public init(_ text: String) {
        bytes = Array(((try? IBAN(text))?.rawValue ?? IBAN.withoutBlanks(text)).utf8)
    }

    /// Whether two accounts look the same to a person: also where one is spelled with other characters that Unicode holds for the same.
    /// Taking a payee off a list goes by this, trusting one does not.
    /// - Parameter other: the other account.
    public func looksLike(_ other: PayeeAccount) -> Bool {
        String(decoding: bytes, as: UTF8.self) == String(decoding: other.bytes, as: UTF8.self)
    }
}

import CWalletAuthTexts
import WalletAuthWire

extension UserErrorMessages {
    /// The SDK's languages, as primary subtags.
    public static let builtInLanguages = ["bg", "de", "en", "es", "fr"]

    /// The SDK's texts in one of its languages; nil for another. They are data, `Resources/Texts`, which the build embeds.
    package static func shipped(in language: String) -> [Key: String]? {
        switch language {
        case "bg": bulgarian
        case "de": german
        case "en": english
        case "es": spanish
        case "fr": french
        default: nil
        }
    }

    // Each is read when it is first needed, which for most people is one and English.
    private static let bulgarian = read(walletauth_texts_bg())
    private static let german = read(walletauth_texts_de())
    private static let english = read(walletauth_texts_en())
    private static let spanish = read(walletauth_texts_es())
    private static let french = read(walletauth_texts_fr())

    private static func read(_ file: WalletAuthTexts) -> [Key: String] {
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        let texts = try? JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: bytes.count, depth: 1))
        return (texts?.members ?? []).reduce(into: [:]) { texts, text in
            texts[Key(rawValue: text.name)] = text.value.string
        }
    }
}

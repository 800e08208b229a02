/// The category of a factor: strong customer authentication takes two of them (PSD2 article 4(30)).
public enum FactorCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Something only the person knows.
    case knowledge
    /// Something only the person has.
    case possession
    /// Something the person is.
    case inherence

    /// The category of a method; nil if it proves none by itself.
    ///
    /// A secret question (`kba`) and a login nonce (`nonce`) prove none: answers are too easy to find out, and a nonce
    /// only means that another party vouches. Another provider's sign-in (`fed`) counts as one factor, whatever that
    /// provider asked for. A passkey's user verification (`uv`) does not say whether it was a PIN or a fingerprint. It
    /// counts as knowledge, so that it never adds a third category to a password; the passkey's key is `pop`.
    /// - Parameter method: a value of `amr`: RFC 8176, its registry, or this project's own.
    public init?(method: String) {
        switch method {
        case "pwd", "pin", "fed", "uv": self = .knowledge
        case "otp", "sms", "swk", "hwk", "sc", "pop": self = .possession
        case "face", "fpt", "iris", "vbm", "bio": self = .inherence
        default: return nil
        }
    }

    /// The categories that the methods prove together, in order of declaration.
    /// - Parameter methods: the values of `amr`.
    public static func categories(of methods: [String]) -> [FactorCategory] {
        let proved = Set(methods.compactMap(FactorCategory.init(method:)))
        return allCases.filter(proved.contains)
    }
}

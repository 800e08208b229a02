/// What kind of thing a factor is: strong customer authentication takes two of them (PSD2 article 4(30)).
public enum FactorCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Something only the person knows.
    case knowledge
    /// Something only the person has.
    case possession
    /// Something the person is.
    case inherence

    /// The category of a method; nil for one that proves none by itself.
    ///
    /// A secret question (`kba`) and a login nonce (`nonce`) raise nothing: the first is too easily found out, the second
    /// says that somebody else vouches. Another provider's sign-in (`fed`) counts as one factor, whatever that provider
    /// asked for. What a passkey's authenticator asked its holder for (`uv`) is not told, a PIN or a finger: it counts as
    /// knowledge, so that it is never a third category beside a password; its key is `pop`.
    /// - Parameter method: a value of `amr`: RFC 8176, its registry, or this project's own.
    public init?(method: String) {
        switch method {
        case "pwd", "pin", "fed", "uv": self = .knowledge
        case "otp", "sms", "swk", "hwk", "sc", "pop": self = .possession
        case "face", "fpt", "iris", "vbm", "bio": self = .inherence
        default: return nil
        }
    }

    /// The categories that methods prove together, in the order in which they are declared.
    /// - Parameter methods: the values of `amr`.
    public static func categories(of methods: [String]) -> [FactorCategory] {
        let proved = Set(methods.compactMap(FactorCategory.init(method:)))
        return allCases.filter(proved.contains)
    }
}

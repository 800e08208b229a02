/// How strongly somebody was authenticated: of how many independent categories the proved factors are (PSD2 article
/// 4(30); the names of the methods are RFC 8176's and its registry's, those with a mark this project's own).
public enum AuthenticationStrength {
    /// What kind of thing a factor is.
    public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// Something only the person knows.
        case knowledge
        /// Something only the person has.
        case possession
        /// Something the person is.
        case inherence
    }

    /// One category.
    public static let singleFactor = "urn:wallet-auth:acr:1fa"
    /// Two categories or more.
    public static let twoFactors = "urn:wallet-auth:acr:2fa"
    /// Every class there is.
    public static let all = [singleFactor, twoFactors]

    /// The category of a method; `nil` for one that proves none by itself.
    ///
    /// A secret question (`kba`) and a login nonce (`nonce` ◆) raise nothing: the first is too easily found out, the
    /// second says that somebody else vouches. Another provider's sign-in (`fed` ◆) counts as one factor, whatever
    /// that provider asked for.
    /// - Parameter method: a value of `amr`.
    public static func category(of method: String) -> Category? {
        switch method {
        case "pwd", "pin", "fed": .knowledge
        case "otp", "sms", "swk", "hwk", "sc": .possession
        case "face", "fpt", "iris", "vbm", "bio": .inherence
        default: nil
        }
    }

    /// The methods that a device's own key is.
    public static let deviceKeys: Set<String> = [KeyStorage.software.method, KeyStorage.hardware.method]

    /// The categories that methods prove together.
    /// - Parameter methods: the values of `amr`.
    public static func categories(of methods: [String]) -> Set<Category> {
        Set(methods.compactMap(category))
    }

    /// Whether a class is one of those that are asked for, or more than one of them.
    /// - Parameters:
    ///   - acr: the class that was reached.
    ///   - required: the classes one of which has to be; empty for any.
    public static func satisfies(_ acr: String, _ required: [String]) -> Bool {
        required.isEmpty || required.contains(acr) || (acr == twoFactors && required.contains(singleFactor))
    }

    /// The authentication context class that methods reach.
    /// - Parameter methods: the values of `amr`.
    public static func acr(of methods: [String]) -> String {
        categories(of: methods).count >= 2 ? twoFactors : singleFactor
    }
}

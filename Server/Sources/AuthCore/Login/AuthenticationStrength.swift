package import WalletAuthWire

/// How strongly somebody was authenticated: of how many independent categories the proved factors are (PSD2 article
/// 4(30); the names of the methods are RFC 8176's and its registry's, those with a mark this project's own).
package enum AuthenticationStrength {
    /// What kind of thing a factor is.
    package typealias Category = FactorCategory

    /// One category.
    package static let singleFactor = "urn:wallet-auth:acr:1fa"
    /// Two categories or more.
    package static let twoFactors = "urn:wallet-auth:acr:2fa"
    /// Every class there is.
    package static let all = [singleFactor, twoFactors]

    /// The category of a method; `nil` for one that proves none by itself.
    /// - Parameter method: a value of `amr`.
    package static func category(of method: String) -> Category? { Category(method: method) }

    /// A password (RFC 8176).
    package static let password = "pwd"
    /// A PIN (RFC 8176): a device's, which comes with that device's key, or the account's, which comes without one.
    package static let pin = "pin"
    /// The face or finger that opened a device's key. The server is not told which, so none of RFC 8176's `face` and `fpt` says it.
    package static let biometric = "bio"

    /// Methods by which a third party vouches for the person: a provider, or a backend with a login nonce.
    package static let anothersWord: Set<String> = ["fed", "nonce"]

    /// What an enrolled device proves at a sign-in: its key, and the PIN or the face or finger that were set on it.
    package static let deviceMethods = deviceKeys.union([pin, biometric])

    /// Whether the account's own PIN is among what was proved, and not that of a device.
    /// - Parameter methods: the values of `amr`.
    package static func includeAccountPIN(_ methods: [String]) -> Bool {
        methods.contains(pin) && deviceKeys.isDisjoint(with: methods)
    }

    /// The methods that a device's own key is.
    package static let deviceKeys: Set<String> = [KeyStorage.software.method, KeyStorage.hardware.method]

    /// What the key of a passkey is: proof of possession (RFC 8176).
    package static let passkeyKey = "pop"
    /// What a passkey proves: its key, and that its authenticator saw who was there.
    package static let passkey = [passkeyKey, "uv"]
    /// What it proves in its cooling period: whoever tricked one in for a moment has one factor by it.
    package static let newPasskey = [passkeyKey]

    /// What of a sign-in's methods whoever recovered the account by its mailbox cannot have set: everything but what somebody
    /// knows. A PIN beside a device's key is that device's, and what a passkey's authenticator asked its holder for is that
    /// passkey's: both are older than the recovery, after which none is set for a while.
    /// - Parameter methods: the values of `amr`.
    package static func outlastingRecovery(_ methods: [String]) -> [String] {
        var outlasting: Set<String> = []
        if !deviceKeys.isDisjoint(with: methods) { outlasting.insert(pin) }
        if Set(passkey).isSubset(of: methods) { outlasting.formUnion(passkey) }
        return methods.filter { category(of: $0) != .knowledge || outlasting.contains($0) }
    }

    /// The categories that methods prove together.
    /// - Parameter methods: the values of `amr`.
    package static func categories(of methods: [String]) -> Set<Category> {
        Set(methods.compactMap(category))
    }

    /// Whether a class is one of those that are asked for, or more than one of them.
    /// - Parameters:
    ///   - acr: the class that was reached.
    ///   - required: the classes one of which has to be; empty for any.
    package static func satisfies(_ acr: String, _ required: [String]) -> Bool {
        required.isEmpty || required.contains(acr) || (acr == twoFactors && required.contains(singleFactor))
    }

    /// The authentication context class that methods reach.
    /// - Parameter methods: the values of `amr`.
    package static func acr(of methods: [String]) -> String {
        categories(of: methods).count >= 2 ? twoFactors : singleFactor
    }
}

package import WalletAuthWire

/// The strength of an authentication: the number of independent categories among the proved factors (PSD2 article
/// 4(30)).
///
/// Method names come from RFC 8176 and its registry, except where a comment says otherwise.
package enum AuthenticationStrength {
    package static let singleFactor = "urn:wallet-auth:acr:1fa"
    package static let twoFactors = "urn:wallet-auth:acr:2fa"
    package static let all = [singleFactor, twoFactors]

    /// The category of an `amr` value; `nil` for one that proves none by itself.
    package static func category(of method: String) -> FactorCategory? { FactorCategory(method: method) }

    /// RFC 8176.
    package static let password = "pwd"
    /// RFC 8176. With a device's key it is the device PIN; without one, the account PIN.
    package static let pin = "pin"
    /// The face or fingerprint that unlocked a device's key. The server does not learn which, so RFC 8176's `face` and
    /// `fpt` do not fit.
    package static let biometric = "bio"

    /// A sign-in with an identity provider: one factor, however the provider authenticated the person. Not in the registry.
    package static let provider = "fed"

    /// A session that goes on from a former system (decision 172). It proves no category, whatever was proved there: its refresh token may
    /// be stolen. Not in the registry.
    package static let formerSystem = "former_system"

    /// The person approved the sign-in of another device: of its browser by scanning its page, or by its code. It proves no category, and
    /// the person may not be the one at that device: such a sign-in changes and approves nothing. Not in the registry.
    package static let crossDevice = "cross_device"

    /// Next to ``crossDevice``: the device has no browser, and the person typed its code (RFC 8628). Not in the registry.
    package static let userCode = "user_code"

    /// Next to ``crossDevice``: a client named the person, who approved on the phone (OpenID CIBA Core 1.0). Not in the registry.
    package static let backchannel = "backchannel"

    /// Whether a sign-in was approved from another device.
    package static func isCrossDevice(_ methods: [String]) -> Bool { methods.contains(crossDevice) }

    /// Methods in which a third party vouches for the person: a provider, a former system, or a backend with a login nonce.
    package static let anothersWord: Set<String> = [provider, formerSystem, "nonce"]

    /// The methods of an enrolled device: its key, and the PIN or biometrics set on it.
    package static let deviceMethods = deviceKeys.union([pin, biometric])

    /// The methods that stand for a device's own key.
    package static let deviceKeys: Set<String> = [KeyStorage.software.method, KeyStorage.hardware.method]

    /// Proof of possession (RFC 8176).
    package static let passkeyKey = "pop"
    /// A passkey's key and its user verification.
    package static let passkey = [passkeyKey, "uv"]
    /// A passkey in its cooling period. An attacker with a moment's access may have added it, so it counts as one
    /// factor.
    package static let newPasskey = [passkeyKey]

    /// The methods that remain trustworthy after a recovery through the mailbox: all but those of knowledge, which the
    /// recovery may have set.
    ///
    /// A PIN with a device's key is the device PIN, and user verification belongs to the passkey. Both are older than
    /// the recovery, because none can be set for a while after it.
    package static func outlastingRecovery(_ methods: [String]) -> [String] {
        var outlasting: Set<String> = []
        if !deviceKeys.isDisjoint(with: methods) { outlasting.insert(pin) }
        if Set(passkey).isSubset(of: methods) { outlasting.formUnion(passkey) }
        return methods.filter { category(of: $0) != .knowledge || outlasting.contains($0) }
    }

    package static func categories(of methods: [String]) -> Set<FactorCategory> {
        Set(methods.compactMap(category))
    }

    /// Whether a class meets a requirement: it is one of `required`, or exceeds one. An empty list requires nothing.
    package static func satisfies(_ acr: String, _ required: [String]) -> Bool {
        required.isEmpty || required.contains(acr) || (acr == twoFactors && required.contains(singleFactor))
    }

    /// The authentication context class that the methods reach. A sign-in that was approved from another device reaches the lower one,
    /// whatever was proved on that device.
    package static func acr(of methods: [String]) -> String {
        guard !isCrossDevice(methods) else { return singleFactor }
        return categories(of: methods).count >= 2 ? twoFactors : singleFactor
    }
}

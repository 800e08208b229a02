package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// The gate's decisions on a sign-in that no one makes, for an operator who asks why a person's are refused.
///
/// This folder owns what can be said about sign-ins without making one. It decides nothing: the facts and the decision are the gate's.
package struct SignInPreview: Sendable, Hashable {
    /// What the person is asked for, in order.
    package let asked: [SignInPolicy.Decision]
    /// ``SignInPolicy/Decision/admit`` if the person does all that they are asked for, otherwise the refusal.
    package let end: SignInPolicy.Decision
    /// The second factors that the decisions were based on.
    package let secondFactors: SecondFactors?
}

extension SignInGate {
    /// Decides on the sign-in of a person who proves what they are asked for. Records nothing.
    /// - Parameters:
    ///   - methods: the first factor, as in `amr`.
    ///   - device: the enrolled device whose key is proved; `nil` for a browser or an app that the account does not know.
    ///   - requiredACR: one of these classes must be reached; empty for any.
    package func preview(
        _ account: AccountRecord, by methods: [String], with device: DeviceRecord? = nil, requiredACR: [String] = [],
        now: Timestamp, on connection: any SQLConnection
    ) throws -> SignInPreview {
        // The account page's: no other client's brand or merchants bear on it.
        var intent = SignInIntent(
            client: try AccountPageClient.make(now: now),
            challenge: try CodeChallenge(Base64URL.encode([UInt8](repeating: 0, count: 32))), scope: try Scope(""),
            resources: [], requiredACR: requiredACR, origin: RequestOrigin(address: "unknown"))
        var factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: methods, authTime: now)
        if let device {
            intent.device = device.id
            intent.isDeviceProved = true
            intent.entrance = .native
            factors.amr = factors.amr.adding(device.keyStorage.method)
        }
        let facts = try readFacts(account.id, factors: factors, intent: intent, now: now, on: connection)
        return SignInPolicy.preview(
            try SignInPolicy.Account(account), device: device.map(SignInPolicy.Device.init), factors: factors,
            terms: facts.terms(of: intent), now: now)
    }
}

extension SignInPolicy {
    /// Decides again after each thing that the person is asked for, as if they had done it.
    static func preview(
        _ account: Account, device: Device?, factors: Factors, terms: Terms, now: Timestamp
    ) -> SignInPreview {
        var (account, device, factors) = (account, device, factors)
        var asked: [Decision] = []
        while true {
            let decision = decide(account, device: device, factors: factors, terms: terms, now: now)
            let end = SignInPreview(asked: asked, end: decision, secondFactors: terms.secondFactors)
            // Nothing is asked for twice.
            guard !asked.contains(decision) else { return end }
            switch decision {
            case .secondFactorRequired:
                guard let kind = terms.secondFactors?.strongest else { return end }
                factors.add(kind)
            case .passwordChangeRequired:
                account.isPasswordExpired = false
                account.passwordChangedAt = now
            case .emailUnverified: account.email = .verified
            case .appInstanceUnverified: device?.instance = .verified
            case .admit, .unknown, .deactivated, .changed, .deviceSuspended, .deviceDeactivated, .recoveryUnavailable,
                .merchant, .merchantMissing, .unmetACR:
                return end
            }
            asked.append(decision)
        }
    }
}

extension SecondFactors {
    /// One of the factors that the account can be asked for, of a category of its own if there is one.
    fileprivate var strongest: FactorKind? {
        let strong = kinds(for: [AuthenticationStrength.twoFactors])
        return FactorKind.allCases.first(where: strong.contains) ?? FactorKind.allCases.first(where: usable.contains)
    }
}

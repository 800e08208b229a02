package import WalletAuthWire

/// What a brand asks of a sign-in from a device that is not linked to the account.
package enum NewDevicePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A second factor, where the account has one.
    case secondFactor = "second_factor"
    /// Nothing more than the first factor.
    case allow
}

/// What stands to be asked beside the first factor, as the decision sees it.
package struct SecondFactors: Sendable, Hashable {
    /// What the brand asks of a device that is not linked.
    package var newDevice: NewDevicePolicy
    /// Whether the device is linked to the account: its key was enrolled, or completed a second factor under the present
    /// password.
    package var isLinked: Bool
    /// The factors that the account has and that its brand takes.
    package var usable: Set<FactorKind>
    /// The factors that the account has and that cannot be asked for: nothing delivers their codes. They are offered to
    /// nobody, and go on to stand for what the account has: a server that lost its mail server must not let people in by less.
    package var unreachable: Set<FactorKind>
    /// Whether a device is enrolled, or was.
    package var hasDevice: Bool
    /// Whether a device is enrolled and was not removed.
    package var holdsDevice: Bool
    /// Whether there is a passkey.
    package var hasPasskey: Bool
    /// Whether there is one that was added longer ago than the cooling period: then the mailbox alone recovers nothing.
    package var hasSettledPasskey: Bool

    /// Each parameter is the property of its name.
    package init(
        newDevice: NewDevicePolicy, isLinked: Bool, usable: Set<FactorKind>, unreachable: Set<FactorKind> = [],
        hasDevice: Bool = false, holdsDevice: Bool = false, hasPasskey: Bool = false, hasSettledPasskey: Bool = false
    ) {
        self.newDevice = newDevice
        self.isLinked = isLinked
        self.usable = usable
        self.unreachable = unreachable
        self.hasDevice = hasDevice
        self.holdsDevice = holdsDevice
        self.hasPasskey = hasPasskey
        self.hasSettledPasskey = hasSettledPasskey
    }

    /// What a recovery may ask for beside the code that went to the mailbox: nothing that falls with the mailbox, and no
    /// question, whose answer others find out.
    package var recoveryKinds: Set<FactorKind> { usable.intersection(Self.besideMailbox) }

    /// Whether the account has something beside its mailbox that a recovery would ask for, and that nothing delivers now.
    var hasUnreachableRecoveryKind: Bool { !unreachable.isDisjoint(with: Self.besideMailbox) }

    private static let besideMailbox: Set<FactorKind> = [.totp, .sms, .recoveryCode]

    /// The factors that a sign-in may be asked for.
    /// - Parameters:
    ///   - recovery: how far a recovery is; `nil` for any other sign-in.
    ///   - requiredACR: the classes one of which has to be reached; empty for any.
    package func kinds(in recovery: SignInPolicy.Recovery?, requiredACR: [String]) -> Set<FactorKind> {
        recovery == nil ? kinds(for: requiredACR) : recoveryKinds
    }

    /// Whether a sign-in from a device that is not linked has to prove more before it may set another password: two
    /// categories where the account has a second one, its own question where it has nothing better.
    /// - Parameter factors: what was proved so far.
    func isOwed(for factors: SignInPolicy.Factors) -> Bool {
        if isLinked || factors.acr == AuthenticationStrength.twoFactors { return false }
        return hasSecondCategory || (!usable.union(unreachable).isEmpty && !factors.hasSecondFactor)
    }

    /// Whether something can be asked that pays what ``isOwed(for:)`` says.
    /// - Parameter requiredACR: the classes one of which has to be reached; empty for any.
    func canBeAsked(for requiredACR: [String]) -> Bool {
        !(hasSecondCategory ? kinds(for: [AuthenticationStrength.twoFactors]) : kinds(for: requiredACR)).isEmpty
    }

    private var hasSecondCategory: Bool {
        hasDevice || hasPasskey || !kinds(for: [AuthenticationStrength.twoFactors]).isEmpty
            || unreachable.contains { AuthenticationStrength.category(of: $0.authenticationMethod) != nil }
    }

    /// Whether one would be asked for, and the account has none but those whose codes nothing delivers.
    /// - Parameters:
    ///   - factors: what was proved so far.
    ///   - requiredACR: the classes one of which has to be reached; empty for any.
    func isBeyondReach(after factors: SignInPolicy.Factors, requiredACR: [String]) -> Bool {
        !unreachable.isEmpty && kinds(for: requiredACR).isEmpty && !factors.hasSecondFactor
            && newDevice == .secondFactor && !isLinked
    }

    /// Whether one is asked for: by the brand, or by a request that wants two categories.
    ///
    /// An account without any signs in by its first factor alone, to what one factor opens.
    /// - Parameters:
    ///   - factors: what was proved so far.
    ///   - requiredACR: the classes one of which has to be reached; empty for any.
    ///   - isDeviceCooling: whether the device was enrolled so lately that its key alone changes nothing of the account.
    func isAsked(
        after factors: SignInPolicy.Factors, requiredACR: [String], isDeviceCooling: Bool = false
    ) -> Bool {
        let wantsTwo = Self.wantTwo(requiredACR)
        var factors = factors
        // Who asks for two factors by name is about to change something, for which the new device's key does not count.
        if wantsTwo, isDeviceCooling { factors.amr.removeAll(where: AuthenticationStrength.deviceKeys.contains) }
        guard !factors.hasSecondFactor else { return false }
        guard !kinds(for: requiredACR).isEmpty else { return false }
        return wantsTwo || (newDevice == .secondFactor && !isLinked)
    }

    /// The factors that may be asked for: where two categories are required, a question cannot help.
    /// - Parameter requiredACR: the classes one of which has to be reached; empty for any.
    package func kinds(for requiredACR: [String]) -> Set<FactorKind> {
        guard Self.wantTwo(requiredACR) else { return usable }
        return usable.filter { AuthenticationStrength.category(of: $0.authenticationMethod) != nil }
    }

    private static func wantTwo(_ requiredACR: [String]) -> Bool {
        requiredACR.contains(AuthenticationStrength.twoFactors)
            && !requiredACR.contains(AuthenticationStrength.singleFactor)
    }
}

extension SignInPolicy.Factors {
    /// Adds a second factor that was proved.
    package mutating func add(_ kind: FactorKind) {
        if !amr.contains(kind.authenticationMethod) { amr.append(kind.authenticationMethod) }
        if recovery != nil { recovery = .mailboxAndFactor }
    }

    /// Whether a passkey was the first factor: then no password was, and none that is too old stands in the way. Nor is
    /// one set by it, which in the passkey's cooling period would throw the holder out.
    var isByPasskey: Bool {
        amr.contains(AuthenticationStrength.passkeyKey) && !amr.contains(AuthenticationStrength.password)
    }

    /// Whether the first factor was the word of a provider or of a backend. Such a sign-in never replaces a password, not even an
    /// expired one: it would gain a factor that it did not prove.
    var isByAnothersWord: Bool {
        !AuthenticationStrength.anothersWord.isDisjoint(with: amr) && !amr.contains(AuthenticationStrength.password)
    }

    /// Whether a second factor was proved already: two categories, or whatever an account's own factors are.
    var hasSecondFactor: Bool {
        acr == AuthenticationStrength.twoFactors
            || FactorKind.allCases.contains { amr.contains($0.authenticationMethod) }
    }
}

extension FactorKind {
    /// The authentication method that it is (RFC 8176): a recovery code is a thing one has, like the list it stands on.
    package var authenticationMethod: String {
        switch self {
        case .totp, .email, .recoveryCode: "otp"
        case .sms: "sms"
        case .secretQuestion: "kba"
        }
    }
}

package import Kernel
package import WalletAuthWire

/// The second factors of a sign-in, as the decision sees them.
package struct SecondFactors: Sendable, Hashable {
    package var newDevice: NewDevicePolicy
    /// Whether the device is linked to the account: its key was enrolled, or completed a second factor under the
    /// current password.
    package var isLinked: Bool
    /// The account's factors that its brand accepts.
    package var usable: Set<FactorKind>
    /// The account's factors that cannot be requested now because their codes cannot be delivered. They are not
    /// offered, but still count as factors of the account: a server without its mail server must not lower its
    /// requirements.
    package var unreachable: Set<FactorKind> = []
    /// Whether a device is or was enrolled.
    package var hasDevice: Bool = false
    /// Whether a device is enrolled and was not removed.
    package var holdsDevice: Bool = false
    package var hasPasskey: Bool = false
    /// Whether there is a passkey past its cooling period. If so, the mailbox alone recovers nothing.
    package var hasSettledPasskey: Bool = false
    /// Whether a passkey can be asked for here as the second factor.
    package var takesPasskey: Bool = false
    /// Whether it is for a payment. A recovery code agrees to none, here as with a wallet operation.
    package var isForPayment: Bool = false

    /// The factors that a recovery may require in addition to the code sent to the mailbox. Excluded are those that a
    /// stolen mailbox gives access to, and questions, whose answers others can find out.
    package var recoveryKinds: Set<FactorKind> { usable.intersection(Self.besideMailbox) }

    /// Whether the account has a factor for recovery whose codes cannot be delivered now.
    var hasUnreachableRecoveryKind: Bool { !unreachable.isDisjoint(with: Self.besideMailbox) }

    private static let besideMailbox: Set<FactorKind> = [.totp, .sms, .recoveryCode]

    /// The factors that a sign-in may request.
    /// - Parameters:
    ///   - recovery: the progress of a recovery; `nil` for any other sign-in.
    ///   - requiredACR: one of these classes must be reached; empty for any.
    package func kinds(in recovery: SignInPolicy.Recovery?, requiredACR: [String]) -> Set<FactorKind> {
        recovery == nil ? kinds(for: requiredACR) : offered(recoveryKinds)
    }

    /// Whether a sign-in from an unlinked device has to prove more before it may set another password: two categories
    /// if the account has a second one, its secret question if it has nothing better.
    func isOwed(for factors: SignInPolicy.Factors) -> Bool {
        if isLinked || factors.acr == AuthenticationStrength.twoFactors { return false }
        return hasSecondCategory || (!usable.union(unreachable).isEmpty && !factors.hasSecondFactor)
    }

    /// Whether a factor that fulfills ``isOwed(for:)`` can be requested.
    func canBeAsked(for requiredACR: [String]) -> Bool {
        takesPasskey
            || !(hasSecondCategory ? kinds(for: [AuthenticationStrength.twoFactors]) : kinds(for: requiredACR)).isEmpty
    }

    private var hasSecondCategory: Bool {
        hasDevice || hasPasskey || usable.union(unreachable).contains(where: Self.isCategory)
    }

    /// Whether a second factor is required, but the account has none whose codes can be delivered.
    func isBeyondReach(after factors: SignInPolicy.Factors, requiredACR: [String]) -> Bool {
        !unreachable.isEmpty && kinds(for: requiredACR).isEmpty && !factors.hasSecondFactor
            && newDevice == .secondFactor && !isLinked
    }

    /// Whether a second factor is required, by the brand or by a request for two categories.
    ///
    /// An account without second factors signs in with its first factor alone, to what one factor gives access to.
    /// - Parameter isDeviceCooling: whether the device is in its cooling period, in which its key alone changes
    ///   nothing.
    func isAsked(
        after factors: SignInPolicy.Factors, requiredACR: [String], isDeviceCooling: Bool = false
    ) -> Bool {
        let wantsTwo = Self.wantTwo(requiredACR)
        var factors = factors
        // A request for two factors by name precedes a change, for which a new device's key does not count.
        if wantsTwo, isDeviceCooling { factors.amr.removeAll(where: AuthenticationStrength.deviceKeys.contains) }
        guard !factors.hasSecondFactor else { return false }
        // A passkey alone is asked for only where the sign-in would otherwise be refused: an app may know none.
        let needsPasskey = takesPasskey && (wantsTwo || !unreachable.isEmpty)
        guard needsPasskey || kinds(for: requiredACR).contains(where: { $0 != factors.first }) else { return false }
        return wantsTwo || (newDevice == .secondFactor && !isLinked)
    }

    /// The factors that may be requested. Secret questions do not count toward two categories.
    package func kinds(for requiredACR: [String]) -> Set<FactorKind> {
        offered(Self.wantTwo(requiredACR) ? usable.filter(Self.isCategory) : usable)
    }

    private func offered(_ kinds: Set<FactorKind>) -> Set<FactorKind> {
        isForPayment ? kinds.subtracting([.recoveryCode]) : kinds
    }

    private static func isCategory(_ kind: FactorKind) -> Bool {
        AuthenticationStrength.category(of: kind.authenticationMethod) != nil
    }

    private static func wantTwo(_ requiredACR: [String]) -> Bool {
        requiredACR.contains(AuthenticationStrength.twoFactors)
            && !requiredACR.contains(AuthenticationStrength.singleFactor)
    }
}

extension SignInPolicy.Factors {
    /// Adds a proved second factor.
    package mutating func add(_ kind: FactorKind) {
        if !amr.contains(kind.authenticationMethod) { amr.append(kind.authenticationMethod) }
        if recovery != nil { recovery = .mailboxAndFactor }
    }

    /// Whether a passkey was the first factor. Then no password was used, and an expired one does not matter. A passkey
    /// does not set a password either: in its cooling period that would lock the holder out.
    var isByPasskey: Bool {
        amr.contains(AuthenticationStrength.passkeyKey) && !amr.contains(AuthenticationStrength.password)
    }

    /// Whether the first factor was the assertion of a provider or backend. Such a sign-in never replaces a password,
    /// not even an expired one: it would gain a factor that it did not prove.
    var isByAnothersWord: Bool {
        !AuthenticationStrength.anothersWord.isDisjoint(with: amr) && !amr.contains(AuthenticationStrength.password)
    }

    /// Whether a second factor was proved already: two categories, or any of an account's own factors. After a scan, the phone has
    /// proved two categories.
    var hasSecondFactor: Bool {
        acr == AuthenticationStrength.twoFactors || AuthenticationStrength.isCrossDevice(amr)
            || FactorKind.allCases.contains { $0 != first && amr.contains($0.authenticationMethod) }
    }
}

extension FactorKind {
    /// The `amr` value (RFC 8176). A recovery code counts as possession, like the list it is printed on.
    package var authenticationMethod: String {
        switch self {
        case .totp, .email, .recoveryCode: "otp"
        case .sms: "sms"
        case .secretQuestion: "kba"
        }
    }
}

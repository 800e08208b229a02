// The rules of strong customer authentication: which operations need consent, and the states of a consent. Comparing
// codes, storing events and signing evidence belong to other layers.

package import Core
package import WalletAuthWire

/// Decides which operations need the person's consent: all, except those that a rule of the operator or an enabled
/// exemption of the RTS lets pass.
package struct SCAPolicy: Hashable, Sendable {
    /// The operator's rules by type of operation. A type without a rule needs consent. Rules are for operations outside
    /// PSD2 article 97, such as showing a card's design; they have no effect on ``alwaysChallenged``.
    package var rules: [WalletOperationType: Rule]
    package var exemptions: ExemptionSettings
    /// The inactivity after which a sign-in's factors no longer count, whatever happens later (RTS article 4(3)(d): at
    /// most five minutes).
    package var idleLimit: Duration

    /// The types that no rule exempts, with the article of the RTS that requires consent.
    package static let alwaysChallenged: [WalletOperationType: String] = [
        .trustPayee: "RTS article 13(1)", .distrustPayee: "RTS article 13(1)", .beginSeries: "RTS article 14(1)",
    ]

    /// The conditions under which a type of operation passes without consent. All of them must be met.
    package struct Rule: Hashable, Sendable {
        /// The largest amount, in this currency; nil if no money may move.
        package var maximumAmount: Money?
        /// Nil for no limit.
        package var maximumSignInAge: Duration?
        package var needsTwoFactors: Bool
        /// Requires a session on an enrolled device past its cooling period.
        package var needsTrustedDevice: Bool

        package init(
            maximumAmount: Money? = nil, maximumSignInAge: Duration? = nil, needsTwoFactors: Bool = false,
            needsTrustedDevice: Bool = false
        ) {
            self.maximumAmount = maximumAmount
            self.maximumSignInAge = maximumSignInAge
            self.needsTwoFactors = needsTwoFactors
            self.needsTrustedDevice = needsTrustedDevice
        }
    }

    package init(
        rules: [WalletOperationType: Rule] = [:], exemptions: ExemptionSettings = ExemptionSettings(),
        idleLimit: Duration = SCALimits.longestIdleLimit
    ) {
        self.rules = rules
        self.exemptions = exemptions
        self.idleLimit = idleLimit
    }
}

/// The facts about the session that an operation comes from.
package struct OperationSession: Hashable, Sendable {
    /// The `amr` values of its sign-in.
    package var methods: [String]
    package var authTime: Timestamp
    /// The end of the time in which the sign-in's factors count, unless activity extends it: see
    /// ``SCAPolicy/counting(from:at:)``.
    package var countsUntil: Timestamp
    /// Whether it runs on an enrolled device past its cooling period.
    package var isOnTrustedDevice: Bool
    /// Whether its account was recovered so recently that an attacker may have done it.
    package var isRecoveredLately: Bool
    /// Whether its sign-in was approved from another device.
    package var isCrossDevice: Bool

    package init(
        methods: [String], authTime: Timestamp, countsUntil: Timestamp, isOnTrustedDevice: Bool,
        isRecoveredLately: Bool = false, isCrossDevice: Bool = false
    ) {
        self.methods = methods
        self.authTime = authTime
        self.countsUntil = countsUntil
        self.isOnTrustedDevice = isOnTrustedDevice
        self.isRecoveredLately = isRecoveredLately
        self.isCrossDevice = isCrossDevice
    }

    /// The `amr` values that still count: the session was never idle too long, and the sign-in is not too old.
    package func methods(at now: Timestamp) -> [String] {
        // A clock set back after the sign-in must not turn minutes into a day.
        let lives = now <= countsUntil && now >= authTime - SCALimits.clockTolerance
        return lives && now - authTime <= SCALimits.longestSignIn ? methods : []
    }
}

extension SCAPolicy {
    /// The end of the time in which a sign-in's factors count, for a session that begins at `now`.
    ///
    /// Activity before that end extends it; later activity does not revive it. A session that begins with an old
    /// sign-in, as in single sign-on, does not restart it.
    package func counting(from authTime: Timestamp, at now: Timestamp) -> Timestamp {
        (now <= authTime + idleLimit ? now : authTime) + idleLimit
    }
}

extension SCAPolicy {
    package enum Decision: Hashable, Sendable {
        /// The person has to agree. Lists the finding for each way to pass without consent.
        case required([ExemptionFinding])
        /// It passes: by an exemption or, if that is nil, by the operator's rule.
        case exempt(SCAExemption?, [ExemptionFinding])

        package var findings: [ExemptionFinding] {
            switch self {
            case .required(let findings), .exempt(_, let findings): findings
            }
        }
    }

    /// Why no money moves in the session without consent; `nil` if it may.
    private static func doubt(about session: OperationSession) -> String? {
        if session.isRecoveredLately { return "The account was recovered recently, perhaps not by its holder." }
        return session.isCrossDevice ? "The sign-in was approved from another device." : nil
    }

    /// Decides whether an operation needs consent.
    ///
    /// Exemptions that use nothing up are tried before the one for low values, whose sum is limited. For a while after
    /// a recovery no money moves without consent. Ending a series never needs consent, because afterwards more payments
    /// need it.
    package func decide(
        _ operation: WalletOperation, grounds: ExemptionGrounds, session: OperationSession,
        history: ExemptionHistory, now: Timestamp
    ) -> Decision {
        if operation.endedSeries != nil {
            return .exempt(nil, [ExemptionFinding(nil, isGranted: true, reason: "Ending a series needs no consent.")])
        }
        let doubt = Self.doubt(about: session)
        var findings: [ExemptionFinding] = []
        if let rule = rules[operation.type], Self.alwaysChallenged[operation.type] == nil {
            let obstacle =
                operation.amount == nil
                ? rule.obstacle(to: operation, session: session, now: now)
                : doubt ?? rule.obstacle(to: operation, session: session, now: now)
            findings.append(
                ExemptionFinding(
                    nil, isGranted: obstacle == nil,
                    reason: obstacle ?? "The operator's rule for \(operation.type) lets it pass."))
            if obstacle == nil { return .exempt(nil, findings) }
        }
        for exemption in ExemptionSettings.order where exemptions.isOn(exemption) {
            let finding =
                if let doubt, exemption != .accountInformation {
                    ExemptionFinding(exemption, isGranted: false, reason: doubt)
                } else {
                    exemptions.finding(
                        exemption, for: operation, grounds: grounds, session: session, history: history, now: now)
                }
            findings.append(finding)
            if finding.isGranted { return .exempt(exemption, findings) }
        }
        return .required(findings)
    }
}

extension SCAPolicy.Rule {
    /// Why the rule does not apply; nil if it does.
    fileprivate func obstacle(to operation: WalletOperation, session: OperationSession, now: Timestamp) -> String? {
        if let amount = operation.amount {
            guard let maximumAmount else { return "The operator's rule is for operations that move no money." }
            guard amount.currency == maximumAmount.currency, amount.minorUnits <= maximumAmount.minorUnits else {
                return "The operator's rule is for amounts up to \(maximumAmount.words)."
            }
        }
        // A clock set back after the sign-in does not make it younger.
        if let maximumSignInAge,
            now - session.authTime > maximumSignInAge || now < session.authTime - SCALimits.clockTolerance
        {
            return "The operator's rule requires a sign-in within the last \(maximumSignInAge.wholeSeconds) seconds."
        }
        if needsTwoFactors, AuthenticationStrength.categories(of: session.methods).count < 2 {
            return "The operator's rule requires a sign-in with two factors."
        }
        if needsTrustedDevice, !session.isOnTrustedDevice {
            return "The operator's rule requires an enrolled device past its cooling period."
        }
        return nil
    }
}

extension Money {
    /// `12.50 EUR`, for reasons and logs. People read ``text(in:gap:)``.
    package var words: String {
        let digits = currency.minorUnitDigits
        guard digits > 0 else { return "\(minorUnits) \(currency)" }
        let text = String(minorUnits)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        return "\(padded.dropLast(digits)).\(padded.suffix(digits)) \(currency)"
    }
}

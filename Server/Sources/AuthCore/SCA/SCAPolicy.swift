package import WalletAuthWire

/// Which operations need the person's consent: all of them, but for those that the operator's own rules let pass, and those
/// that an exemption of the RTS does, where it is switched on.
package struct SCAPolicy: Hashable, Sendable {
    /// The operator's own rules, by the kind of operation; a kind without one needs consent. They are for operations that PSD2
    /// article 97 does not name, such as showing a card's design. Those of ``alwaysChallenged`` need consent all the same.
    package var rules: [WalletOperationType: Rule]
    /// The exemptions that are switched on.
    package var exemptions: ExemptionSettings
    /// After how long without activity what a sign-in proved counts no more, whatever is done later (RTS article 4(3)(d): five
    /// minutes at most).
    package var idleLimit: Duration

    /// The kinds that no rule lets pass, each with the article of the RTS that asks for consent whatever the operator thinks.
    package static let alwaysChallenged: [WalletOperationType: String] = [
        .trustPayee: "RTS article 13(1)", .distrustPayee: "RTS article 13(1)", .beginSeries: "RTS article 14(1)",
    ]

    /// Under what a kind of operation passes without consent. All that is set has to hold.
    package struct Rule: Hashable, Sendable {
        /// At most so much, in this currency; nil where no money may move at all.
        package var maximumAmount: Money?
        /// A sign-in no older than this; nil for any.
        package var maximumSignInAge: Duration?
        /// A sign-in by two categories.
        package var needsTwoFactors: Bool
        /// A session on an enrolled device that is past its cooling period.
        package var needsTrustedDevice: Bool

        /// Each parameter is the property of its name.
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

    /// Each parameter is the property of its name.
    package init(
        rules: [WalletOperationType: Rule] = [:], exemptions: ExemptionSettings = ExemptionSettings(),
        idleLimit: Duration = .minutes(5)
    ) {
        self.rules = rules
        self.exemptions = exemptions
        self.idleLimit = idleLimit
    }
}

/// What is known of the session that an operation comes from.
package struct OperationSession: Hashable, Sendable {
    /// What its sign-in proved, as `amr` says it.
    package var methods: [String]
    /// When that was.
    package var authTime: Timestamp
    /// Until when that counts, unless something is done before: see ``SCAPolicy/counting(from:at:)``.
    package var countsUntil: Timestamp
    /// Whether it is on an enrolled device that is past its cooling period.
    package var isOnTrustedDevice: Bool
    /// Whether its account was recovered so lately that whoever did it may not be its holder.
    package var isRecoveredLately: Bool

    /// Each parameter is the property of its name.
    package init(
        methods: [String], authTime: Timestamp, countsUntil: Timestamp, isOnTrustedDevice: Bool,
        isRecoveredLately: Bool = false
    ) {
        self.methods = methods
        self.authTime = authTime
        self.countsUntil = countsUntil
        self.isOnTrustedDevice = isOnTrustedDevice
        self.isRecoveredLately = isRecoveredLately
    }

    /// What its sign-in proved, while it was never idle for too long since, and is not too old.
    package func methods(at now: Timestamp) -> [String] {
        // A clock that was set back under a sign-in does not make minutes into a day.
        let lives = now <= countsUntil && now >= authTime - SCALimits.clockTolerance
        return lives && now - authTime <= SCALimits.longestSignIn ? methods : []
    }
}

extension SCAPolicy {
    /// Until when what a sign-in proved counts, at a moment at which its session begins.
    ///
    /// It is a chain of activity that begins with the sign-in: whoever does something before its end moves the end on, and
    /// nothing that comes later brings it back. A session that begins by an old sign-in, as by single sign-on, does not begin
    /// it anew.
    /// - Parameters:
    ///   - authTime: when the person signed in.
    ///   - now: when the session begins.
    package func counting(from authTime: Timestamp, at now: Timestamp) -> Timestamp {
        (now <= authTime + idleLimit ? now : authTime) + idleLimit
    }
}

extension SCAPolicy {
    /// What is decided of an operation.
    package enum Decision: Hashable, Sendable {
        /// The person has to agree; with what was thought of each way to pass without.
        case required([ExemptionFinding])
        /// It passes: by an exemption, or, where that is nil, by the operator's own rule.
        case exempt(SCAExemption?, [ExemptionFinding])

        /// What was thought of each way to pass.
        package var findings: [ExemptionFinding] {
            switch self {
            case .required(let findings), .exempt(_, let findings): findings
            }
        }
    }

    private static let recoveredLately = "The account was recovered recently, perhaps not by its holder."

    /// Decides. The exemptions that use nothing up come before the one for low values, whose sum is limited. For a while after
    /// a recovery no money moves without consent. To end a series needs none whatever is switched on: afterwards more payments
    /// need one, not fewer.
    /// - Parameters:
    ///   - operation: what is to be done.
    ///   - grounds: what the backend claims.
    ///   - session: where it comes from.
    ///   - history: what is counted of the account.
    ///   - now: the present moment.
    package func decide(
        _ operation: WalletOperation, grounds: ExemptionGrounds, session: OperationSession,
        history: ExemptionHistory, now: Timestamp
    ) -> Decision {
        if operation.endedSeries != nil {
            return .exempt(nil, [ExemptionFinding(nil, isGranted: true, reason: "Ending a series needs no consent.")])
        }
        var findings: [ExemptionFinding] = []
        if let rule = rules[operation.type], Self.alwaysChallenged[operation.type] == nil {
            let obstacle =
                operation.amount == nil || !session.isRecoveredLately
                ? rule.obstacle(to: operation, session: session, now: now) : Self.recoveredLately
            findings.append(
                ExemptionFinding(
                    nil, isGranted: obstacle == nil,
                    reason: obstacle ?? "The operator's rule for \(operation.type) lets it pass."))
            if obstacle == nil { return .exempt(nil, findings) }
        }
        for exemption in ExemptionSettings.order where exemptions.isOn(exemption) {
            let finding =
                exemption == .accountInformation || !session.isRecoveredLately
                ? exemptions.finding(
                    exemption, for: operation, grounds: grounds, session: session, history: history, now: now)
                : ExemptionFinding(exemption, isGranted: false, reason: Self.recoveredLately)
            findings.append(finding)
            if finding.isGranted { return .exempt(exemption, findings) }
        }
        return .required(findings)
    }
}

extension SCAPolicy.Rule {
    /// Why it does not apply; nil where it does.
    fileprivate func obstacle(to operation: WalletOperation, session: OperationSession, now: Timestamp) -> String? {
        if let amount = operation.amount {
            guard let maximumAmount else { return "The operator's rule is for operations that move no money." }
            guard amount.currency == maximumAmount.currency, amount.minorUnits <= maximumAmount.minorUnits else {
                return "The operator's rule is for amounts up to \(maximumAmount.words)."
            }
        }
        // A clock that was set back under a sign-in does not make it younger.
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
    /// `12.50 EUR`, for reasons and logs.
    package var words: String {
        let digits = currency.minorUnitDigits
        guard digits > 0 else { return "\(minorUnits) \(currency)" }
        let text = String(minorUnits)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        return "\(padded.dropLast(digits)).\(padded.suffix(digits)) \(currency)"
    }
}

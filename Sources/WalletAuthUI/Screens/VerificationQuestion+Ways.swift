import WalletAuth
import WalletAuthWire

extension SCA.Verification {
    /// Names the way among those of one prompt.
    var id: String { "\(method.rawValue) \(channel.rawValue)" }

    var label: ScreenLabel {
        switch self {
        case .sms: .bySMS
        case .email: .byEmail
        case .authenticator: .byAuthenticator
        case .devicePIN: .byPIN
        case .deviceBiometric: .byBiometrics
        case .passkey, .devicePasskey: .byPasskey
        case .push: .byOtherDevice
        case .hostedPIN: .byAccountPIN
        default: .byPassword
        }
    }

    fileprivate var kind: VerificationQuestion.Kind {
        switch self {
        case .devicePIN: .pin
        case .deviceBiometric, .devicePasskey: .biometrics
        case let way where way.channel == .redirect: .page
        case .push: .elsewhere
        default: .code
        }
    }
}

extension VerificationQuestion {
    /// The question of a consent.
    @MainActor
    init(_ prompt: SCA.Prompt, alternatives: [SCA.Verification], texts: ScreenTexts) {
        let way = prompt.verification
        self.init(
            kind: way.kind, instruction: texts.instruction(for: prompt.challenge),
            fault: texts.fault(prompt.fault, of: way),
            attemptsLeft: texts.attempts(prompt.remainingAttempts),
            canResend: way.isSent && prompt.challenge.resendAfter != nil,
            alternatives: alternatives.map { Alternative(id: $0.id, label: texts($0.label)) })
    }

    /// The question of an approval on this device, by the first of its ways.
    @MainActor
    init(
        _ way: SCA.Verification, among ways: [SCA.Verification], fault: String?, attemptsLeft: Int?, texts: ScreenTexts
    ) {
        self.init(
            kind: way.kind, instruction: texts(way == .devicePIN ? .enterPIN : way.label), fault: fault,
            attemptsLeft: texts.attempts(attemptsLeft), canResend: false,
            alternatives: ways.filter { $0 != way }.map { Alternative(id: $0.id, label: texts($0.label)) })
    }

    /// The question for a transaction's or a sign-in's second factor.
    @MainActor
    init(
        _ factor: TransactionFactor, among usable: [TransactionFactor], fault: String?, attemptsLeft: Int?,
        texts: ScreenTexts
    ) {
        self.init(
            kind: factor == .pin ? .pin : .biometrics,
            instruction: texts(factor == .pin ? .enterPIN : .byBiometrics), fault: fault,
            attemptsLeft: factor == .pin ? texts.attempts(attemptsLeft) : nil, canResend: false,
            alternatives: usable.filter { $0 != factor }.map {
                Alternative(id: $0.rawValue, label: texts($0 == .pin ? .byPIN : .byBiometrics))
            })
    }
}

extension ScreenTexts {
    fileprivate func instruction(for challenge: SCA.Challenge) -> String {
        switch challenge.verification {
        case .authenticator: self(.codeFromApp)
        case .sms, .email:
            challenge.destination.map { self(.codeSentTo, ["destination": $0]) } ?? self(.codeSent)
        case .devicePIN: self(.enterPIN)
        case .push: self(.approveElsewhere)
        case let way: self(way.label)
        }
    }

    fileprivate func fault(_ fault: SCA.Fault?, of way: SCA.Verification) -> String? {
        switch fault {
        case nil: nil
        case .wrongValue: self(.wrongValue)
        case .malformedValue: self(.malformedValue)
        case .codeExpired: self(.codeExpired)
        case .codeUsed: self(.codeUsed)
        case .noCodeLeft: text(of: .noCodeLeft)
        case .tooSoon: self(.tooSoon)
        case .declined: self(.notConfirmed)
        case .unfinished: self(way == .push ? .notYetElsewhere : .unfinished)
        }
    }

    func fault(_ fault: UserInteraction.SecondFactor.Fault?) -> String? {
        switch fault {
        case nil: nil
        case .pinFailed: self(.wrongValue)
        case .pinMalformed: self(.malformedValue)
        case .pinRemoved: self(.pinRemoved)
        case .biometricsDeclined: self(.notConfirmed)
        case .biometricsLockedOut: text(of: .biometricsLockedOut)
        case .biometricsRemoved:
            text(
                of: WalletError(
                    .keyLost, .keyLost(recovery: .enableBiometricsAgain), during: .signTransaction,
                    reason: "the enrolled faces or fingerprints have changed"))
        case .pinRequired: text(of: .pinRequired)
        }
    }
}

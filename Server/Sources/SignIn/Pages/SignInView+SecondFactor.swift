import Core
import Kernel
import WalletAuthWire
import Web

/// The second factor on the sign-in page.
extension SignInView {
    /// Asks again: for a code, or for whether answers are compared by now.
    private var retry: ButtonValues { ButtonValues(value: Action.resendFactor.rawValue, label: text[.retryLabel]) }

    /// The page in place of a factor whose answers are not compared at present. The notice has the wait.
    func step(insteadOfFactor others: [FactorKind]) -> Step {
        Step(
            heading: text[.secondFactorHeading],
            lead: text[others.isEmpty ? .factorHeldLead : .factorHeldOtherLead], main: retry,
            others: others.map { button(Action(choosing: $0)) } + buttons([.cancel]), fields: .init())
    }

    /// The page in place of a code's, which has no field: another factor comes first, and sending again for when the wait is over.
    private func stepWithoutCode(for factor: SignInPage.Factor) -> Step {
        let others = factor.alternatives.map { button(Action(choosing: $0)) } + (factor.canResend ? [retry] : [])
        let lead = text[factor.alternatives.isEmpty ? .codeNotSentLead : .codeNotSentOtherLead]
        return Step(
            heading: text[.codeNotSentHeading], lead: lead, main: others.first ?? button(.cancel),
            others: others.dropFirst() + buttons(others.isEmpty ? [] : [.cancel]), fields: .init())
    }

    func step(for factor: SignInPage.Factor) -> Step {
        if unsentCode != nil { return stepWithoutCode(for: factor) }
        var names = names
        names["destination"] = PageText.unbroken(factor.destination ?? "…")
        var label = text[.emailCodeLabel]
        let lead: String
        switch factor.kind {
        case .totp: lead = text[.authenticatorLead]
        case .email, .sms: lead = text[.emailCodeLead, names]
        case .recoveryCode: lead = text[.recoveryCodeLead]
        case .secretQuestion:
            lead = text[.secretQuestionLead]
            label = factor.question ?? label
        }
        return Step(
            heading: text[.secondFactorHeading], lead: lead, main: button(.answerFactor),
            others: buttons(
                (factor.canResend ? [.resendFactor] : []) + factor.alternatives.map(Action.init(choosing:)) + [.cancel]),
            fields: .init(
                factor: .init(
                    answerLabel: label,
                    answerHint: factor.kind.isSent ? codeHint(FactorCodes.lifetime) : nil,
                    numeric: factor.kind == .totp || factor.kind.isSent)))
    }
}

import Core
import Kernel
import Web

/// The steps of a registration on the sign-in page.
extension SignInView {
    func step(forAddress typed: String?, takesPhones: Bool) -> Step {
        Step(
            heading: registration[.heading], lead: registration[takesPhones ? .phoneLead : .lead],
            main: button(.sendRegistrationCode), others: buttons([.leaveRegistration]),
            fields: .init(
                registrationAddress: RegistrationAddressValues(typed, takesPhones: takesPhones, registration)))
    }

    func step(forCodeSentTo destination: String) -> Step {
        Step(
            heading: registration[.codeHeading], lead: registration[.codeLead, shown(destination)],
            main: button(.checkRegistrationCode), others: buttons([.resendRegistrationCode, .leaveRegistration]),
            fields: sentCode("registration_code", living: WaitingCodes.lifetime))
    }

    func step(for newcomer: SignInPage.Newcomer) -> Step {
        Step(
            heading: registration[.accountHeading], lead: registration[.accountLead, shown(newcomer.address)],
            main: button(.finishRegistration),
            others: [ButtonValues(value: Action.leaveRegistration.rawValue, label: text[.cancelLabel])],
            fields: .init(registrationAccount: fields(of: newcomer)))
    }

    private func shown(_ address: String) -> [String: String] { ["destination": PageText.unbroken(address)] }

    private func fields(of newcomer: SignInPage.Newcomer) -> RegistrationAccountValues {
        let isNameWrong = page.notice?.concernsNewName ?? false
        // The name that is suggested is usually kept.
        let isNameFocused = isNameWrong || (newcomer.username ?? "").isEmpty
        let isWrong = notice?.concernsField ?? false
        let entry = NewPasswordValues(
            username: nil, newPasswordLabel: text[.newPasswordLabel], newPasswordHint: text[.newPasswordHint],
            repeatLabel: text[.repeatPasswordLabel], isMistyped: page.notice == .newPasswordMistyped,
            isFocusElsewhere: isNameFocused, reveal: reveal)
        return RegistrationAccountValues(
            name: .init(
                usernameLabel: text[.usernameLabel], usernameHint: text[.usernameHint], typed: newcomer.username,
                invalid: isNameWrong, isFocused: isNameFocused),
            entry: .init(invalid: isWrong && !isNameWrong, fields: entry),
            terms: newcomer.termsURL.map {
                .init(
                    line: providers.text[.termsLine, ["brand": page.appearance.name]], url: $0,
                    label: providers.text[.termsLabel])
            })
    }
}

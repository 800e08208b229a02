import Core
import Kernel
import WalletAuthWire
import Web

/// The steps of a registration on the sign-in page.
extension SignInView {
    /// Whether the page has fields. What creates a passkey has a form of its own.
    var showsForm: Bool {
        if case .registrationPasskey = page.step { return false }
        return !page.hidesPassword
    }

    /// The button of making an account, where it is offered.
    var newcomer: [ButtonValues] { page.offersRegistration ? [button(.register)] : [] }

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
            others: (newcomer.takesPasskeys ? [withName(.registerByPasskey)] : []) + [cancel],
            fields: .init(registrationAccount: fields(of: newcomer)))
    }

    func step(forPasskeyOf newcomer: SignInPage.Newcomer) -> Step {
        let names = ["user": ClientConsentView.isolated(newcomer.username ?? "…"), "brand": page.appearance.name]
        return Step(
            heading: registration[.passkeyHeading], lead: registration[.passkeyLead, names],
            main: button(.finishRegistrationByPasskey), others: [button(.registerByPassword), cancel],
            fields: .init())
    }

    /// The form of the step for a passkey.
    func newPasskey(_ options: PasskeyCreationOptions) -> NewPasskeyValues? {
        guard case .registrationPasskey(let newcomer) = page.step else { return nil }
        let (text, create) = (passkeys.text, button(.finishRegistrationByPasskey))
        return NewPasskeyValues(
            terms: terms(of: newcomer), unsupported: text[.unsupported], options: JSONValue.object(options.json).text,
            failed: text[.addFailed], known: text[.known], create: create.value, createLabel: create.label)
    }

    private var cancel: ButtonValues {
        ButtonValues(value: Action.leaveRegistration.rawValue, label: text[.cancelLabel])
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
            terms: terms(of: newcomer))
    }

    private func terms(of newcomer: SignInPage.Newcomer) -> NewAccountValues.Terms? {
        newcomer.termsURL.map {
            .init(
                line: providers.text[.termsLine, ["brand": page.appearance.name]], url: $0,
                label: providers.text[.termsLabel])
        }
    }
}

import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// The hosted sign-in page, at any step.
    func signIn(_ page: SignInPage, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(
            locales: page.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let words = BrandLanguage(language, page.appearance.texts)
        let view = SignInView(
            page: page, accountPage: issuer.url(path: Endpoints.accountPage.path),
            keepingPage: issuer.url(path: Endpoints.accountKeepingPage.path), language: words,
            text: words.text, account: words.accountText, passkeys: PasskeyView(text: words.passkeyText),
            providers: ProviderView(text: words.providerText),
            consents: ClientConsentView(words), scan: words.scanText,
            registration: words.registrationText,
            scanState: { issuer.pathPrefix + Endpoints.scanPageState.path.replacing("{transactionId}", with: $0) })
        let look = BrandStyle(page.appearance)
        let (step, notice) = (view.step, view.notice)
        let buttons = view.providers.buttons(page.providers, isAlone: page.hidesPassword)
        let frame = frame(
            language, title: view.title, heading: step.heading, lead: step.lead, brandName: page.appearance.name,
            look: look, footer: view.footer)
        let script: ContentPolicy.Script =
            page.scan != nil ? .asking : page.hasPasskeys || view.showsPassword ? .ownFile : .none
        let values = SignInValues(
            form: PageFormValues(
                action: formAddress(page.endpoint.path, page.locales), request: page.request, csrf: page.csrf),
            notice: notice?.values(heading: view.noticeHeading),
            payment: page.payment.map { PaymentFacts($0, in: words) }, keepLink: view.keepLink,
            invalid: notice?.concernsField ?? false, fields: step.fields, primaryAction: step.main.value,
            primaryLabel: step.showsMain ? step.main.label : nil, others: step.others,
            passkey: page.passkey.map { view.passkeys.signIn($0) },
            newPasskey: page.newPasskey.flatMap { view.newPasskey($0) },
            providers: page.isWithoutPassword ? nil : buttons, providersFirst: page.isWithoutPassword ? buttons : nil,
            showsForm: view.showsForm,
            messageLink: view.asksForSentCode ? messageLink(language) : nil,
            scriptSource: scriptName(of: page).map(assetPath),
            refresh: page.scan.map { String($0.refreshAfter) },
            revealScript: view.showsPassword ? .init(scriptSource: assetPath(assets.revealScriptName)) : nil,
            zoneScript: script == .none ? nil : .init(scriptSource: assetPath(assets.zoneScriptName)))
        var response = response(
            view.status, values, in: frame, language,
            ContentPolicy(
                formTargets: [page.redirectURI] + page.providers.map(\.place), images: look.images,
                script: script))
        if let seconds = view.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    private func scriptName(of page: SignInPage) -> String? {
        if page.scan != nil { return assets.scanScriptName }
        return page.hasPasskeys ? assets.passkeyScriptName : nil
    }
}

extension Pages {
    /// What Back shows once the sign-in is over: nothing to fill in, and the way on.
    func signedIn(_ onward: SignInOnward, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(locales: onward.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let text = BrandLanguage(language, onward.appearance.texts).text
        let ending =
            onward.isCancelled
            ? Ending(heading: text[.appNotCompletedHeading], lead: text[.cancelled], backLabel: text[.submitLabel])
            : Ending(
                heading: text[.appSignedInHeading], lead: text[.appReturn],
                backLabel: text[.appReturnLabel, ["client": onward.app]])
        return self.onward(to: onward.location, saying: ending, appearance: onward.appearance, language)
    }
}

extension SignInPage {
    /// Where its form goes, and where the page that answers it is.
    var endpoint: Endpoint { [.app, .device].contains(purpose) ? Endpoints.signInPage : Endpoints.accountPage }

    /// Whether the browser is asked to use or to create a passkey.
    fileprivate var hasPasskeys: Bool { passkey != nil || newPasskey != nil }

    fileprivate var scan: Scan? { if case .scan(let scan) = step { scan } else { nil } }
}

/// Texts and fields of the sign-in page.
struct SignInView {
    let page: SignInPage
    /// The address of the account page.
    let accountPage: String
    /// The address of the page that takes a closing back.
    let keepingPage: String
    let language: BrandLanguage
    let text: Texts<PageText>
    let account: Texts<AccountText>
    let passkeys: PasskeyView
    let providers: ProviderView
    let consents: ClientConsentView
    let scan: Texts<ScanSignInText>
    let registration: Texts<RegistrationText>
    /// The address of the state of a waiting sign-in, by its id.
    let scanState: (String) -> String

    /// The values of the buttons, as the form posts them; see ``SignInForm``.
    typealias Action = SignInForm.Action

    var names: [String: String] {
        [
            "client": page.clientName, "brand": page.appearance.name, "support": page.appearance.contact,
            "host": ContentPolicy.source(for: page.redirectURI).map(Self.readable) ?? page.clientName,
        ]
    }

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String { notice?.isFault == true ? "\(noticeHeading) – \(step.heading)" : step.heading }

    /// Before a change on the account's page, the person is signed in already.
    var noticeHeading: String { text[page.purpose == .accountChange ? .faultHeading : .noticeHeading] }

    /// Only for web destinations: an app's own URL scheme tells a person nothing.
    var footer: String? {
        switch page.step {
        // These two steps list the destination among the facts.
        case .clientConsent, .confirmation: return nil
        default: break
        }
        return page.purpose == .app && page.redirectURI.hasPrefix("https://")
            ? text[.returnFooter, names] : nil
    }

    /// The purpose of the sign-in.
    private var purpose: String {
        switch page.purpose {
        case .app, .device: text[.signInLead, names]
        case .account: account[.signInLead]
        case .accountChange: account[.signInAgainLead]
        case .administration(let question): account[question?.lead ?? .administrationLead]
        }
    }

    /// Whether the page has a password that a button shows.
    var showsPassword: Bool {
        switch page.step {
        case .credentials: !page.hidesPassword
        case .newPassword, .recoveredPassword, .registrationAccount: true
        default: false
        }
    }

    var asksForSentCode: Bool {
        switch page.step {
        case .recoveryCode, .emailCode, .registrationCode: true
        case .secondFactor(let factor): factor.kind.isSent && factor.isCodeSent
        default: false
        }
    }

    var reveal: RevealValues { RevealValues(show: text[.showLabel], hide: text[.hideLabel]) }

    private static func readable(_ origin: String) -> String {
        origin.hasPrefix("https://") ? String(origin.dropFirst(8)) : origin
    }

    struct Step {
        var heading: String
        var lead: String
        var main: ButtonValues
        /// Whether the main button is shown; not if the fields are buttons themselves.
        var showsMain = true
        var others: [ButtonValues]
        var fields: SignInValues.Fields
    }

    var step: Step {
        switch page.step {
        case .credentials(let username):
            let forgot = page.resetCredentialsURL == nil ? [withName(.forgotPassword)] : []
            let others = page.hidesPassword ? buttons([.otherAccount]) : forgot
            return Step(
                heading: text[.signInHeading], lead: purpose, main: button(.signIn),
                others: page.alternatives.map(use) + phone + others + newcomer + buttons([.cancel]),
                fields: .init(
                    credentials: credentials(
                        username, .password, label: text[.passwordLabel], resetLabel: text[.resetLabel])))
        case .alternative(let alternative, let username):
            let form = alternative.form
            let words = form.text(language)
            let forgot = form.forgot.map { withName($0.value, $0.label(language)) }
            // If the app has its own page for new credentials, that page also resets the secret.
            let shown = page.resetCredentialsURL == nil ? [forgot].compactMap { $0 } : []
            let instead = page.alternatives.filter { $0 != alternative }.map(use)
            return Step(
                heading: text[.signInHeading], lead: purpose,
                main: ButtonValues(value: form.signIn, label: text[.submitLabel]),
                others: shown + instead + [withName(.usePassword)] + newcomer + buttons([.cancel]),
                fields: .init(
                    credentials: credentials(username, form.field, label: words.label, resetLabel: forgot?.label)))
        case .scan(let shown):
            let values = ScanValues(shown, scan, address: scanState(shown.id))
            let isAsking = shown.number == nil
            return Step(
                heading: scan[isAsking ? .heading : .numberHeading],
                lead: scan[isAsking ? .lead : .numberLead, names],
                main: ButtonValues(value: Action.useScan.rawValue, label: scan[.againLabel]), showsMain: isAsking,
                others: buttons([.usePassword, .cancel]), fields: .init(scan: values))
        case .recovery(let username):
            return Step(
                heading: text[.recoveryHeading], lead: text[.recoveryLead], main: button(.recover),
                others: [withName(Action.usePassword.rawValue, text[.cancelLabel])],
                fields: .init(
                    recovery: .init(usernameLabel: text[.nameOrAddressLabel], username: username.flatMap(Self.typed))))
        case .recoveryCode(let canResend):
            return Step(
                heading: text[.recoveryCodeHeading], lead: text[.recoveryCodeSentLead, recoveryName],
                main: button(.checkRecoveryCode),
                others: buttons(canResend ? [.resendRecoveryCode] : []) + [backToSignIn],
                fields: sentCode("recovery_answer", living: PasswordRecovery.lifetime))
        case .confirmation(let username, let scopes):
            var names = names
            names["client"] = ClientConsentView.isolated(page.clientName)
            names["user"] = ClientConsentView.isolated(username)
            return Step(
                heading: text[.confirmHeading, names], lead: text[.confirmLead, names],
                main: button(.confirm), others: buttons([.otherAccount, .cancel]),
                fields: .init(confirmation: consents.confirmation(of: scopes, redirectURI: page.redirectURI)))
        case .newPassword, .recoveredPassword:
            let fields = NewPasswordValues(
                username: page.username, newPasswordLabel: text[.newPasswordLabel],
                newPasswordHint: text[.newPasswordHint], repeatLabel: text[.repeatPasswordLabel],
                isMistyped: page.notice == .passwordMistyped, reveal: reveal)
            return Step(
                heading: text[.newPasswordHeading],
                lead: page.step == .newPassword ? text[.newPasswordLead] : text[.recoveredPasswordLead],
                main: button(.setPassword), others: buttons([.cancel]),
                fields: .init(newPassword: fields))
        case .emailCode(let destination):
            var names = names
            names["destination"] = PageText.unbroken(destination)
            return Step(
                heading: text[.emailCodeHeading], lead: text[.emailCodeLead, names],
                main: button(.checkCode), others: buttons([.resendCode, .cancel]),
                fields: sentCode("email_code", living: EmailCodes.lifetime))
        case .secondFactor(let factor): return step(for: factor)
        case .heldFactor(let others): return step(insteadOfFactor: others)
        case .newAccount(let offer):
            return Step(
                heading: providers.text[.newAccountHeading], lead: providers.lead(offer, brand: page.appearance.name),
                main: button(.createAccount), others: [providers.existingAccount] + buttons([.cancel]),
                fields: .init(
                    newAccount: providers.fields(of: offer, text, brand: page.appearance.name)))
        case .registration(let typed, let takesPhones): return step(forAddress: typed, takesPhones: takesPhones)
        case .registrationCode(let destination): return step(forCodeSentTo: destination)
        case .registrationAccount(let newcomer): return step(for: newcomer)
        case .registrationPasskey(let newcomer): return step(forPasskeyOf: newcomer)
        case .merchant(let username, let merchants):
            var names = names
            names["user"] = username
            return Step(
                heading: text[.merchantHeading], lead: text[.merchantLead, names],
                main: button(.chooseMerchant), showsMain: false, others: buttons([.otherAccount, .cancel]),
                fields: .init(merchants: .init(buttons: Self.buttons(for: merchants))))
        case .clientConsent(let request):
            let returns = page.purpose == .app
            let payment = page.payment.map { payment in
                let amount = payment.amount.text(in: language.language)
                return (
                    heading: language.consentText[.paymentHeading],
                    label: language.consentText[.agreeAmountLabel, ["amount": amount]]
                )
            }
            return Step(
                heading: payment?.heading ?? consents.heading(request, client: page.clientName),
                lead: consents.lead(request),
                main: payment.map { ButtonValues(value: Action.allow.rawValue, label: $0.label) } ?? button(.allow),
                others: buttons([.otherAccount]) + [consents.leave(to: returns ? page.clientName : nil)],
                fields: .init(
                    clientConsent: consents.fields(
                        of: request, client: page.clientName, redirectURI: returns ? page.redirectURI : nil)))
        }
    }

    /// The form of a name and a secret.
    /// - Parameter resetLabel: `nil` for a secret that no one can forget.
    private func credentials(
        _ username: String?, _ secret: SecretField, label: String, resetLabel: String?
    ) -> SignInValues.Credentials {
        let username = username.flatMap(Self.typed)
        let reset = resetLabel == nil ? nil : page.resetCredentialsURL
        return .init(
            usernameLabel: text[.nameOrAddressLabel], username: username,
            secret: secret.values(
                label: label, isFocused: username != nil && !page.isWithoutPassword,
                reveal: showsPassword ? reveal : nil), resetLink: reset,
            resetLabel: reset == nil ? nil : resetLabel)
    }

    private static func typed(_ name: String) -> String? { name.isEmpty ? nil : name }

    func sentCode(_ name: String, living lifetime: Duration) -> SignInValues.Fields {
        .init(sentCode: .init(codeLabel: text[.emailCodeLabel], codeHint: codeHint(lifetime), codeName: name))
    }

    func codeHint(_ lifetime: Duration) -> String {
        text[.codeHint, ["minutes": String(lifetime.wholeSeconds / 60)]]
    }

    private func use(_ alternative: PasswordAlternative) -> ButtonValues {
        withName(alternative.form.use, alternative.form.text(language).useLabel)
    }

    /// "Cancel" of a way that the sign-in page led to: it goes back there, and ends no sign-in.
    private var backToSignIn: ButtonValues {
        ButtonValues(value: Action.usePassword.rawValue, label: text[.cancelLabel])
    }

    /// The button of signing in with the phone, where it is offered.
    private var phone: [ButtonValues] { page.offersScan ? [button(.useScan)] : [] }

    /// A button that sends the form of the user name, so that no one types the name twice. A page without a password has no such form.
    private func withName(_ value: String, _ label: String) -> ButtonValues {
        ButtonValues(value: value, label: label, sentForm: page.hidesPassword ? nil : SignInValues.formID)
    }

    func withName(_ action: Action) -> ButtonValues { withName(action.rawValue, label(of: action)) }

    func button(_ action: Action) -> ButtonValues {
        ButtonValues(value: action.rawValue, label: label(of: action))
    }

    func buttons(_ actions: [Action]) -> [ButtonValues] { actions.map(button) }

    /// Merchants may share a name, so the buttons add ids.
    private static func buttons(for merchants: [Merchant]) -> [ChoiceValues] {
        let counts = Dictionary(grouping: merchants, by: \.name).mapValues(\.count)
        return merchants.map { merchant in
            let isAlone = counts[merchant.name] == 1
            return ChoiceValues(
                id: merchant.id.rawValue,
                label: isAlone ? merchant.name : "\(merchant.name) (\(merchant.id.rawValue))")
        }
    }

    private func label(of action: Action) -> String {
        switch action {
        case .signIn: text[.submitLabel]
        case .usePassword: text[.usePasswordLabel]
        case .confirm: text[.confirmLabel]
        case .otherAccount: text[.otherAccountLabel]
        case .setPassword: text[.newPasswordSubmitLabel]
        case .checkCode: text[.emailCodeSubmitLabel]
        case .answerFactor: text[.emailCodeSubmitLabel]
        case .resendCode, .resendFactor, .resendRecoveryCode, .resendRegistrationCode: text[.resendLabel]
        case .forgotPassword: text[.resetLabel]
        case .recover: text[.recoverySubmitLabel]
        case .checkRecoveryCode: text[.emailCodeSubmitLabel]
        case .useTOTP: text[.useAuthenticatorLabel]
        case .useEmail: text[.useEmailLabel]
        case .useSMS: text[.useSMSLabel]
        case .useSecretQuestion: text[.useSecretQuestionLabel]
        case .useRecoveryCode: text[.useRecoveryCodeLabel]
        case .usePasskey: passkeys.text[.signInLabel]
        case .useScan: scan[.useLabel]
        case .useProvider: text[.continueLabel]
        case .createAccount, .finishRegistration: providers.text[.createLabel]
        case .register: registration[.useLabel]
        case .sendRegistrationCode: registration[.sendLabel]
        case .checkRegistrationCode: text[.emailCodeSubmitLabel]
        case .leaveRegistration: registration[.signInLabel]
        case .registerByPasskey: registration[.passkeyUseLabel]
        case .registerByPassword: registration[.passwordUseLabel]
        case .finishRegistrationByPasskey: registration[.passkeyCreateLabel]
        case .chooseMerchant: text[.continueLabel]
        case .allow: consents.text[.allowLabel]
        case .cancel: text[.cancelLabel]
        }
    }
}

import Core
import HTTPTypes
import Kernel
import SignIn
import WalletAuthWire
import Web

extension Pages {
    /// The page where a person approves an operation, in any of its states.
    func consent(_ page: ConsentPage, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(locales: [], acceptLanguage: acceptLanguage)
        let words = BrandLanguage(language, page.appearance.texts)
        let view = ConsentView(
            page: page, language: language, text: words.consentText, common: words.text, passkeys: words.passkeyText,
            pins: words.accountPINText)
        let look = BrandStyle(page.appearance)
        let notice = view.notice.map { PageNotice(text: $0).values(heading: view.text[.noticeHeading]) }
        var (back, backLabel): (String?, String?)
        if case .over = page.step { (back, backLabel) = (page.returnLocation, view.backLabel) }
        let frame = frame(
            language, title: view.title, heading: view.heading, lead: view.lead, brandName: page.appearance.name,
            look: look)
        let values = ConsentValues(
            form: PageFormValues(
                action: issuer.pathPrefix + Endpoints.consentPage.path, request: page.form?.request,
                csrf: page.form?.csrf),
            notice: notice, invalid: view.isFieldWrong, asking: view.asking, passkey: view.passkey, back: back,
            backLabel: backLabel, scriptSource: page.passkey == nil ? nil : assetPath(assets.passkeyScriptName))
        var response = response(
            view.status, values, in: frame, language,
            ContentPolicy(
                formTargets: [page.returnLocation], images: look.images,
                script: page.passkey == nil ? .none : .ownFile))
        if let seconds = view.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}

/// Texts and fields of the consent page.
struct ConsentView {
    let page: ConsentPage
    let language: Language
    let text: Texts<ConsentText>
    let common: Texts<PageText>
    let passkeys: Texts<PasskeyText>
    let pins: Texts<AccountPINText>

    /// The values of the buttons, as the forms post them.
    private typealias Action = ConsentPageForm.Action

    private var names: [String: String] { ["client": page.app] }

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String { page.notice == nil ? heading : "\(text[.noticeHeading]) – \(heading)" }

    var status: HTTPResponse.Status {
        switch (page.step, page.notice) {
        case (_, .wrong?): .badRequest
        case (_, .tooManyAttempts?): .tooManyRequests
        case (_, .busy?): .serviceUnavailable
        case (.asking, nil), (.over(.agreed), nil), (.over(.refused), nil): .ok
        case (.over(.locked), nil), (.over(.superseded), nil), (.over(.over), nil): .conflict
        }
    }

    var retryAfter: Int64? {
        switch page.notice {
        case .tooManyAttempts(let seconds), .busy(let seconds): seconds
        case .wrong, nil: nil
        }
    }

    var heading: String { text[words.heading] }

    var lead: String { text[words.lead, names] }

    var backLabel: String { text[.backLabel, names] }

    private var words: (heading: ConsentText, lead: ConsentText) {
        switch page.step {
        case .asking: (askingHeading, .lead)
        case .over(.agreed): (.agreedHeading, .agreed)
        case .over(.refused): (.refusedHeading, .refused)
        case .over(.locked): (.lockedHeading, .locked)
        case .over(.superseded): (.overHeading, .superseded)
        case .over(.over): (.overHeading, .over)
        }
    }

    private var askingHeading: ConsentText {
        switch page.operation.type {
        case .trustPayee: .trustHeading
        case .distrustPayee: .distrustHeading
        case .beginSeries: .seriesHeading
        default: page.operation.amount == nil ? .otherHeading : .paymentHeading
        }
    }

    /// The effects of an operation beyond itself.
    private var consequence: String? {
        switch page.operation.type {
        case .trustPayee: text[.trustConsequence]
        case .beginSeries: text[.seriesConsequence]
        default: nil
        }
    }

    /// `nil` if the interaction is over.
    var asking: ConsentValues.Asking? {
        guard case .asking(let factor) = page.step else { return nil }
        var password: ConsentValues.Password?
        var pin: ConsentValues.PIN?
        switch factor {
        case .password:
            password = .init(
                username: page.username, passwordLabel: common[.passwordLabel], agree: Action.agree.rawValue,
                agreeLabel: text[.agreeLabel])
        case .pin:
            pin = .init(
                secret: AccountPINFields.field.values(label: pins[.label]), agree: Action.agreeByPIN.rawValue,
                agreeLabel: text[.agreeLabel])
        // Passkeys have their own form.
        case .passkey: break
        }
        return .init(
            rows: rows, consequence: consequence, warning: text[.warning, names], password: password, pin: pin,
            passkeyScriptNeeded: page.passkey == nil ? nil : passkeys[.unsupported],
            others: [
                ButtonValues(value: Action.cancel.rawValue, label: common[.cancelLabel]),
                ButtonValues(value: Action.refuse.rawValue, label: text[.refuseLabel]),
            ])
    }

    var passkey: PasskeyUseValues? {
        guard case .asking = page.step else { return nil }
        return page.passkey.map { PasskeyView(text: passkeys).agree($0, by: Action.usePasskey.rawValue) }
    }

    /// Whether a notice concerns the field. A passkey has none.
    var isFieldWrong: Bool {
        if case .wrong = page.notice { page.passkey == nil } else { false }
    }

    /// The operation, exactly as requested. No value is rounded or shortened, and only its type is put into words.
    private var rows: [ConsentValues.Row] {
        let operation = page.operation
        var rows: [ConsentValues.Row] = []
        func row(_ label: String, _ value: String) { rows.append(.init(label: label, value: value)) }
        if let amount = operation.amount { row(text[.amountLabel], amount.text(in: language)) }
        if let payee = operation.payee {
            row(text[.payeeLabel], payee.name)
            row(text[.payeeAccountLabel], payee.account)
        }
        row(text[.kindLabel], operation.type.name(in: language))
        row(text[.requesterLabel], page.requester)
        row(text[.accountLabel], page.username)
        // Last, and labeled as details: a backend may give a detail any name, even "Amount".
        for (name, value) in operation.details.sorted(by: { $0.key < $1.key }) {
            row(text[.detailLabel, ["name": name]], value)
        }
        return rows
    }

    var notice: String? {
        switch page.notice {
        case nil: nil
        case .wrong(let remaining):
            page.passkey == nil
                ? text[.wrong, ["count": String(remaining)]] : passkeys[.wrongForConsent, ["count": String(remaining)]]
        case .tooManyAttempts(let seconds):
            common[.tooManyAttempts, ["seconds": String(seconds)]]
        case .busy(let seconds): common[.busy, ["seconds": String(seconds)]]
        }
    }
}

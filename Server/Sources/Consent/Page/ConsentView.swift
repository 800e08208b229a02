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
        let view = ConsentView(
            page: page, language: language, text: language.consentText, common: language.text,
            passkeys: language.passkeyText,
            pins: language.accountPINText)
        let look = BrandStyle(page.appearance)
        var values = frame(language, title: view.title, brandName: page.appearance.name, look: look)
        values.merge(view.values) { _, new in new }
        values["action"] = issuer.pathPrefix + Endpoints.consentPage.path
        if page.passkey != nil { values["scriptSource"] = assetPath(assets.passkeyScriptName) }
        var response = response(
            view.status, .consent, values, language,
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

    private var heading: String { text[words.heading] }

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

    var values: [String: Any] {
        var values: [String: Any] = ["heading": heading, "lead": text[words.lead, names]]
        switch page.step {
        case .over:
            values["back"] = page.returnLocation
            values["backLabel"] = text[.backLabel, names]
        case .asking(let factor):
            var asking: [String: Any] = [
                "rows": rows.map { ["label": $0.label, "value": $0.value] },
                "warning": text[.warning, names],
                "others": [
                    ["value": Action.cancel.rawValue, "label": common[.cancelLabel]],
                    ["value": Action.refuse.rawValue, "label": text[.refuseLabel]],
                ],
            ]
            if let consequence { asking["consequence"] = consequence }
            switch factor {
            case .password:
                asking["password"] = [
                    "username": page.username, "passwordLabel": common[.passwordLabel],
                    "agree": Action.agree.rawValue, "agreeLabel": text[.agreeLabel],
                ]
            case .pin:
                var fields = AccountPINFields.field.values(label: pins[.label])
                fields["agree"] = Action.agreeByPIN.rawValue
                fields["agreeLabel"] = text[.agreeLabel]
                asking["pin"] = fields
            // Passkeys have their own form.
            case .passkey: break
            }
            if let options = page.passkey {
                asking["passkeyScriptNeeded"] = passkeys[.unsupported]
                values["passkey"] = PasskeyView(text: passkeys).agree(options, by: Action.usePasskey.rawValue)
            }
            values["asking"] = asking
        }
        if let form = page.form {
            values["request"] = form.request
            values["csrf"] = form.csrf
        }
        if let notice {
            values.merge(PageNotice(text: notice).values(heading: text[.noticeHeading])) { _, new in new }
            if case .wrong = page.notice, page.passkey == nil {
                values["invalid"] = true
                values["noticeTarget"] = field
            }
        }
        return values
    }

    /// The field that a notice links to.
    private var field: String {
        if case .asking(.pin) = page.step { "pin" } else { "password" }
    }

    /// The operation, exactly as requested. No value is rounded or shortened, and only its type is put into words.
    private var rows: [(label: String, value: String)] {
        let operation = page.operation
        var rows: [(String, String)] = []
        if let amount = operation.amount { rows.append((text[.amountLabel], amount.text(in: language))) }
        if let payee = operation.payee {
            rows.append((text[.payeeLabel], payee.name))
            rows.append((text[.payeeAccountLabel], payee.account))
        }
        rows.append((text[.kindLabel], operation.type.name(in: language)))
        rows.append((text[.requesterLabel], page.requester))
        rows.append((text[.accountLabel], page.username))
        // Last, and labeled as details: a backend may give a detail any name, even "Amount".
        rows += operation.details.sorted { $0.key < $1.key }
            .map { (text[.detailLabel, ["name": $0.key]], $0.value) }
        return rows
    }

    private var notice: String? {
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

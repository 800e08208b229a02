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
            pins: words.accountPINText, accountPage: issuer.url(path: Endpoints.accountPage.path))
        let look = BrandStyle(page.appearance)
        let notice = view.notice.map { PageNotice(text: $0).values(heading: view.text[.noticeHeading]) }
        var (back, account): (LinkValues?, ConsentValues.AccountAdvice?)
        if case .over(let end) = page.step {
            let wayBack = LinkValues(address: page.returnLocation, label: view.backLabel)
            if end == .refused {
                account = .init(text: view.text[.refusedAdvice], link: view.accountLink, wayBack: wayBack)
            } else {
                back = wayBack
            }
        }
        let frame = frame(
            language, title: view.title, heading: view.heading, lead: view.lead, brandName: page.appearance.name,
            look: look)
        let values = ConsentValues(
            headingSize: view.headingSize,
            form: PageFormValues(
                action: issuer.pathPrefix + Endpoints.consentPage.path, request: page.form?.request,
                csrf: page.form?.csrf),
            notice: notice, invalid: view.isFieldWrong, asking: view.asking, passkey: view.passkey,
            agreed: view.agreed, back: back, account: account,
            scriptSource: page.passkey == nil ? nil : assetPath(assets.passkeyScriptName))
        var response = response(
            view.status, values, in: frame, language,
            ContentPolicy(
                formTargets: [page.returnLocation], images: look.images,
                script: page.passkey == nil ? .none : .ownFile))
        if let seconds = view.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}

extension ConsentPage.Departure {
    /// What the page says that leads to an app's own scheme. The app asks the server for the outcome.
    func ending(in language: BrandLanguage, of page: ConsentPage) -> Pages.Ending {
        let (text, names) = (language.consentText, ["client": page.app])
        let (heading, lead) =
            switch self {
            case .agreed: (text[.agreedHeading], text[.agreed, names])
            case .unfinished: (text[.unfinishedHeading], text[.unfinished, names])
            case .cancelled: (language.text[.appReturnHeading], text[.left, names])
            }
        let summary = self == .agreed ? page.payment(in: language.language, text) : nil
        return Pages.Ending(
            heading: heading, lead: lead, summary: summary.map { SummaryValues($0, size: LongName.size(of: $0)) },
            backLabel: text[.backLabel, names])
    }
}

extension ConsentPage {
    /// Amount and payee of one payment; `nil` for anything else, which an amount would pass for one.
    fileprivate func payment(in language: Language, _ text: Texts<ConsentText>) -> String? {
        askingHeading == .paymentHeading ? amountToPayee(in: language, text) : nil
    }

    fileprivate func amountToPayee(in language: Language, _ text: Texts<ConsentText>) -> String? {
        PaymentLine.text(operation.amount, to: operation.payee, in: language, text)
    }

    fileprivate var askingHeading: ConsentText { ConsentText.heading(asking: operation) }
}

extension ConsentText {
    /// The heading of the page that asks.
    static func heading(asking operation: WalletOperation) -> ConsentText {
        switch operation.type {
        case .trustPayee: .trustHeading
        case .distrustPayee: .distrustHeading
        case .beginSeries: .seriesHeading
        default: operation.amount == nil ? .otherHeading : .paymentHeading
        }
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
    /// The address of the account page.
    let accountPage: String

    /// The values of the buttons, as the forms post them.
    private typealias Action = ConsentPageForm.Action

    private var names: [String: String] { ["client": page.app] }

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String {
        let title = text[words.heading]
        return page.notice == nil ? title : "\(text[.noticeHeading]) – \(title)"
    }

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

    /// A payment's amount and payee, which say more than that it is one.
    var heading: String {
        guard case .asking = page.step, askingHeading == .paymentHeading else { return text[words.heading] }
        return amountToPayee ?? text[words.heading]
    }

    private var amount: String? { page.operation.amount.map { $0.text(in: language) } }

    private var amountToPayee: String? { page.amountToPayee(in: language, text) }

    /// What was approved, in the words of the page that asked.
    var agreed: SummaryValues? {
        guard case .over(.agreed) = page.step, let payment = page.payment(in: language, text) else { return nil }
        return SummaryValues(payment, size: LongName.size(of: payment))
    }

    private var summary: String? {
        if heading == amountToPayee { return nil }
        return amountToPayee ?? amount ?? page.operation.payee?.name
    }

    /// Only a heading with a payee's name can be long.
    var headingSize: String? { heading == amountToPayee ? LongName.size(of: heading) : nil }

    /// The button says what it approves. What ends in more than one payment is no amount.
    private var agreeLabel: String {
        guard let amount, askingHeading == .paymentHeading else {
            return text[.agreeOperationLabel, ["operation": page.operation.type.name(in: language)]]
        }
        return text[.agreeAmountLabel, ["amount": amount]]
    }

    var lead: String { text[words.lead, names] }

    var accountLink: LinkValues { LinkValues(address: accountPage, label: common[.accountLinkLabel]) }

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

    private var askingHeading: ConsentText { page.askingHeading }

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
        var forgot: ConsentValues.Forgot?
        switch factor {
        case .password:
            password = .init(
                username: page.username, passwordLabel: common[.passwordLabel], agree: Action.agree.rawValue,
                agreeLabel: agreeLabel)
            let reset = page.resetLocation.map { LinkValues(address: $0, label: common[.newPasswordHeading]) }
            forgot = .init(
                forgotLabel: common[.resetLabel],
                forgotText: text[
                    .forgotPassword, names.merging(["wait": common.span(page.coolingPeriod)]) { own, _ in own }],
                link: reset ?? accountLink)
        case .pin:
            pin = .init(
                secret: AccountPINFields.field.values(label: pins[.label]), agree: Action.agreeByPIN.rawValue,
                agreeLabel: agreeLabel)
            forgot = .init(
                forgotLabel: pins[.forgotLabel], forgotText: text[.forgotPIN, names], link: accountLink)
        // Passkeys have their own form.
        case .passkey: break
        }
        return .init(
            summary: summary, summarySize: summary.flatMap(LongName.size), facts: rows.shown,
            more: .init(moreLabel: text[.moreLabel], facts: rows.folded),
            consequence: consequence, warning: text[.warning, names], password: password, pin: pin,
            forgot: forgot, passkeyScriptNeeded: page.passkey == nil ? nil : passkeys[.unsupported],
            others: [
                ButtonValues(value: Action.refuse.rawValue, label: text[.refuseLabel]),
                ButtonValues(value: Action.cancel.rawValue, label: text[.leaveLabel, names]),
            ])
    }

    var passkey: PasskeyUseValues? {
        guard case .asking = page.step else { return nil }
        return page.passkey.map {
            PasskeyView(text: passkeys).agree(
                $0, to: askingHeading == .paymentHeading ? amount : nil, by: Action.usePasskey.rawValue)
        }
    }

    /// Whether a notice concerns the field. A passkey has none.
    var isFieldWrong: Bool {
        if case .wrong = page.notice { page.passkey == nil } else { false }
    }

    /// The operation, exactly as requested. No value is rounded or shortened, and only its type is put into words. Type and details are
    /// folded only if amount and payee, which the heading has, are all that is approved; a reference of one line is in sight even then.
    private var rows: (shown: [FactValues], folded: [FactValues]) {
        let operation = page.operation
        let kind = FactValues(label: text[.kindLabel], value: operation.type.name(in: language))
        let people = [
            FactValues(label: text[.requesterLabel], value: page.requester),
            FactValues(label: text[.accountLabel], value: page.username),
        ]
        // Last, and labeled as details: a backend may give a detail any name, even "Amount".
        let details = operation.details.filter { $0.key != Self.reference }.sorted { $0.key < $1.key }.map {
            name, value in
            FactValues(label: text[.detailLabel, ["name": name]], value: value)
        }
        // The one name that every backend uses alike.
        let reference = operation.details[Self.reference].map {
            FactValues(label: text[.referenceLabel], value: $0)
        }
        // A payment without a payee must not look complete.
        let missing = operation.type.isPayment && operation.amount != nil ? text[.payeeAccountMissing] : nil
        let account = (operation.payee.map { AccountNumber.text($0.account) } ?? missing).map {
            FactValues(label: text[.payeeAccountLabel], value: $0)
        }
        let isFolding = amountToPayee != nil && operation.type.isPayment
        let isReferenceFolded = isFolding && (reference.map { $0.value.count > Self.shortReference } ?? false)
        let shown = [account, isReferenceFolded ? nil : reference].compactMap(\.self)
        let more = [isReferenceFolded ? reference : nil].compactMap(\.self) + details
        return isFolding ? (shown, [kind] + people + more) : (shown + [kind] + more, people)
    }

    private static let reference = "reference"
    /// The characters that fit on a line of a phone.
    private static let shortReference = 35

    var notice: String? {
        switch page.notice {
        case nil: nil
        case .wrong(let remaining):
            page.passkey == nil
                ? text[.wrong, ["count": String(remaining)]] : passkeys[.wrongForConsent, ["count": String(remaining)]]
        case .tooManyAttempts(let seconds): common[.tooManyAttempts, waiting: seconds]
        case .busy(let seconds): common[.busy, waiting: seconds]
        }
    }
}

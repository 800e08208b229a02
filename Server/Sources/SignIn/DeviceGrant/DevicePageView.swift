import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// The texts of the page on which a person decides on a device.
enum DeviceGrantText: String, TextKey {
    static let section = "deviceGrant"

    // The code.
    case codeHeading, codeLead, codeLabel, codeHint, linkedHint, continueLabel, unknownCode
    // The decision.
    case confirmHeading, confirmLead, compareLead, elsewhere, clientLabel, timeLabel, networkLabel, unknownNetwork
    case confirmLabel, denyLabel
    /// On the page that gives its app access.
    case accessLabel, accessLine
    // The endings.
    case connectedHeading, connectedLead, deniedHeading, deniedLead, overHeading, overLead, leftHeading, leftLead
    case notPossibleHeading, notPossibleLead, againLabel, accountLabel
}

extension TextSource {
    var deviceGrantText: Texts<DeviceGrantText> { texts() }
}

extension Pages {
    /// The page of a device, at any step.
    func device(_ page: DevicePage, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(locales: page.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let words = BrandLanguage(language, page.appearance?.texts)
        let view = DevicePageView(page: page, language: language, words: words)
        let look = page.appearance.map(BrandStyle.init) ?? BrandStyle()
        let frame = frame(
            language, title: view.title, heading: view.heading, lead: view.lead,
            brandName: page.appearance?.name ?? ownName, look: look)
        let values = DeviceValues(
            form: PageFormValues(
                action: formAddress(Endpoints.devicePage.path, page.locales), request: page.form?.request,
                csrf: page.form?.csrf),
            notice: view.notice?.values(heading: words.text[.faultHeading]),
            invalid: view.notice?.concernsField ?? false, entry: view.entry, confirmation: view.confirmation,
            others: view.others, wayOn: view.wayOn(at: issuer))
        var response = response(
            view.status, values, in: frame, language,
            // The form leads to the sign-in at this server.
            ContentPolicy(formTargets: [issuer.url(path: Endpoints.devicePage.path)], images: look.images))
        if case .tooManyAttempts(let seconds) = page.notice { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}

/// Texts and fields of the page.
struct DevicePageView {
    let page: DevicePage
    let language: Language
    let words: BrandLanguage

    private typealias Action = DevicePageForm.Action
    private var text: Texts<DeviceGrantText> { words.deviceGrantText }

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String { notice?.isFault == true ? "\(words.text[.faultHeading]) – \(heading)" : heading }

    var heading: String {
        switch page.step {
        case .code: text[.codeHeading]
        case .confirmation(let device):
            text[.confirmHeading, ["client": ClientConsentView.isolated(device.client)]]
        case .ending(.connected): text[.connectedHeading]
        case .ending(.denied): text[.deniedHeading]
        case .ending(.over): text[.overHeading]
        case .ending(.left): text[.leftHeading]
        case .ending(.notPossible): text[.notPossibleHeading]
        }
    }

    var lead: String {
        switch page.step {
        case .code: text[.codeLead]
        case .confirmation(let device):
            text[.confirmLead, ["user": ClientConsentView.isolated(device.username)]]
        case .ending(.connected(let client)):
            text[.connectedLead, ["client": ClientConsentView.isolated(client)]]
        case .ending(.denied(let client)): text[.deniedLead, ["client": ClientConsentView.isolated(client)]]
        case .ending(.over): text[.overLead]
        case .ending(.left): text[.leftLead]
        case .ending(.notPossible): text[.notPossibleLead]
        }
    }

    /// A device at another network may be a stranger's, who sent its code here: that comes before everything else.
    var notice: PageNotice? {
        switch page.notice {
        case .unknownCode: return PageNotice(text: text[.unknownCode], concernsField: true)
        case .tooManyAttempts(let seconds):
            return PageNotice(text: words.text[.tooManyAttempts, waiting: seconds])
        case nil: break
        }
        guard case .confirmation(let device) = page.step, device.isElsewhere, let network = device.network else {
            return nil
        }
        return PageNotice(text: text[.elsewhere, ["network": network]])
    }

    var status: HTTPResponse.Status {
        switch (page.notice, page.step) {
        case (.tooManyAttempts, _): .tooManyRequests
        case (.unknownCode, _): .badRequest
        case (nil, .ending(.over)): .gone
        case (nil, .ending(.notPossible)): .forbidden
        case (nil, _): .ok
        }
    }

    var entry: DeviceValues.Entry? {
        guard case .code(let typed) = page.step else { return nil }
        return DeviceValues.Entry(
            codeLabel: text[.codeLabel], codeHint: text[page.notice == nil && typed != nil ? .linkedHint : .codeHint],
            typed: typed, action: Action.enter.rawValue, label: text[.continueLabel])
    }

    var confirmation: DeviceValues.Confirmation? {
        guard case .confirmation(let device) = page.step else { return nil }
        let consents = ClientConsentView(words)
        return DeviceValues.Confirmation(
            code: device.code, compareLead: text[.compareLead],
            facts: [
                .init(label: text[.clientLabel], value: ClientConsentView.isolated(device.client)),
                .init(label: text[.timeLabel], value: language.moment(of: device.askedAt)),
                .init(label: text[.networkLabel], value: device.network ?? text[.unknownNetwork]),
            ],
            askedHeading: consents.text[.askedHeading], scopes: consents.asked(device.scopes),
            confirm: ButtonValues(value: Action.confirm.rawValue, label: text[.confirmLabel]),
            deny: ButtonValues(value: Action.deny.rawValue, label: text[.denyLabel]))
    }

    var others: [ButtonValues] {
        guard case .confirmation = page.step else { return [] }
        return [ButtonValues(value: Action.useAnotherAccount.rawValue, label: words.text[.otherAccountLabel])]
    }

    func wayOn(at issuer: Issuer) -> LinkValues? {
        switch page.step {
        case .code, .confirmation: nil
        case .ending(.connected), .ending(.denied):
            LinkValues(address: issuer.url(path: Endpoints.accountPage.path), label: text[.accountLabel])
        case .ending:
            LinkValues(address: issuer.url(path: Endpoints.devicePage.path), label: text[.againLabel])
        }
    }
}

/// The page on which a person decides on a device. It works without scripts, and has none.
struct DeviceValues: PageValues {
    let form: PageFormValues
    let notice: NoticeValues?
    /// Whether the notice concerns the field, where it is then.
    let invalid: Bool
    let entry: Entry?
    let confirmation: Confirmation?
    let others: [ButtonValues]
    /// From a page after which nothing follows.
    let wayOn: LinkValues?

    struct Entry: Encodable {
        let codeLabel: String
        let codeHint: String
        let typed: String?
        let action: String
        let label: String
    }

    struct Confirmation: Encodable {
        let code: String
        let compareLead: String
        let facts: [FactValues]
        let askedHeading: String
        let scopes: [String]
        let confirm: ButtonValues
        let deny: ButtonValues
    }

    static let template = PageTemplate(
        "device",
        """
        {{<layout}}
        {{$content}}
        {{^invalid}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{/invalid}}
        {{#entry}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        {{> fieldNotice}}
        <input id="code" class="code letters" name="user_code" type="text" value="{{typed}}" required maxlength="32" \
        autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" enterkeyhint="go" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{action}}">{{label}}</button>
        </form>
        {{/entry}}
        {{#confirmation}}
        <p class="summary"><code>{{code}}</code></p>
        <p>{{compareLead}}</p>
        {{> facts}}
        <h2>{{askedHeading}}</h2>
        {{> scopes}}
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        {{#confirm}}
        <button type="submit" name="action" value="{{value}}">{{label}}</button>
        {{/confirm}}
        {{#deny}}
        <button type="submit" class="second" name="action" value="{{value}}">{{label}}</button>
        {{/deny}}
        </form>
        {{> otherButtons}}
        {{/confirmation}}
        {{#wayOn}}
        {{> linkButton}}
        {{/wayOn}}
        {{/content}}
        {{/layout}}

        """)
}

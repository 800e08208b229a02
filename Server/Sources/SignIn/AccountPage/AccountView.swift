import Core
import HTTPTypes
import Kernel
import QRCodes
import WalletAuthWire
import Web

extension Pages {
    /// The account page, in any of its states.
    func account(_ page: AccountPage, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(locales: page.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let words = BrandLanguage(language, page.appearance?.texts)
        let view = AccountView(
            page: page, language: language, text: words.accountText, common: words.text,
            passkeys: words.passkeyText, pins: words.accountPINText, providers: words.providerText,
            consents: ClientConsentView(words), own: ownAccount(page, language, words))
        let look = page.appearance.map(BrandStyle.init) ?? BrandStyle()
        var script: String?
        switch page.step {
        case .passkeys: script = assetPath(assets.passkeyScriptName)
        case .recoveryCodes: script = assetPath(assets.recoveryCodesScriptName)
        case .password, .welcome: script = assetPath(assets.revealScriptName)
        case .own(.closed), .authenticator: script = assetPath(assets.copyScriptName)
        default: break
        }
        let frame = frame(
            language, title: view.title, heading: view.heading, lead: view.lead,
            brandName: page.appearance?.name ?? ownName, look: look)
        let values = AccountValues(
            form: PageFormValues(
                action: formAddress(Endpoints.accountPage.path, page.locales), request: page.form?.request,
                csrf: page.form?.csrf),
            notice: view.notice?.values(heading: view.common[.faultHeading]),
            invalid: view.isFieldAtFault, step: view.step, messageLink: messageLink(language),
            wayOn: view.wayOn(at: issuer), scriptSource: script)
        var response = response(
            view.status, values, in: frame, language,
            ContentPolicy(
                formTargets: [page.formTarget].compactMap(\.self), images: look.images,
                script: script == nil ? .none : .ownFile))
        if let seconds = page.notice?.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    private func ownAccount(_ page: AccountPage, _ language: Language, _ words: BrandLanguage) -> OwnAccountPageView {
        OwnAccountPageView(
            text: words.ownAccountPageText, common: words.text, account: words.accountText, language: language,
            exportAddress: formAddress(Endpoints.accountExportPage.path, page.locales),
            keepingAddress: issuer.url(path: Endpoints.accountKeepingPage.path),
            back: AccountView.back(words.accountText))
    }
}

extension AccountPage.Notice {
    fileprivate var retryAfter: Int64? {
        switch self {
        case .tooManyAttempts(let seconds): seconds
        case .own(let notice): notice.retryAfter
        default: nil
        }
    }
}

/// Texts and fields of the account page.
struct AccountView {
    let page: AccountPage
    let language: Language
    let text: Texts<AccountText>
    let common: Texts<PageText>
    let passkeys: Texts<PasskeyText>
    let pins: Texts<AccountPINText>
    let providers: Texts<ProviderText>
    let consents: ClientConsentView
    let own: OwnAccountPageView

    /// The values of the buttons, as the forms post them.
    typealias Action = AccountPageForm.Action
    private typealias Notice = PageNotice

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String { notice?.isFault == true ? "\(common[.faultHeading]) – \(heading)" : heading }

    var heading: String {
        switch page.step {
        case .overview: text[.heading]
        case .password: common[.newPasswordHeading]
        case .removal(.authenticator): text[.removeAuthenticatorHeading]
        case .removal(.device(_, let name)), .removal(.passkey(_, let name)), .removal(.identity(_, let name)),
            .removal(.phone(let name, _)):
            text[.removeDeviceHeading, ["device": Self.shown(name)]]
        case .authenticator: text[.setUpHeading]
        case .recoveryCodes: text[.codesHeading]
        case .passkeys: passkeys[.heading]
        case .pin: pins[.heading]
        case .clientConsents: consents.text[.appsHeading]
        case .own(let step): own.text[OwnAccountPageView.heading(of: step)]
        case .signedOut: common[.signedOutHeading]
        case .notSignedIn: common[.noticeHeading]
        case .notPossibleHere: text[.notPossibleHeading]
        case .authenticatorNeeded: text[.authenticatorNeededHeading]
        case .codeUndeliverable: text[.codeUndeliverableHeading]
        case .welcome: text[.welcomeHeading]
        case .welcomeOver: text[.welcomeOverHeading]
        }
    }

    var lead: String {
        switch page.step {
        case .overview(let overview):
            text[.lead, ["user": overview.username]] + (overview.asksBeforeChanges ? " " + text[.cookieLead] : "")
        case .password: text[.passwordLead]
        case .removal(.authenticator): text[.removeAuthenticatorLead]
        case .removal(.device): text[.removeDeviceLead]
        case .removal(.passkey): passkeys[.removeLead]
        case .removal(.identity(_, let name)): own.text[.unlinkLead, ["provider": name]]
        case .removal(.phone(_, let getsWord)): own.text[getsWord ? .removePhoneLead : .removeUnreachedPhoneLead]
        case .authenticator: text[.setUpLead]
        case .recoveryCodes(_, let replacedOthers):
            replacedOthers ? "\(text[.codesWarning]) \(text[.codesReplaced])" : text[.codesWarning]
        case .passkeys: passkeys[.pageLead]
        case .pin(let management): AccountPINView(text: pins).lead(of: management)
        case .clientConsents(let apps): consents.lead(of: apps)
        case .own(let step): own.lead(of: step)
        case .signedOut, .notSignedIn: common[.signedOut]
        case .notPossibleHere: text[.notPossible]
        case .authenticatorNeeded: text[.authenticatorNeeded]
        case .codeUndeliverable: text[.codeUndeliverable]
        case .welcome(let username, _): text[.welcomeLead, ["user": username]]
        case .welcomeOver: text[.welcomeOver]
        }
    }

    var status: HTTPResponse.Status {
        switch page.notice {
        case .invalidCode, .nothingPending, .passkeyNotTaken, .noSuchPasskey, .unusablePasskeyName, .unacceptablePIN,
            .noSuchAccess, .wrongDeviceCode, .noSuchDevice, .newPassword:
            .badRequest
        case .lastWayIn: .conflict
        case .strongerSignInNeeded, .recoveredLately, .onlyRestoredIdentity: .forbidden
        case .tooManyAttempts: .tooManyRequests
        case .passwordChanged, .passwordAdded, .authenticatorOn, .authenticatorRemoved, .deviceRemoved, .sessionEnded,
            .otherSessionsEnded, .passkeyAdded, .passkeyRenamed, .passkeyRemoved, .pinSet, .pinRemoved, .accessRemoved,
            .deviceConfirmed, .deviceCodeSent, .deviceCodeSentRecently, .roleGranted:
            .ok
        case .own(let notice): notice.status
        case nil:
            switch page.step {
            case .notPossibleHere, .codeUndeliverable: .forbidden
            case .welcomeOver: .gone
            case .overview, .password, .removal, .authenticator, .recoveryCodes, .passkeys, .pin, .clientConsents, .own,
                .signedOut, .notSignedIn, .authenticatorNeeded, .welcome:
                .ok
            }
        }
    }

    /// The link of a page that ends something, and the one to the console for those who may open it; `nil` for any other page.
    func wayOn(at issuer: Issuer) -> LinkValues? {
        if case .overview(let overview) = page.step, let console = overview.console {
            return LinkValues(address: console, label: text[.consoleLabel])
        }
        return wayOn.map { LinkValues(address: issuer.url(path: Endpoints.accountPage.path), label: common[$0]) }
    }

    private var wayOn: PageText? {
        switch page.step {
        case .signedOut, .notSignedIn, .own(.kept): .submitLabel
        case .notPossibleHere, .codeUndeliverable, .welcomeOver: .accountLinkLabel
        default: nil
        }
    }

    var step: AccountValues.Step {
        switch page.step {
        case .overview(let overview): .init(overview: fields(of: overview))
        case .authenticator(let setup): .init(authenticator: fields(of: setup))
        case .password(let username):
            .init(passwordPage: passwordFields(username, save: .changePassword, others: back))
        case .welcome(let username, _):
            .init(passwordPage: passwordFields(username, save: .acceptInvitation, others: []))
        case .removal(let removal): .init(removal: fields(of: removal))
        case .recoveryCodes(let codes, _): .init(recoveryCodes: fields(of: codes))
        case .passkeys(let management):
            .init(passkeyPage: PasskeyView(text: passkeys).fields(of: management, in: language, others: back))
        case .pin(let management):
            .init(pinPage: AccountPINView(text: pins).fields(of: management, fault: pinFault, others: back))
        case .clientConsents(let apps):
            .init(clientAccessPage: consents.page(of: apps, in: language, others: back))
        case .own(let step): own.step(of: step, isInvalid: isFieldAtFault)
        case .authenticatorNeeded:
            .init(
                buttonOn: ButtonsValues([
                    ButtonValues(value: Action.setUpAuthenticator.rawValue, label: text[.setUpHeading])
                ]))
        case .signedOut, .notSignedIn, .notPossibleHere, .codeUndeliverable, .welcomeOver: .init()
        }
    }

    /// Whether the notice is at the page's field. A PIN that is no longer offered has none.
    var isFieldAtFault: Bool {
        if case .pin(let management) = page.step, !management.isOffered { return false }
        return notice?.concernsField ?? false
    }

    private var pinFault: AccountPINFault? {
        if case .unacceptablePIN(let fault) = page.notice { fault } else { nil }
    }

    /// A note on the cooling period of a new PIN.
    private var pinCooling: String? {
        guard case .overview(let overview) = page.step else { return nil }
        return overview.pin.flatMap { AccountPINView(text: pins).cooling($0, in: language) }
    }

    var back: [ButtonValues] { Self.back(text) }

    static func back(_ text: Texts<AccountText>) -> [ButtonValues] {
        [ButtonValues(value: Action.show.rawValue, label: text[.backLabel])]
    }

    private func fields(of codes: RecoveryCodeSet) -> AccountValues.RecoveryCodes {
        .init(
            codes: codes.codes.map { $0.reveal() }, advice: text[.codesPrint], copyLabel: text[.codesCopyLabel],
            copied: text[.codesCopied], notCopied: text[.codesNotCopied], printLabel: text[.codesPrintLabel],
            savedLabel: text[.codesSavedLabel], go: Action.show.rawValue, goLabel: text[.codesContinueLabel])
    }

    private func passwordFields(
        _ username: String, save: Action, others: [ButtonValues]
    ) -> PasswordPageValues {
        PasswordPageValues(
            fields: NewPasswordValues(
                username: username, newPasswordLabel: common[.newPasswordLabel],
                newPasswordHint: common[.newPasswordHint], repeatLabel: common[.repeatPasswordLabel],
                isMistyped: page.notice == .newPassword(.mistyped),
                reveal: RevealValues(show: common[.showLabel], hide: common[.hideLabel])),
            save: save.rawValue, saveLabel: text[.savePasswordLabel], others: others)
    }

    private func fields(of removal: AccountPage.Removal) -> AccountValues.Removal {
        let (action, field): (String, HiddenField?) =
            switch removal {
            case .authenticator: (Action.removeAuthenticator.rawValue, nil)
            case .device(let id, _): (Action.removeDevice.rawValue, HiddenField(name: "device", value: id))
            case .passkey(let id, _): (Action.removePasskey.rawValue, HiddenField(name: "id", value: id))
            case .identity(let id, _):
                (OwnAccountPageForm.Action.unlink.rawValue, HiddenField(name: "identity", value: id))
            case .phone: (OwnAccountPageForm.Action.removePhone.rawValue, nil)
            }
        let remove = ButtonValues(value: action, label: text[.removeLabel])
        return .init(remove: ButtonsValues([remove], style: "danger", field: field), others: back)
    }

    private func fields(of setup: AuthenticatorSetup) -> AccountValues.Authenticator {
        // A URI that exceeds a QR code is not one of ours. The secret can still be typed.
        let symbol = QRCode(setup.uri.reveal()).map {
            AccountValues.Symbol(size: String($0.extent.count), path: $0.svgPath, label: text[.symbolLabel])
        }
        return .init(
            symbol: symbol, uri: setup.uri.reveal(), openLabel: text[.openAppLabel], typeLead: text[.typeLead],
            secret: Self.groups(of: setup.secret.reveal()), copiedSecret: setup.secret.reveal(),
            copyLabel: own.text[.copyLabel], copied: own.text[.copied], codeLabel: text[.codeLabel],
            codeHint: text[.codeHint],
            confirm: Action.confirmAuthenticator.rawValue, confirmLabel: common[.emailCodeSubmitLabel], others: back)
    }

    /// A secret in groups of four, as people type it.
    private static func groups(of secret: String) -> String {
        let letters = Array(secret)
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: " ")
    }

    var notice: PageNotice? {
        guard var notice = page.notice.map(words(of:)) else {
            return cooling.map { Notice(text: $0, kind: .information) }
        }
        if !notice.isFault, notice.hint == nil { notice.hint = cooling }
        return notice
    }

    /// What the buttons would answer after a recovery, before one is pressed.
    private var cooling: String? {
        guard case .overview(let overview) = page.step, let end = overview.changesFrom else { return nil }
        return text[.recoveredLately, ["time": moment(of: end)]]
    }

    private func moment(of end: Timestamp) -> String { language.moment(of: end.roundedUpToMinute) }

    private func words(of notice: AccountPage.Notice) -> PageNotice {
        switch notice {
        case .passwordChanged: Notice(text: text[.passwordChanged], kind: .success)
        case .passwordAdded: Notice(text: text[.passwordAdded], kind: .success)
        case .newPassword(let fault): Notice(text: fault.sentence(in: common), concernsField: true)
        case .authenticatorRemoved: Notice(text: text[.authenticatorRemoved], kind: .success)
        case .deviceRemoved: Notice(text: text[.deviceRemoved], kind: .success)
        case .sessionEnded: Notice(text: text[.sessionEnded], kind: .success)
        case .otherSessionsEnded: Notice(text: text[.othersEnded], kind: .success)
        case .authenticatorOn: Notice(text: text[.authenticatorOn], kind: .success)
        case .roleGranted: Notice(text: text[.roleGranted], kind: .success)
        case .invalidCode: Notice(text: text[.invalidCode], concernsField: true)
        case .nothingPending: Notice(text: text[.nothingPending])
        case .strongerSignInNeeded: Notice(text: text[.strongerSignInNeeded])
        case .recoveredLately(let end): Notice(text: text[.recoveredLately, ["time": moment(of: end)]])
        case .onlyRestoredIdentity(let end): Notice(text: text[.onlyRestoredIdentity, ["time": moment(of: end)]])
        case .passkeyAdded: Notice(text: passkeys[.wasAdded], kind: .success)
        case .passkeyRenamed: Notice(text: passkeys[.wasRenamed], kind: .success)
        case .passkeyRemoved: Notice(text: passkeys[.wasRemoved], kind: .success)
        case .passkeyNotTaken: Notice(text: passkeys[.notTaken])
        case .noSuchPasskey: Notice(text: passkeys[.unknown])
        case .unusablePasskeyName: Notice(text: passkeys[.unusableName])
        case .lastWayIn: Notice(text: passkeys[.lastWayIn])
        case .pinSet: Notice(text: pins[.wasSet], kind: .success, hint: pinCooling)
        case .pinRemoved: Notice(text: pins[.wasRemoved], kind: .success)
        case .deviceConfirmed: Notice(text: text[.deviceConfirmed], kind: .success)
        case .deviceCodeSent: Notice(text: common[.codeSent], kind: .success)
        case .deviceCodeSentRecently(let seconds):
            Notice(text: common[.codeSentRecently, waiting: seconds], kind: .information)
        case .wrongDeviceCode: Notice(text: common[.invalidCode])
        case .noSuchDevice: Notice(text: text[.noSuchDevice])
        case .accessRemoved: Notice(text: consents.text[.wasRemoved], kind: .success)
        case .noSuchAccess: Notice(text: consents.text[.unknown])
        case .unacceptablePIN(let fault):
            Notice(text: AccountPINView(text: pins).sentence(for: fault), concernsField: true)
        case .tooManyAttempts(let seconds):
            Notice(text: common[.tooManyAttempts, waiting: seconds])
        case .own(let notice): own.notice(notice)
        }
    }
}

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
            passkeys: words.passkeyText, pins: words.accountPINText,
            consents: ClientConsentView(text: words.clientConsentText))
        let look = page.appearance.map(BrandStyle.init) ?? BrandStyle()
        var script: String?
        if case .passkeys = page.step { script = assetPath(assets.passkeyScriptName) }
        let frame = frame(
            language, title: view.title, heading: view.heading, lead: view.lead,
            brandName: page.appearance?.name ?? ownName, look: look)
        let values = AccountValues(
            form: PageFormValues(
                action: formAddress(Endpoints.accountSecurity.path, page.locales), request: page.form?.request,
                csrf: page.form?.csrf),
            notice: view.notice?.values(heading: view.common[.faultHeading], field: view.field),
            invalid: view.notice?.concernsField ?? false, step: view.step, scriptSource: script)
        var response = response(
            view.status, values, in: frame, language,
            ContentPolicy(images: look.images, script: script == nil ? .none : .ownFile))
        if case .tooManyAttempts(let seconds) = page.notice { response.headers[.retryAfter] = String(seconds) }
        return response
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
    let consents: ClientConsentView

    /// The values of the buttons, as the forms post them.
    private typealias Action = AccountPageForm.Action
    private typealias Notice = PageNotice

    /// An error also comes first in the title, which a screen reader reads when the page has loaded.
    var title: String { notice?.isFault == true ? "\(common[.faultHeading]) – \(heading)" : heading }

    var heading: String {
        switch page.step {
        case .overview: text[.heading]
        case .authenticator: text[.setUpHeading]
        case .recoveryCodes: text[.codesHeading]
        case .passkeys: passkeys[.heading]
        case .pin: pins[.heading]
        case .clientConsents: consents.text[.appsHeading]
        case .signedOut: common[.signedOutHeading]
        case .notSignedIn: common[.noticeHeading]
        case .notPossibleHere: text[.notPossibleHeading]
        }
    }

    var lead: String {
        switch page.step {
        case .overview(let overview): text[.lead, ["user": overview.username]]
        case .authenticator: text[.setUpLead]
        case .recoveryCodes: text[.codesWarning]
        case .passkeys: passkeys[.pageLead]
        case .pin(let management): AccountPINView(text: pins).lead(of: management)
        case .clientConsents(let apps): consents.lead(of: apps)
        case .signedOut, .notSignedIn: common[.signedOut]
        case .notPossibleHere: text[.notPossible]
        }
    }

    var status: HTTPResponse.Status {
        switch page.notice {
        case .invalidCode, .nothingPending, .passkeyNotTaken, .noSuchPasskey, .unusablePasskeyName, .unacceptablePIN,
            .noSuchAccess, .wrongDeviceCode, .noSuchDevice:
            .badRequest
        case .lastWayIn: .conflict
        case .strongerSignInNeeded, .recoveredLately, .onlyRestoredIdentity: .forbidden
        case .tooManyAttempts: .tooManyRequests
        case .authenticatorOn, .passkeyAdded, .passkeyRenamed, .passkeyRemoved, .pinSet, .pinRemoved, .accessRemoved,
            .deviceConfirmed, .deviceCodeSent, .deviceCodeSentRecently:
            .ok
        case nil:
            switch page.step {
            case .notPossibleHere: .forbidden
            case .overview, .authenticator, .recoveryCodes, .passkeys, .pin, .clientConsents, .signedOut, .notSignedIn:
                .ok
            }
        }
    }

    var step: AccountValues.Step {
        switch page.step {
        case .overview(let overview): .init(overview: fields(of: overview))
        case .authenticator(let setup): .init(authenticator: fields(of: setup))
        case .recoveryCodes(let codes):
            .init(
                recoveryCodes: .init(
                    codes: codes.codes.map { $0.reveal() }, print: text[.codesPrint], others: back))
        case .passkeys(let management):
            .init(passkeyPage: PasskeyView(text: passkeys).fields(of: management, in: language, others: back))
        case .pin(let management):
            .init(pinPage: AccountPINView(text: pins).fields(of: management, fault: pinFault, others: back))
        case .clientConsents(let apps):
            .init(clientAccessPage: consents.page(of: apps, in: language, others: back))
        case .signedOut, .notSignedIn, .notPossibleHere: .init()
        }
    }

    /// The field that a notice links to.
    var field: String {
        if case .pin = page.step { "new-pin" } else { "code" }
    }

    private var pinFault: AccountPINFault? {
        if case .unacceptablePIN(let fault) = page.notice { fault } else { nil }
    }

    /// A note on the cooling period of a new PIN.
    private var pinCooling: String? {
        guard case .overview(let overview) = page.step else { return nil }
        return overview.pin.flatMap { AccountPINView(text: pins).cooling($0) }
    }

    private var back: [ButtonValues] { [ButtonValues(value: Action.show.rawValue, label: text[.backLabel])] }

    private func fields(of overview: AccountOverview) -> AccountValues.Overview {
        var rows: [AccountValues.Row] = []
        func row(_ label: String, _ value: String, _ note: String? = nil) {
            rows.append(.init(label: label, value: value, note: note))
        }
        if let email = overview.email {
            row(text[.emailLabel], PageText.unbroken(email), overview.isEmailConfirmed ? nil : text[.unconfirmed])
        }
        if let phone = overview.phone { row(text[.phoneLabel], PageText.unbroken(phone)) }
        row(text[.authenticatorLabel], overview.hasAuthenticator ? text[.isOn] : text[.isOff])
        row(
            text[.recoveryCodesLabel],
            overview.recoveryCodes == 0
                ? text[.none] : text[.codesLeft, ["count": String(overview.recoveryCodes)]])
        if let count = overview.passkeys { row(passkeys[.label], String(count)) }
        if let pin = overview.pin { row(pins[.label], word(for: pin.state)) }
        return .init(
            rows: rows, devicesLabel: text[.devicesLabel],
            devices: overview.devices.map {
                .init(name: $0.name.isEmpty ? "…" : $0.name, state: note(of: $0))
            },
            noDevices: overview.devices.isEmpty ? text[.none] : nil,
            awaiting: overview.devices.compactMap(confirmation), sections: sections(of: overview),
            clientAccess: consents.section(of: overview.apps, in: language),
            others: [ButtonValues(value: Action.signOut.rawValue, label: text[.signOutLabel])])
    }

    /// The form for a device's code; `nil` for a device that does not need one.
    private func confirmation(of device: AccountOverview.Device) -> AccountValues.DeviceCode? {
        guard let id = device.id else { return nil }
        return .init(
            device: id, heading: text[.deviceCodeHeading, ["device": device.name]], lead: text[.deviceCodeLead],
            label: common[.emailCodeLabel], confirm: Action.confirmDevice.rawValue,
            confirmLabel: common[.emailCodeSubmitLabel], send: Action.sendDeviceCode.rawValue,
            sendLabel: common[.resendLabel])
    }

    /// The factors that can be set up here, each with a button.
    private func sections(of overview: AccountOverview) -> [AccountValues.Section] {
        var sections = [
            AccountValues.Section(
                heading: text[.authenticatorLabel],
                lead: overview.hasAuthenticator ? text[.replaceLead] : text[.offerLead],
                press: Action.setUpAuthenticator.rawValue,
                button: overview.hasAuthenticator ? text[.replaceLabel] : text[.offerLabel])
        ]
        if overview.mayMakeRecoveryCodes {
            sections.append(
                .init(
                    heading: text[.recoveryCodesLabel],
                    lead: overview.recoveryCodes > 0 ? text[.codesReplaceLead] : text[.codesOfferLead],
                    press: Action.makeRecoveryCodes.rawValue, button: text[.makeCodesLabel]))
            if overview.passkeys != nil { sections.append(PasskeyView(text: passkeys).section) }
        }
        if let pin = overview.pin { sections.append(AccountPINView(text: pins).section(of: pin)) }
        return sections
    }

    private func word(for state: AccountPINOverview.State) -> String {
        switch state {
        case .unset: text[.isOff]
        case .active: text[.isOn]
        case .locked, .lockedByRestore: pins[.isLocked]
        }
    }

    private func note(of device: AccountOverview.Device) -> String? {
        switch device.state {
        case .active: device.awaitsCode ? text[.deviceAwaitsCode] : nil
        case .suspended: text[.deviceSuspended]
        case .deactivated, .removed: text[.deviceDeactivated]
        }
    }

    private func fields(of setup: AuthenticatorSetup) -> AccountValues.Authenticator {
        // A URI that exceeds a QR code is not one of ours. The secret can still be typed.
        let symbol = QRCode(setup.uri.reveal()).map {
            AccountValues.Symbol(size: String($0.extent.count), path: $0.svgPath, label: text[.symbolLabel])
        }
        return .init(
            symbol: symbol, uri: setup.uri.reveal(), openLabel: text[.openAppLabel], typeLead: text[.typeLead],
            secret: Self.groups(of: setup.secret.reveal()), codeLabel: text[.codeLabel], codeHint: text[.codeHint],
            confirm: Action.confirmAuthenticator.rawValue, confirmLabel: common[.emailCodeSubmitLabel], others: back)
    }

    /// A secret in groups of four, as people type it.
    private static func groups(of secret: String) -> String {
        let letters = Array(secret)
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: " ")
    }

    var notice: PageNotice? {
        switch page.notice {
        case nil: nil
        case .authenticatorOn: Notice(text: text[.authenticatorOn], isFault: false)
        case .invalidCode: Notice(text: text[.invalidCode], concernsField: true)
        case .nothingPending: Notice(text: text[.nothingPending])
        case .strongerSignInNeeded: Notice(text: text[.strongerSignInNeeded])
        case .recoveredLately: Notice(text: text[.recoveredLately])
        case .onlyRestoredIdentity: Notice(text: text[.onlyRestoredIdentity])
        case .passkeyAdded: Notice(text: passkeys[.wasAdded], isFault: false)
        case .passkeyRenamed: Notice(text: passkeys[.wasRenamed], isFault: false)
        case .passkeyRemoved: Notice(text: passkeys[.wasRemoved], isFault: false)
        case .passkeyNotTaken: Notice(text: passkeys[.notTaken])
        case .noSuchPasskey: Notice(text: passkeys[.unknown])
        case .unusablePasskeyName: Notice(text: passkeys[.unusableName])
        case .lastWayIn: Notice(text: passkeys[.lastWayIn])
        case .pinSet: Notice(text: pins[.wasSet], isFault: false, hint: pinCooling)
        case .pinRemoved: Notice(text: pins[.wasRemoved], isFault: false)
        case .deviceConfirmed: Notice(text: text[.deviceConfirmed], isFault: false)
        case .deviceCodeSent: Notice(text: common[.codeSent], isFault: false)
        case .deviceCodeSentRecently(let seconds):
            Notice(text: common[.codeSentRecently, ["seconds": String(seconds)]], isFault: false)
        case .wrongDeviceCode: Notice(text: common[.invalidCode])
        case .noSuchDevice: Notice(text: text[.noSuchDevice])
        case .accessRemoved: Notice(text: consents.text[.wasRemoved], isFault: false)
        case .noSuchAccess: Notice(text: consents.text[.unknown])
        case .unacceptablePIN(let fault):
            Notice(text: AccountPINView(text: pins).sentence(for: fault), concernsField: true)
        case .tooManyAttempts(let seconds):
            Notice(text: common[.tooManyAttempts, ["seconds": String(seconds)]])
        }
    }
}

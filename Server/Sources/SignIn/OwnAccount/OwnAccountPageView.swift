import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// Texts and fields of the account's page for ``OwnAccountPage``.
struct OwnAccountPageView {
    let text: Texts<OwnAccountPageText>
    let common: Texts<PageText>
    let account: Texts<AccountText>
    let language: Language
    /// Where the download's form goes.
    let exportAddress: String
    /// The page that takes a closing back.
    let keepingAddress: String
    let back: [ButtonValues]

    typealias Action = OwnAccountPageForm.Action
    private typealias Notice = PageNotice

    static func heading(of step: OwnAccountPage.Step) -> OwnAccountPageText {
        switch step {
        case .contact(.email, _, _): .emailHeading
        case .contact: .phoneHeading
        case .contactCode: .codeHeading
        case .language: .languageHeading
        case .questions: .questionsHeading
        case .name: .nameHeading
        case .activity: .activityHeading
        case .export: .exportHeading
        case .closing: .closingHeading
        case .closed: .closedHeading
        case .keeping: .keepingHeading
        case .kept: .keptHeading
        }
    }

    func lead(of step: OwnAccountPage.Step) -> String {
        switch step {
        case .contact(.email, _, let isFirst): text[isFirst ? .emailAddLead : .emailLead]
        case .contact(_, _, let isFirst): text[isFirst ? .phoneAddLead : .phoneLead]
        case .contactCode(_, let pending):
            text[.codeLead, ["destination": PageText.unbroken(pending.destination)]]
        case .language: text[.languageLead]
        case .questions: text[.questionsLead, Self.numbers]
        case .name: text[.nameLead]
        case .activity(let page):
            page.activity.entries.isEmpty
                ? text[.noActivity]
                : text[.activityLead] + (page.hidesPayments ? " " + text[.paymentsNote] : "")
        case .export: text[.exportLead]
        case .closing(let end): text[.closingLead, ["time": moment(of: end)]]
        case .closed(let closing, _):
            text[.closedLead, ["time": moment(of: Timestamp(seconds: closing.eraseAt.secondsSince1970))]]
        case .keeping: text[.keepingLead]
        case .kept: text[.keptLead]
        }
    }

    private func moment(of end: Timestamp) -> String { language.moment(of: end.roundedUpToMinute) }

    /// What a step shows, of which it has one kind.
    /// - Parameter isInvalid: whether the notice is at the field.
    func step(of step: OwnAccountPage.Step, isInvalid: Bool) -> AccountValues.Step {
        switch step {
        case .contact(let kind, let typed, _):
            .init(ownAccountForm: contactForm(kind, typed, isInvalid))
        case .contactCode(let kind, let pending): .init(ownAccountForm: codeForm(kind, pending, isInvalid))
        case .keeping: .init(ownAccountForm: keepingForm(isInvalid))
        case .language(let current): .init(overview: overview(of: languages(current)))
        case .questions(let chosen): .init(ownAccountFields: questions(chosen))
        case .name(let names): .init(ownAccountFields: fields(of: names))
        case .activity(let page):
            .init(
                overview: overview(
                    of: entries(of: page),
                    others: [
                        page.hidesPayments ? button(.showPayments, .paymentsLabel) : nil,
                        page.activity.cursor.map { _ in button(.showEarlierActivity, .earlierLabel) },
                        page.cursor.map { _ in button(.showActivity, .latestLabel) },
                    ].compactMap(\.self) + back))
        case .export:
            .init(
                ownAccountExport: OwnAccountExportValues(
                    exportAddress: exportAddress, press: Action.download.rawValue, pressLabel: text[.downloadLabel],
                    others: back))
        case .closing:
            .init(
                removal: .init(remove: ButtonsValues([button(.close, .closeLabel)], style: "danger"), others: back))
        case .closed(let closing, _):
            .init(
                ownAccountClosed: OwnAccountClosedValues(
                    keepCode: closing.keepCode.reveal(), copyLabel: text[.copyLabel], copied: text[.copied],
                    way: LinkValues(address: keepingAddress, label: text[.keepLabel])))
        case .kept: .init()
        }
    }

    // MARK: - Forms

    private func contactForm(_ kind: FactorKind, _ typed: String, _ isInvalid: Bool) -> OwnAccountFormValues {
        let isEmail = kind == .email
        return OwnAccountFormValues(
            name: isEmail ? "email" : "phone", label: text[isEmail ? .newEmailLabel : .newPhoneLabel],
            hint: isEmail ? nil : text[.phoneHint], type: isEmail ? "email" : "tel", typed: typed,
            autocomplete: isEmail ? "email" : "tel",
            described: described(hasHint: !isEmail, isInvalid),
            press: (isEmail ? Action.sendEmailCode : .sendPhoneCode).rawValue, pressLabel: text[.sendLabel],
            others: back)
    }

    private func codeForm(
        _ kind: FactorKind, _ pending: PendingContact, _ isInvalid: Bool
    ) -> OwnAccountFormValues {
        let isEmail = kind == .email
        return OwnAccountFormValues(
            name: "contact_code", label: common[.emailCodeLabel],
            hint: common[.codeHint, ["minutes": String((pending.expiresIn + 59) / 60)]], isSentCode: true,
            hasMessage: true, described: described(hasHint: true, isInvalid),
            press: (isEmail ? Action.confirmEmail : .confirmPhone).rawValue,
            pressLabel: common[.emailCodeSubmitLabel],
            others: [button(isEmail ? .changeEmail : .changePhone, .againLabel)] + back)
    }

    private func keepingForm(_ isInvalid: Bool) -> OwnAccountFormValues {
        OwnAccountFormValues(
            name: "keep_code", label: common[.emailCodeLabel], hint: nil, hasMessage: true,
            described: described(hasHint: false, isInvalid),
            press: Action.keep.rawValue, pressLabel: text[.keepLabel], others: [])
    }

    private static let numbers = [
        "least": String(SecretQuestion.chosen.lowerBound), "most": String(SecretQuestion.chosen.upperBound),
    ]

    /// No answer is shown again.
    private func questions(_ chosen: [SecretQuestion]) -> OwnAccountFieldsValues {
        OwnAccountFieldsValues(
            entries: SecretQuestion.allCases.map { question in
                .init(
                    entryName: OwnAccountPageForm.field(of: question), entryLabel: question.text(in: language),
                    entryHint: chosen.contains(question) ? text[.answered] : nil)
            }, press: Action.setQuestions.rawValue, pressLabel: text[.questionsSaveLabel],
            others: (chosen.isEmpty ? [] : [button(.removeQuestions, .questionsRemoveLabel)]) + back)
    }

    private func fields(of names: PersonNames) -> OwnAccountFieldsValues {
        OwnAccountFieldsValues(
            entries: names.all.map { part, typed in
                .init(
                    entryName: part.rawValue, entryLabel: label(of: part), entryText: typed,
                    entryPurpose: part.rawValue.replacing("_", with: "-"))
            }, press: Action.saveName.rawValue, pressLabel: text[.nameSaveLabel], others: back)
    }

    private func label(of part: PersonNames.Part) -> String {
        switch part {
        case .name: text[.nameLabel]
        case .givenName: text[.givenNameLabel]
        case .familyName: text[.familyNameLabel]
        }
    }

    private func described(hasHint: Bool, _ isInvalid: Bool) -> String? {
        let parts = (isInvalid ? ["notice"] : []) + (hasHint ? ["hint"] : [])
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private func button(_ action: Action, _ label: OwnAccountPageText) -> ButtonValues {
        ButtonValues(value: action.rawValue, label: text[label])
    }

    // MARK: - Lists

    private func overview(
        of rows: [AccountValues.Row], others: [ButtonValues]? = nil
    ) -> AccountValues.Overview {
        .init(
            awaiting: [],
            groups: rows.isEmpty ? [] : [.init(heading: nil, rows: rows)],
            clientAccess: nil, others: others ?? back)
    }

    private func languages(_ current: Language?) -> [AccountValues.Row] {
        Language.allCases.map { language in
            let row = "row-\(language.rawValue)"
            let form = ButtonsValues(
                [button(.setLanguage, .useLabel)], style: "second",
                field: HiddenField(name: "language", value: language.rawValue), row: row)
            return .init(
                row: row, label: language.ownName, state: nil, tag: nil,
                note: language == current ? text[.current] : nil, rowForm: language == current ? nil : form)
        }
    }

    private func entries(of page: OwnAccountPage.ActivityPage) -> [AccountValues.Row] {
        page.activity.entries.enumerated().map { index, entry in
            let browser = page.browsers.indices.contains(index) ? page.browsers[index]?.name(in: account) : nil
            let place = [entry.app.map(ClientConsentView.isolated), browser, entry.address].compactMap(\.self)
            return .init(
                row: "row-\(index)", label: entry.text,
                state: language.moment(of: Timestamp(seconds: entry.at.secondsSince1970)), tag: nil,
                note: place.isEmpty ? nil : place.joined(separator: " · "), rowForm: nil)
        }
    }

    // MARK: - Notices

    /// A language in a sentence of the page, and what its speakers call it if that is another word.
    private func name(of chosen: Language) -> String {
        let key: OwnAccountPageText =
            switch chosen {
            case .english: .inEnglish
            case .german: .inGerman
            case .french: .inFrench
            case .spanish: .inSpanish
            case .bulgarian: .inBulgarian
            }
        return chosen == language ? text[key] : "\(text[key]) (\(chosen.ownName))"
    }

    func notice(_ notice: OwnAccountPage.Notice) -> PageNotice {
        func field(_ key: OwnAccountPageText) -> PageNotice { Notice(text: text[key], concernsField: true) }
        func done(_ key: OwnAccountPageText) -> PageNotice { Notice(text: text[key], kind: .success) }
        return switch notice {
        case .contactAdded(let kind): done(kind == .email ? .emailAdded : .phoneAdded)
        case .contactChanged(let kind): done(kind == .email ? .emailChanged : .phoneChanged)
        case .phoneRemoved: done(.phoneRemoved)
        case .lastContact(let isEmailOff): Notice(text: text[isEmailOff ? .lastContactEmailOff : .lastContact])
        case .unusableContact(let kind): field(kind == .email ? .unusableEmail : .unusablePhone)
        case .contactUnchanged(let kind): field(kind == .email ? .emailUnchanged : .phoneUnchanged)
        case .channelOff(let kind): field(kind == .email ? .emailOff : .phoneOff)
        case .contactLimit(let seconds):
            Notice(text: common[.tooManyAttempts, waiting: seconds], concernsField: true)
        case .wrongCode: Notice(text: common[.invalidCode], concernsField: true)
        case .codeOver: field(.codeOver)
        case .languageChanged(let chosen):
            Notice(text: text[.languageChanged, ["language": name(of: chosen)]], kind: .success)
        case .nameChanged: done(.nameChanged)
        case .unusableName: Notice(text: text[.unusableName])
        case .questionsChanged: done(.questionsChanged)
        case .questionsRemoved: done(.questionsRemoved)
        case .unacceptableAnswers: Notice(text: text[.unacceptableAnswers, Self.numbers])
        case .unlinked: done(.unlinked)
        case .identityNotFound: Notice(text: text[.identityNotFound])
        case .lastIdentity: Notice(text: text[.lastIdentity])
        case .exportAgain: Notice(text: text[.exportAgain], kind: .information)
        case .exportTooLarge: Notice(text: text[.exportTooLarge])
        case .paymentsOpen: Notice(text: text[.paymentsOpen])
        case .lastOwner: Notice(text: text[.lastOwner])
        case .contactCooling(let end): Notice(text: text[.contactCooling, ["time": moment(of: end)]])
        case .closingNotFound: field(.closingNotFound)
        }
    }
}

extension OwnAccountPage.Notice {
    var status: HTTPResponse.Status {
        switch self {
        case .contactAdded, .contactChanged, .phoneRemoved, .languageChanged, .nameChanged, .questionsChanged,
            .questionsRemoved, .unlinked, .exportAgain:
            .ok
        case .unusableName, .unacceptableAnswers, .unusableContact, .wrongCode, .codeOver, .identityNotFound,
            .closingNotFound:
            .badRequest
        case .contactUnchanged, .channelOff, .lastContact, .lastIdentity, .exportTooLarge, .paymentsOpen, .lastOwner:
            .conflict
        case .contactCooling: .forbidden
        case .contactLimit: .tooManyRequests
        }
    }

    var retryAfter: Int64? { if case .contactLimit(let seconds) = self { seconds } else { nil } }
}

extension Language {
    /// What its speakers call it.
    var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        case .bulgarian: "Български"
        }
    }
}

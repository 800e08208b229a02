import Core
import WalletAuthWire
import Web

/// The forms of the account's page for ``OwnAccountPage``.
enum OwnAccountPageForm {
    /// The values of the parameter `action`, one for each button.
    enum Action: String {
        case changeEmail = "change_email"
        case changePhone = "change_phone"
        case sendEmailCode = "send_email_code"
        case sendPhoneCode = "send_phone_code"
        case askToRemovePhone = "ask_to_remove_phone"
        case removePhone = "remove_phone"
        case confirmEmail = "confirm_email"
        case confirmPhone = "confirm_phone"
        case chooseLanguage = "choose_language"
        case setLanguage = "set_language"
        case changeName = "change_name"
        case saveName = "save_name"
        case chooseQuestions = "choose_questions"
        case setQuestions = "set_questions"
        case removeQuestions = "remove_questions"
        case showActivity = "show_activity"
        case showEarlierActivity = "show_earlier_activity"
        case showPayments = "show_payments"
        case askToUnlink = "ask_to_unlink"
        case unlink
        case askToExport = "ask_to_export"
        /// Posted to an address of its own: ``Endpoints/accountExportPage``.
        case download
        case askToClose = "ask_to_close"
        case close = "close_account"
        case keep = "keep_account"
    }

    /// - Returns: `nil` for a button of none of these forms.
    /// - Throws: `MalformedValue` for input that the page never sends.
    static func action(
        _ name: String, of form: FormParameters
    ) throws(MalformedValue) -> OwnAccountPage.Action? {
        switch Action(rawValue: name) {
        case .changeEmail: .changeContact(.email)
        case .changePhone: .changeContact(.sms)
        case .sendEmailCode: .sendContactCode(.email, to: try form.typed("email"))
        case .sendPhoneCode: .sendContactCode(.sms, to: try form.typed("phone"))
        case .askToRemovePhone: .askToRemovePhone
        case .removePhone: .removePhone
        case .confirmEmail: .confirmContact(.email, try form.typedSecret("contact_code"))
        case .confirmPhone: .confirmContact(.sms, try form.typedSecret("contact_code"))
        case .chooseLanguage: .chooseLanguage
        case .setLanguage: .setLanguage(try language(form))
        case .changeName: .changeName
        case .saveName: .saveName(names(form))
        case .chooseQuestions: .chooseQuestions
        case .setQuestions: .setQuestions(questions(form))
        case .removeQuestions: .setQuestions(SecretQuestionChoice(answers: []))
        case .showActivity: .showActivity
        case .showEarlierActivity: .showEarlierActivity
        case .showPayments: .showPayments
        case .askToUnlink: .askToUnlink(id: try form.required("identity"))
        case .unlink: .unlink(id: try form.required("identity"))
        case .askToExport: .askToExport
        case .askToClose: .askToClose
        case .close: .close
        case .keep: .keep(try form.typedSecret("keep_code"))
        case .download, nil: nil
        }
    }

    private static func names(_ form: FormParameters) -> PersonNames {
        let typed = PersonNames.Part.allCases.compactMap { part in form[part.rawValue].map { (part, $0) } }
        return PersonNames(parts: Dictionary(typed) { first, _ in first })
    }

    /// The name of the field for the answer to a question.
    static func field(of question: SecretQuestion) -> String { "answer_\(question.rawValue)" }

    /// The questions whose fields were filled in. One that was left empty is none that was chosen.
    private static func questions(_ form: FormParameters) -> SecretQuestionChoice? {
        var answers: [SecretQuestionChoice.Answer] = []
        for question in SecretQuestion.allCases {
            guard let typed = form[field(of: question)], !TypedText.trimmed(typed).isEmpty else { continue }
            guard let answer = try? Password(typed) else { return nil }
            answers.append(SecretQuestionChoice.Answer(question: question.rawValue, answer: answer))
        }
        // Removing them has a button of its own.
        return answers.isEmpty ? nil : SecretQuestionChoice(answers: answers)
    }

    private static func language(_ form: FormParameters) throws(MalformedValue) -> Language {
        guard let language = Language(rawValue: try form.required("language")) else {
            throw MalformedValue(field: "language", reason: "is unknown")
        }
        return language
    }
}

package import Core
internal import Kernel
package import WalletAuthWire

/// What the account's page has of ``OwnAccount``: its buttons, the states that they lead to, and what those say.
package enum OwnAccountPage {
    /// A button.
    package enum Action: Sendable {
        /// Ask for a new address or number.
        case changeContact(FactorKind)
        /// Send a code to what was typed.
        case sendContactCode(FactorKind, to: String)
        /// Ask before the phone number is removed.
        case askToRemovePhone
        case removePhone
        /// Take the new address or number into use; `nil` for text that cannot be a code.
        case confirmContact(FactorKind, OneTimeCode?)
        case chooseLanguage
        case setLanguage(Language)
        case changeName
        case saveName(PersonNames)
        case chooseQuestions
        /// Replace the answers to secret questions; `nil` for text that cannot be one.
        case setQuestions(SecretQuestionChoice?)
        case showActivity
        /// The page of the list after the one that is shown.
        case showEarlierActivity
        /// The list with amounts and payees, after a sign-in.
        case showPayments
        /// Ask before an identity is unlinked.
        case askToUnlink(id: String)
        case unlink(id: String)
        case askToExport
        /// Ask before the account is closed.
        case askToClose
        case close
        /// Take the closing back; `nil` for text that cannot be a code.
        case keep(KeepCode?)
    }

    /// Carried out after the sign-in that the page requires.
    package enum Intent: Codable, Sendable, Hashable {
        case contact(FactorKind)
        case phoneRemoval
        case language
        case name
        case questions
        /// Remove the answers to secret questions.
        case questionsRemoval
        /// The activity with amounts and payees.
        case payments
        case unlinking(id: String)
        case export
        case closing
    }

    package enum Step: Sendable {
        /// The form for a new address or number, with what was typed into it.
        /// - `isFirst`: whether the account has none yet.
        case contact(FactorKind, typed: String, isFirst: Bool)
        /// The form for the code that was sent to it.
        case contactCode(FactorKind, PendingContact)
        /// The languages; `nil` for an account without one.
        case language(Language?)
        /// The form for the name, with what was typed into it.
        case name(PersonNames)
        /// The secret questions, and those that have answers.
        case questions([SecretQuestion])
        case activity(ActivityPage)
        case export
        /// The question before the account is closed.
        case closing(eraseAt: Timestamp)
        /// The account is closed, by the form with the mark.
        case closed(AccountClosing, mark: [UInt8])
        /// The form for the code that takes a closing back. No one is signed in.
        case keeping
        case kept
    }

    /// A page of the list, and how to get it again.
    package struct ActivityPage: Sendable {
        package var activity: AccountActivity
        /// The browser of each entry; `nil` for one that is not known, and for an app.
        package var browsers: [BrowserKind?]
        /// Of the page before; `nil` for the latest entries.
        package var cursor: String?
        /// Whether it leaves out amounts and payees, which a sign-in shows.
        package var hidesPayments: Bool
    }

    package enum Notice: Sendable, Hashable, Codable {
        case contactAdded(FactorKind)
        case contactChanged(FactorKind)
        case phoneRemoved
        /// The account has no confirmed address, or nothing could be sent there.
        case lastContact(isEmailOff: Bool)
        /// What was typed is no address or number.
        case unusableContact(FactorKind)
        /// It is the account's already.
        case contactUnchanged(FactorKind)
        /// The server sends no such messages.
        case channelOff(FactorKind)
        /// Too many codes were sent. In seconds.
        case contactLimit(retryAfter: Int64)
        case wrongCode
        /// The code has expired or was wrong too often.
        case codeOver
        case languageChanged(Language)
        case nameChanged
        case unusableName
        case questionsChanged
        case questionsRemoved
        /// Too few or too many questions were answered, or two alike.
        case unacceptableAnswers
        case unlinked
        case identityNotFound
        /// No one could sign in to the account any more.
        case lastIdentity
        /// The page of the download was used before.
        case exportAgain
        case exportTooLarge
        case paymentsOpen
        case lastOwner
        /// The address or number was changed within the last day.
        case contactCooling(until: Timestamp)
        case closingNotFound
    }
}

/// What a page shows, for its address, as far as the account does not say it.
enum ShownOwnAccountPage: Codable, Sendable {
    case contact(FactorKind, typed: String)
    case contactCode(FactorKind)
    case language, questions
    case name(typed: PersonNames)
    /// The cursors of the page before and of the one after it.
    case activity(cursor: String?, next: String?)
    case export, closing
    /// The code follows from the mark of the page that closed the account.
    case closed(mark: [UInt8])
    case keeping, kept

    init(_ step: OwnAccountPage.Step) {
        self =
            switch step {
            case .contact(let kind, let typed, _): .contact(kind, typed: typed)
            case .contactCode(let kind, _): .contactCode(kind)
            case .language: .language
            case .questions: .questions
            case .name(let names): .name(typed: names)
            case .activity(let page): .activity(cursor: page.cursor, next: page.activity.cursor)
            case .export: .export
            case .closing: .closing
            case .closed(_, let mark): .closed(mark: mark)
            case .keeping: .keeping
            case .kept: .kept
            }
    }
}

extension OwnAccountPage.Notice {
    /// The notice some seconds later; `nil` once its wait is over.
    func after(_ seconds: Int64) -> Self? {
        guard case .contactLimit(let wait) = self else { return self }
        return wait > seconds ? .contactLimit(retryAfter: wait - seconds) : nil
    }
}

extension PersonalProfile {
    /// What to call the person; `nil` if no name is known.
    var shownName: String? {
        let parts = [givenName, familyName].compactMap(\.self).joined(separator: " ")
        return name ?? (parts.isEmpty ? nil : parts)
    }
}

import Core
import Kernel
package import WalletAuthWire
import Web

/// Texts and fields for the account PIN on the pages.
struct AccountPINView {
    let text: Texts<AccountPINText>

    private typealias Action = AccountPageForm.Action

    /// The introduction of the page.
    func lead(of overview: AccountPINOverview) -> String {
        if !overview.isOffered { return text[.offLead] }
        switch overview.state {
        case .unset, .active: return text[.pageLead]
        case .locked: return text[.lockedLead]
        case .lockedByRestore: return text[.restoredLead]
        }
    }

    /// The note below the PIN's row on the overview.
    func note(on overview: AccountPINOverview, in language: Language) -> String? {
        if !overview.isOffered { return text[.offLead] }
        return overview.state == .unset ? text[.lead] : cooling(overview, in: language)
    }

    /// The PIN page.
    /// - Parameter others: the secondary buttons.
    func fields(of overview: AccountPINOverview, fault: AccountPINFault?, others: [ButtonValues]) -> PINPageValues {
        var buttons = others
        if overview.state != .unset {
            buttons.insert(ButtonValues(value: Action.removePIN.rawValue, label: text[.removeLabel]), at: 0)
        }
        guard overview.isOffered else { return PINPageValues(setting: nil, others: buttons) }
        let setting = PINPageValues.Setting(
            newLabel: text[.newLabel], newHint: text[.newHint], repeatLabel: text[.repeatLabel],
            isMistyped: fault == .mistyped, set: Action.setPIN.rawValue,
            setLabel: text[.saveLabel])
        return PINPageValues(setting: setting, others: buttons)
    }

    func sentence(for fault: AccountPINFault) -> String {
        switch fault {
        case .malformed: text[.malformed]
        case .tooShort: text[.tooShort]
        case .tooLong: text[.tooLong]
        case .mistyped: text[.mistyped]
        case .tooCommon: text[.tooCommon]
        }
    }

    /// Until when a new PIN cannot approve payments; `nil` if it already can, or if the PIN is not active.
    func cooling(_ overview: AccountPINOverview, in language: Language) -> String? {
        guard overview.state == .active else { return nil }
        return overview.coolingUntil.map { text[.cooling, ["time": language.moment(of: $0.roundedUpToMinute)]] }
    }
}

extension AlternativeForm {
    /// The form of the sign-in page.
    static let accountPIN = AlternativeForm(
        strategy: .pin, isTaken: AccountPINMethod.isTaken,
        signIn: "sign_in_by_pin", use: "use_pin",
        forgot: ForgotButton(
            value: "forgot_pin", label: { $0.accountPINText[.forgotLabel] },
            answer: { $0.accountPINText[.forgotten, ["address": $1]] }),
        field: AccountPINFields.field,
        secret: { form throws(MalformedValue) in .accountPIN(try AccountPINFields.guess(form)) },
        text: { language in
            let text = language.accountPINText
            return AlternativeText(
                label: text[.label], useLabel: text[.useLabel], wrong: text[.wrong],
                triedOften: text[.triedOften])
        })
}

/// The PIN fields of the pages' forms.
package enum AccountPINFields {
    /// The field of the sign-in and consent pages. To the browser it is not a password, because a password manager stores the
    /// account's password for this site.
    package static let field = SecretField(name: "pin", maxLength: 32, autocomplete: "off", isNumeric: true)

    /// The submitted PIN; `nil` if it cannot be a PIN, which counts as a wrong one.
    /// - Throws: `MalformedValue` if the field is missing. Our pages always send it.
    package static func guess(_ form: FormParameters) throws(MalformedValue) -> AccountPIN? {
        let typed = try form.typed(field.name)
        return try? AccountPIN(typed)
    }

    /// The new PIN, or the reason it is refused. The two entries are compared before anything else, so a typo costs no
    /// attempt.
    /// - Throws: `MalformedValue` if the field is missing. Our pages always send it.
    package static func new(_ form: FormParameters) throws(MalformedValue) -> Result<AccountPIN, AccountPINFault> {
        let typed = try form.typed("new_pin")
        do {
            return .success(try AccountPIN(typed, repeated: form["repeated_pin"] ?? ""))
        } catch {
            return .failure(error)
        }
    }
}

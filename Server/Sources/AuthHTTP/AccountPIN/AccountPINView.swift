import AuthCore
import AuthFlows
import WalletAuthWire

/// The words and fields of an account's PIN on the account's page.
struct AccountPINView {
    let text: AccountPINText

    private typealias Action = AccountPageForm.Action

    /// What stands above the page.
    func lead(of overview: AccountPINOverview) -> String {
        if !overview.isOffered { return text.offLead }
        switch overview.state {
        case .unset, .active: return text.pageLead
        case .locked: return text.lockedLead
        case .lockedByRestore: return text.restoredLead
        }
    }

    /// The overview's way to the PIN.
    func section(of overview: AccountPINOverview) -> [String: String] {
        let lead = [text.lead, cooling(overview)].compactMap { $0 }.joined(separator: " ")
        return [
            "heading": text.label, "lead": overview.isOffered ? lead : text.offLead,
            "press": Action.managePIN.rawValue,
            "button": overview.state == .unset ? text.setLabel : text.changeLabel,
        ]
    }

    /// The page of the PIN.
    /// - Parameters:
    ///   - overview: how it stands.
    ///   - fault: what is wrong with the one that was typed; `nil` where nothing is.
    ///   - others: the buttons of the ways out, each by its `value` and `label`.
    func fields(
        of overview: AccountPINOverview, fault: AccountPINFault?, others: [[String: String]]
    ) -> [String: Any] {
        var buttons = others
        if overview.state != .unset {
            buttons.insert(["value": Action.removePIN.rawValue, "label": text.removeLabel], at: 0)
        }
        var fields: [String: Any] = ["others": buttons]
        if overview.isOffered {
            var setting = [
                "newLabel": text.newLabel, "newHint": text.newHint, "repeatLabel": text.repeatLabel,
                "set": Action.setPIN.rawValue, "setLabel": text.saveLabel,
            ]
            if fault == .mistyped { setting["mistyped"] = text.mistyped }
            fields["setting"] = setting
        }
        return fields
    }

    /// What is wrong with a new PIN.
    func sentence(for fault: AccountPINFault) -> String {
        switch fault {
        case .malformed: text.malformed
        case .tooShort: text.tooShort
        case .tooLong: text.tooLong
        case .mistyped: text.mistyped
        case .tooCommon: text.tooCommon
        }
    }

    /// Until when a new PIN agrees to no payment; `nil` where it agrees to them, or opens nothing.
    func cooling(_ overview: AccountPINOverview) -> String? {
        guard overview.state == .active else { return nil }
        return overview.coolingUntil.map { PageText.fill(text.cooling, ["time": $0.toTheMinute]) }
    }
}

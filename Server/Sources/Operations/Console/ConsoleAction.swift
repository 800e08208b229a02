internal import SignIn
internal import WalletAuthWire

/// A button of an account's page: a command of the operators, about the account or one of its things. What it does, and who may, is
/// declared by the command alone.
enum ConsoleAction: String, CaseIterable, Sendable {
    /// Ends the wait that failures have caused.
    case unlock = "account_reactivate"
    /// The same command at a deactivated account.
    case reopen = "account_reactivate_closed"
    case close = "account_deactivate"
    case keep = "account_keep"
    case verifyEmail = "account_verify-email"
    case expirePassword = "account_expire-password"
    case removePIN = "account_remove-pin"
    case withdrawAccess = "account_consents"
    case erase = "account_erase"
    case endSession = "session_end"
    case endSessions = "session_end_all"
    case suspendDevice = "device_suspend"
    case resumeDevice = "device_resume"
    case deactivateDevice = "device_deactivate"
    case reactivateDevice = "device_reactivate"
    case confirmDevice = "device_confirm"
    case removeDevice = "device_remove"
    case removePasskey = "passkey_remove"

    /// The title of its command.
    var command: String {
        rawValue.split(separator: "_").prefix(2).joined(separator: " ")
    }

    var label: ConsoleText {
        switch self {
        case .unlock: .unlockLabel
        case .reopen: .reopenLabel
        case .close: .closeLabel
        case .keep: .keepLabel
        case .verifyEmail: .verifyLabel
        case .expirePassword: .expireLabel
        case .removePIN: .removePINLabel
        case .withdrawAccess: .withdrawLabel
        case .erase: .eraseLabel
        case .endSession: .endLabel
        case .endSessions: .endAllLabel
        case .suspendDevice: .suspendLabel
        case .resumeDevice: .resumeLabel
        case .deactivateDevice: .closeLabel
        case .reactivateDevice: .reactivateLabel
        case .confirmDevice: .confirmDeviceLabel
        case .removeDevice, .removePasskey: .removeLabel
        }
    }

    /// What it has done, in one sentence.
    var done: ConsoleText {
        switch self {
        case .unlock: .unlockDone
        case .reopen: .reopenDone
        case .close: .closeDone
        case .keep: .keepDone
        case .verifyEmail: .verifyDone
        case .expirePassword: .expireDone
        case .removePIN: .removePINDone
        case .withdrawAccess: .withdrawDone
        case .erase: .eraseDone
        case .endSession: .endDone
        case .endSessions: .endAllDone
        case .suspendDevice: .suspendDone
        case .resumeDevice: .resumeDone
        case .deactivateDevice: .deactivateDone
        case .reactivateDevice: .reactivateDone
        case .confirmDevice: .confirmDeviceDone
        case .removeDevice: .removeDeviceDone
        case .removePasskey: .removePasskeyDone
        }
    }

    /// What its question says before the sign-in that it needs, because nothing undoes what follows; `nil` if it needs none.
    var ownSignIn: ConsoleQuestion? {
        switch self {
        case .erase: .erase
        case .removeDevice: .removeDevice
        case .removePasskey: .removePasskey
        default: nil
        }
    }

    /// The question before what shuts a person out, or what nothing undoes; `nil` for anything else.
    var question: (heading: ConsoleText, lead: ConsoleText)? {
        switch self {
        case .close: (.closeHeading, .closeLead)
        case .expirePassword: (.expireHeading, .expireLead)
        case .erase: (.eraseHeading, .eraseLead)
        case .removeDevice: (.removeHeading, .removeDeviceLead)
        case .removePasskey: (.removeHeading, .removePasskeyLead)
        case .unlock, .reopen, .keep, .verifyEmail, .removePIN, .withdrawAccess, .endSession, .endSessions,
            .suspendDevice, .resumeDevice, .deactivateDevice, .reactivateDevice, .confirmDevice:
            nil
        }
    }

    /// The page of its question, with its query, below the issuer.
    func path(askingAbout account: String, item: String?) -> String {
        var query = FormParameters()
        query.append("id", account)
        query.append("ask", rawValue)
        query.append("item", item)
        return ConsoleEndpoints.accountPath + "?" + query.encoded
    }

    /// The members of the command.
    /// - Parameters:
    ///   - account: the id of the page's account.
    ///   - item: the id of the row's thing.
    /// - Throws: `MalformedValue` without a thing that the command is about.
    func members(account: String, item: String?) throws(MalformedValue) -> JSONObject {
        switch self {
        case .unlock, .reopen, .close, .keep, .verifyEmail, .expirePassword, .removePIN, .erase, .endSessions:
            return JSONObject(strings: ["account": account])
        case .withdrawAccess: return JSONObject(strings: ["account": account, "withdraw": try Self.required(item)])
        case .endSession: return JSONObject(strings: ["account": account, "only": try Self.required(item)])
        case .suspendDevice, .resumeDevice, .deactivateDevice, .reactivateDevice, .confirmDevice, .removeDevice,
            .removePasskey:
            return JSONObject(strings: ["id": try Self.required(item)])
        }
    }

    private static func required(_ item: String?) throws(MalformedValue) -> String {
        guard let item else { throw MalformedValue(field: "item", reason: "is missing") }
        return item
    }

    /// The button for the command that an answer names as the remedy: `walletauth account reactivate ada`.
    init?(remedy line: String?) {
        let words = line?.split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
        let all = Self.allCases.filter { ![.reopen, .endSessions].contains($0) && $0.question == nil }
        guard let words, let action = all.first(where: { $0.command == words }) else { return nil }
        self = action
    }
}

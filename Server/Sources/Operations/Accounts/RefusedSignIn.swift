internal import Core
internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// A refused sign-in in the audit log.
///
/// Not every refusal has an entry: of wrong passwords in a row, the 4th, 8th, 16th and so on do, and their number tells of the others. Of
/// wrong answers to a second factor, the first five do as well.
struct RefusedSignIn: Sendable {
    let at: Timestamp
    let kind: String
    let clientID: String?
    /// A clause.
    let reason: String
    /// What was tried, in words.
    let method: String
    /// The id of the enrolled device that it concerns.
    let device: String?
    private let agent: BrowserKind
    /// Not shown: it tells where the person is.
    let address: String?
    /// The reference on error pages, and `trace` in the server's log.
    let traceID: String?

    /// - Returns: `nil` for an entry of something else.
    init?(kind: String, at: Timestamp, clientID: String?, details text: String) {
        // The details of an erased account are gone.
        let details = (try? JSONValue.object(parsing: Array(text.utf8))) ?? JSONObject()
        guard let (method, reason) = Self.refusal(kind, details) else { return nil }
        self.at = at
        self.kind = kind
        self.clientID = clientID
        self.method = method
        self.reason = reason
        device = details["device"]?.string
        agent = BrowserKind(RequestOrigin(address: "", userAgent: details["user_agent"]?.string))
        address = details["address"]?.string
        traceID = details["trace_id"]?.string
    }

    private static func refusal(_ kind: String, _ details: JSONObject) -> (method: String, reason: String)? {
        if let event = AccountEvent(rawValue: kind) { return refusal(event, details) }
        if let event = FactorEvent(rawValue: kind) {
            switch event {
            case .mismatched:
                let failures = details["failures"]?.integer ?? 1
                return (
                    "second factor",
                    failures == 1
                        ? "\(proved), the answer to the second factor was wrong"
                        : "\(proved), \(failures) answers to the second factor in a row were wrong"
                )
            case .failed: return ("second factor", "\(proved), every answer to the second factor was wrong")
            case .held: return ("second factor", "answers have to wait after too many wrong ones")
            case .secretQuestionAnswered, .recoveryCodeUsed, .totpAdded, .totpRemoved, .recoveryCodesMade,
                .recoveryCodesVoided, .secretQuestionsSet:
                return nil
            }
        }
        if let event = ScanSignInEvent(rawValue: kind) {
            switch event {
            case .mismatched: return ("scanning", "another number was chosen on the phone than the page showed")
            case .rejected: return ("scanning", "the person said on the phone that it was not them")
            case .failed: return ("scanning", "the PIN of the phone was locked")
            case .claimed, .approved, .opened: return nil
            }
        }
        return switch kind {
        case LoginEvent.codeUndeliverable.rawValue:
            ("second factor", "nothing delivers its code")
        case DeviceEvent.deactivated.rawValue where details["reason"]?.string == "failures":
            ("password", "too many wrong passwords on the device deactivated it")
        case DeviceEvent.attestationRefused.rawValue:
            AttestationFault(details).map { (method: "attestation", reason: $0.inWords) }
        case AccountPINEvent.locked.rawValue: ("account PIN", "too many wrong PINs locked it")
        case PINEvent.locked.rawValue: ("device PIN", "too many wrong PINs locked it")
        case PINEvent.exhausted.rawValue: ("device PIN", "thirty wrong attempts within thirty days used it up")
        case RecoveryEvent.failed.rawValue: ("recovery", "every code was wrong")
        case RecoveryEvent.refused.rawValue:
            ("recovery", "the code was right, but \(barrier(to: details)), so the mailbox alone does not recover it")
        default: nil
        }
    }

    /// What a second factor is asked for after.
    private static let proved = "the first factor or the code of a recovery was right"

    /// What keeps a mailbox from recovering an account.
    private static func barrier(to details: JSONObject) -> String {
        switch (details["passkey"]?.bool ?? false, details["linked_device"]?.bool ?? false) {
        case (true, true): "the account has a passkey and a linked device"
        case (true, false): "the account has a passkey"
        case (false, true): "the account has a linked device"
        case (false, false): "its other factor cannot be asked for"
        }
    }

    private static func refusal(_ event: AccountEvent, _ details: JSONObject) -> (method: String, reason: String)? {
        switch event {
        case .signInFailures:
            let failures = details["failures"]?.integer ?? 0
            if details["factor"]?.string == AuthenticationStrength.pin {
                return ("account PIN", "\(failures) wrong PINs in a row")
            }
            let trust = details["device_trust"]?.string.map { "\($0) " } ?? ""
            return ("password", "\(failures) wrong passwords in a row on \(trust)devices")
        // By failures: what an operator does comes from no network.
        case .deactivated where details["address"] != nil:
            return ("password", "too many wrong passwords on devices that it knows deactivated the account")
        case .created, .deactivated, .reactivated, .closed, .kept, .erased, .merged, .absorbed, .exported,
            .profileChanged, .languageChanged, .emailVerified, .emailChanged, .emailRemoved, .phoneChanged,
            .phoneRemoved, .phoneReleased, .passwordChanged, .passwordExpired, .passwordAdopted, .failuresReset:
            return nil
        }
    }

    /// The browser or app, as it describes itself; `nil` if unknown.
    private var browserName: String? {
        guard let browser = agent.browser?.name else { return agent.system?.name }
        return agent.system.map { "\(browser) on \($0.name)" } ?? browser
    }

    /// For people: `password, Firefox on Linux: 4 wrong passwords in a row on unknown devices`.
    var sentence: String {
        let place = [method, clientID.map { "client \($0)" }, device.map { "device \($0)" }, browserName]
        return place.compactMap(\.self).joined(separator: ", ") + ": " + reason
    }

    var json: JSONObject {
        var json = JSONObject(strings: ["at": at.text, "kind": kind, "method": method, "reason": reason])
        json.set("clientId", clientID)
        json.set("deviceId", device)
        json.set("browser", browserName)
        json.set("traceId", traceID)
        return json
    }
}

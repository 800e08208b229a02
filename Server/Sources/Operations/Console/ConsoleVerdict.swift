internal import Core
internal import Kernel
internal import WalletAuthWire
internal import Web

/// The sentence of `account explain` in the language of the page. It is made of the answer's codes.
struct ConsoleVerdict: Sendable {
    let answer: JSONObject
    let visit: ConsoleVisit

    private var text: Texts<ConsoleText> { visit.text }

    /// The person, as the role sees their name.
    var name: String {
        answer["usernames"]?.strings?.first ?? answer["accountId"]?.string ?? ""
    }

    var hindrances: [JSONObject] { (answer["hindrances"]?.array ?? []).compactMap(\.object) }

    /// In one sentence.
    var sentence: String {
        if let worst = hindrances.first {
            return sentence(for: worst, isShutOut: answer["canSignIn"] == "none")
        }
        let refused = visit.moment(answer["refusals"]?.array?.first?.object?["at"])
        guard let refused else { return text[.verdictClear, ["user": name]] }
        return text[.verdictClearRefused, ["user": name, "time": refused]]
    }

    func sentence(for hindrance: JSONObject, isShutOut: Bool = false) -> String {
        let reach = hindrance["reach"]?.string.flatMap(Hindrance.Reach.init)
        let effect = text[
            isShutOut ? .effectAccount : Self.effect(of: reach ?? .account),
            ["user": name, "device": device(hindrance["deviceId"]?.string)]]
        let code = hindrance["code"]?.string.flatMap(Hindrance.Code.init)
        // A code without a text cannot be.
        let cause = code.map { text[Self.cause(of: $0)] } ?? ""
        guard let until = visit.time(hindrance["until"]) else {
            return text[.verdict, ["effect": effect, "cause": cause]]
        }
        let time = visit.language.moment(of: until.roundedUpToMinute)
        return text[.verdictUntil, ["effect": effect, "cause": cause, "time": time]]
    }

    /// The button that mends it; `nil` if no command does, or the role may not run it.
    func remedy(for hindrance: JSONObject) -> ConsoleValues.RowForm? {
        guard let action = ConsoleAction(remedy: hindrance["command"]?.string) else { return nil }
        let named = action == .unlock && isDeactivated ? .reopen : action
        return visit.form([named], item: hindrance["deviceId"]?.string, style: nil)
    }

    private static let deactivations: Set<Hindrance.Code> = [
        .deactivated, .deactivatedByFailures, .deactivatedByDirectory, .importedDisabled,
    ]

    private var isDeactivated: Bool {
        let codes = hindrances.compactMap { $0["code"]?.string.flatMap(Hindrance.Code.init) }
        return !Self.deactivations.isDisjoint(with: codes)
    }

    /// Whether failures lock anything, or have been counted.
    var hasFailures: Bool {
        failures("unknownDevices") + failures("knownDevices") > 0
            || hindrances.contains { ConsoleAction(remedy: $0["command"]?.string) == .unlock }
    }

    /// How many wrong passwords are counted.
    func failures(_ whose: String) -> Int64 {
        answer["failures"]?.object?[whose]?.object?["count"]?.integer ?? 0
    }

    private func device(_ id: String?) -> String {
        let devices = (answer["devices"]?.array ?? []).compactMap(\.object)
        return devices.first { $0["deviceId"]?.string == id }?["name"]?.string ?? id ?? ""
    }

    private static func effect(of reach: Hindrance.Reach) -> ConsoleText {
        switch reach {
        case .account: .effectAccount
        case .unknownDevices: .effectUnknownDevices
        case .knownDevices: .effectKnownDevices
        case .network: .effectNetwork
        case .secondFactor: .effectSecondFactor
        case .step: .effectStep
        case .device: .effectDevice
        case .accountPIN: .effectAccountPIN
        case .devicePIN: .effectDevicePIN
        case .recovery: .effectRecovery
        case .changes: .effectChanges
        case .enrollment: .effectEnrollment
        case .biometrics: .effectBiometrics
        }
    }

    private static func cause(of code: Hindrance.Code) -> ConsoleText {
        switch code {
        case .erased: .causeErased
        case .merged: .causeMerged
        case .deactivated: .causeDeactivated
        case .deactivatedByFailures: .causeFailures
        case .deactivatedByDirectory: .causeDirectory
        case .importedDisabled: .causeImported
        case .closedByHolder: .causeClosed
        case .noPassword: .causeNoPassword
        case .passwordExpired: .causePasswordExpired
        case .emailUnconfirmed: .causeEmailUnconfirmed
        case .codesUndeliverable: .causeUndeliverable
        case .wrongPasswords: .causeWrongPasswords
        case .networkHeld: .causeNetwork
        case .limitReached: .causeLimit
        case .accountPINLocked: .causePINLocked
        case .accountPINOff: .causePINOff
        case .deviceSuspended: .causeDeviceSuspended
        case .deviceDeactivated: .causeDeviceDeactivated
        case .deviceAwaitsCode: .causeDeviceWaits
        case .devicePINLocked: .causeDevicePINLocked
        case .devicePINExhausted: .causeDevicePINExhausted
        case .cooling: .causeCooling
        case .noSecondFactor: .causeNoSecondFactor
        case .attestationMissing: .causeAttestationMissing
        case .attestationInvalid: .causeAttestationInvalid
        case .appNotAccepted: .causeAppNotAccepted
        case .phoneNotAccepted: .causePhoneNotAccepted
        }
    }
}

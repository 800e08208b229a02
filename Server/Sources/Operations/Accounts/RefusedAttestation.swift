internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// A refusal of an app's attestation in the audit log, which kept a person from enrolling a device or from turning on face or fingerprint.
struct RefusedAttestation: Sendable {
    let at: Timestamp
    let client: String
    /// The device whose biometric key was refused; `nil` if no device was enrolled.
    let device: UniqueID?
    let fault: AttestationFault

    /// - Returns: `nil` for an entry of something else.
    init?(_ event: SecurityEvent) {
        guard event.kind == DeviceEvent.attestationRefused.rawValue, let client = event.clientID,
            let details = Self.details(of: event), let fault = AttestationFault(details)
        else { return nil }
        at = event.occurredAt
        self.client = client
        device = details["device"]?.string.flatMap { UniqueID(uuid: $0) }
        self.fault = fault
    }

    private static func details(of event: SecurityEvent) -> JSONObject? {
        try? JSONValue.object(parsing: Array(event.details.utf8))
    }

    /// Whether an event shows that it worked then or later.
    fileprivate func isResolved(by event: SecurityEvent) -> Bool {
        guard event.occurredAt >= at else { return false }
        guard let device else { return event.kind == DeviceEvent.enrolled.rawValue && event.clientID == client }
        return event.kind == DeviceEvent.biometricKeyAdded.rawValue
            && Self.details(of: event)?["device"]?.string == device.uuid
    }

    var hindrance: Hindrance {
        let cause = "at \(at.text) \(fault.inWords)"
        let what = device.map { "Face or fingerprint cannot be turned on for its device \($0.uuid)" }
        return Hindrance(
            code: fault.code, reach: device == nil ? .enrollment : .biometrics,
            text: "\(what ?? "No device can be enrolled with the app of client \(client)"): \(cause). \(remedy)",
            cause: cause, device: device, client: client)
    }

    private var remedy: String {
        switch fault.code {
        case .attestationMissing:
            "The person needs a version of the app that attests itself, on a phone and not on a simulator."
        case .appNotAccepted:
            "If the app is yours, name it with `walletauth client update \(CommandLineSyntax.quoted(client))` and "
                + "--add-apple-app-id or --add-android-app; otherwise the person needs the genuine one."
        case .phoneNotAccepted: "The person needs another phone."
        default:
            "The person tries again with the newest version of the app. If it happens again, its developer needs the "
                + "reason `\(fault.rawValue)`."
        }
    }
}

extension AccountReport {
    /// An older refusal says little about the app and the phone that the person has now.
    private static let attestationsKept = Duration.days(30)

    /// The refusals that still keep the person from something: the newest of each client and device, unless it worked since.
    /// - Parameter events: of the account.
    func unattested(
        _ events: [SecurityEvent], _ status: AccountStatus, on connection: any SQLConnection
    ) throws -> [RefusedAttestation] {
        var seen: Set<String> = []
        return try events.compactMap { RefusedAttestation($0) }.filter { refused in
            guard refused.at > status.now - Self.attestationsKept,
                seen.insert(refused.device?.uuid ?? refused.client).inserted,
                !events.contains(where: refused.isResolved)
            else { return false }
            if let device = refused.device {
                return status.devices.contains { $0.device.id == device && $0.device.state == .active }
            }
            return try requiresAttestation(refused.client, on: connection)
        }
    }

    /// Whether an entry may be of a refusal. Where a client's policy only records, the device was enrolled all the same.
    func mayBeRefusal(_ event: SecurityEvent, on connection: any SQLConnection) throws -> Bool {
        guard let refused = RefusedAttestation(event), refused.device == nil else { return true }
        return try requiresAttestation(refused.client, on: connection)
    }

    private func requiresAttestation(_ client: String, on connection: any SQLConnection) throws -> Bool {
        let found = try Clients.find(client, on: connection).map { try RegisteredClient($0) }
        return found?.settings.attestation == .required
    }
}

extension AttestationFault {
    /// - Parameter details: of an entry of the audit log.
    init?(_ details: JSONObject) {
        guard let reason = details["reason"]?.string else { return nil }
        self.init(rawValue: reason)
    }

    fileprivate var code: Hindrance.Code {
        switch self {
        case .missing: .attestationMissing
        case .wrongApp, .development: .appNotAccepted
        case .untrustedChain, .revoked, .notHardware, .unverifiedBoot: .phoneNotAccepted
        case .malformed, .wrongChallenge, .wrongKey, .usedBefore, .counterBehind, .wrongSignature, .neverAttested,
            .unsuitableKey:
            .attestationInvalid
        }
    }

    /// A clause.
    var inWords: String {
        switch self {
        case .malformed: "the app's attestation did not have its format's form"
        case .missing: "the app sent no attestation, which its client requires"
        case .untrustedChain: "the phone's certificates did not lead to its platform's root, or were not valid"
        case .revoked: "a certificate of the phone was revoked"
        case .wrongChallenge: "the app's attestation was made for another request, key or person"
        case .wrongKey: "the app's attestation was of another key"
        case .wrongApp: "the app that was attested is not one of the client's"
        case .development: "the app was a development build, which counts in the sandbox only"
        case .usedBefore: "the app's attestation was of a key that had been used before"
        case .counterBehind: "the app's assertion did not count up, as if it came a second time"
        case .wrongSignature: "the app's assertion was not by the key that was attested on the device"
        case .neverAttested: "the app sent an assertion, but was never attested on the device"
        case .notHardware: "the phone's key was not in secure hardware"
        case .unverifiedBoot: "the phone was unlocked, or its system was not its maker's"
        case .unsuitableKey: "the phone's key was not made in it, or not for signing alone"
        }
    }
}

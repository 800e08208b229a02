internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Refused attestations in the audit log.
struct AttestationRefusals: Sendable {
    let auditLog: AuditLog
    let keyRing: KeyRing

    /// The first ones of an account have entries of their own, and later ones at growing intervals: an app refused an attestation tries
    /// again as often as it likes, and must not decide how large the log grows.
    private static let policy = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    /// Records a refusal, unless there were too many.
    /// - Parameter device: the one whose biometric key is refused; `nil` for a device that was to be enrolled.
    func record(
        _ fault: AttestationFault, of device: UniqueID? = nil, by call: AppCaller, on connection: any SQLConnection
    ) throws {
        let subject = Digests.keyed(
            "attestation-refusals", [call.account.id.uuid], key: try keyRing.active(.attempts))
        guard case .compare = try Attempts.count(subject, under: Self.policy, now: call.now, on: connection) else {
            return
        }
        var details = JSONObject()
        details.set("device", device?.uuid)
        details.set("reason", fault.rawValue)
        try auditLog.entry(
            DeviceEvent.attestationRefused, account: call.account.id, client: call.client.id.rawValue,
            origin: call.origin, now: call.now, details: details
        ).write(on: connection)
    }
}

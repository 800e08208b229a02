package import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// A device that approves what another session of its account requested.
struct ApprovingDevice: Sendable {
    let device: DeviceRecord
    /// The session of the app on the device.
    let session: SessionRecord
    /// The key of that session.
    let thumbprint: JWKThumbprint

    /// Whether session and device may still approve when the write runs.
    func mayApprove(at now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        guard let living = try Sessions.living(session.id, now: now, on: connection),
            !AuthenticationStrength.isCrossDevice(living.facts.methods)
        else { return false }
        return try ConsentFactors.trustedDevice(of: living, now: now, on: connection)?.id == device.id
    }
}

extension ApprovingDevice {
    /// The device of an app's call, if it may approve at all.
    static func admitted(_ call: AppCaller) -> Result<ApprovingDevice, ApprovalRefusal> {
        // Its page named this device's key, but another device approved the sign-in: the person may not be at this one.
        guard !AuthenticationStrength.isCrossDevice(call.methods) else { return .failure(.consent(.strongerSignIn)) }
        guard let device = call.device, call.account.state == .active else { return .failure(.noDevice) }
        switch device.restriction(at: call.now) {
        case nil:
            return .success(ApprovingDevice(device: device, session: call.session, thumbprint: call.thumbprint))
        case .closed?: return .failure(.noDevice)
        case .unverifiedInstance?: return .failure(.instanceUnverified)
        case .cooling(let until)?: return .failure(.cooling(until: until))
        }
    }
}

/// Why a device's call about an approval is refused.
package enum ApprovalRefusal: Error, Sendable, Hashable {
    /// The session was not opened on an enrolled device, or that is closed.
    case noDevice
    /// The installation has not confirmed the code sent to the holder.
    case instanceUnverified
    /// The device was enrolled recently.
    case cooling(until: Timestamp)
    /// A rule of the consent.
    case consent(ConsentRefusal)

    /// One of each kind, but those of the caller.
    static let all: [ApprovalRefusal] =
        ofDevice
        + [.eventNotFound, .tooManyAttempts(retryAfter: 1), .alreadyVerified, .over(.locked)].map { .consent($0) }

    /// Those that the device or its session alone is the reason for.
    package static let ofDevice: [ApprovalRefusal] = [
        .consent(.strongerSignIn), .noDevice, .instanceUnverified, .cooling(until: Timestamp(milliseconds: 0)),
    ]
}

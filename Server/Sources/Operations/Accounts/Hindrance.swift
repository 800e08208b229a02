internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Something that keeps a person from signing in, or from something after it, and its remedy.
struct Hindrance: Sendable {
    /// For programs.
    enum Code: String {
        case erased, merged, deactivated
        case deactivatedByFailures = "deactivated_by_failures"
        case deactivatedByDirectory = "deactivated_by_directory"
        case importedDisabled = "imported_disabled"
        case closedByHolder = "closed_by_holder"
        case noPassword = "no_password"
        case passwordExpired = "password_expired"
        case emailUnconfirmed = "email_unconfirmed"
        case codesUndeliverable = "codes_undeliverable"
        case wrongPasswords = "wrong_passwords"
        case networkHeld = "network_held"
        case limitReached = "limit_reached"
        case accountPINLocked = "account_pin_locked"
        case accountPINOff = "account_pin_off"
        case deviceSuspended = "device_suspended"
        case deviceDeactivated = "device_deactivated"
        case deviceAwaitsCode = "device_awaits_code"
        case devicePINLocked = "device_pin_locked"
        case devicePINExhausted = "device_pin_exhausted"
        case cooling
        case noSecondFactor = "no_second_factor"
        case attestationMissing = "attestation_missing"
        case attestationInvalid = "attestation_invalid"
        case appNotAccepted = "app_not_accepted"
        case phoneNotAccepted = "phone_not_accepted"
    }

    /// What it keeps from working, the worst first.
    enum Reach: String, CaseIterable {
        case account
        /// Devices and browsers that the account does not know.
        case unknownDevices = "unknown_devices"
        case knownDevices = "known_devices"
        case network
        case secondFactor = "second_factor"
        /// Asked for during the sign-in.
        case step
        case device
        case accountPIN = "account_pin"
        case devicePIN = "device_pin"
        case recovery
        /// Changes to the account after the sign-in.
        case changes
        /// Enrolling a device after the sign-in.
        case enrollment
        /// Turning on face or fingerprint on an enrolled device.
        case biometrics
    }

    let code: Code
    let reach: Reach
    /// Whole sentences, with the remedy.
    let text: String
    /// The reason alone, as a clause.
    let cause: String
    /// When it ends by itself.
    var until: Timestamp?
    /// The operator's command that ends it.
    var command: String?
    /// The device that it concerns.
    var device: UniqueID?
    /// The client whose app it concerns.
    var client: String?
}

extension AccountStatus {
    /// The obstacles to a sign-in.
    var hindrances: [Hindrance] {
        if let closure {
            // An account that is open again still needs a password.
            guard closure.command != nil, let passwordHindrance, passwordHindrance.reach == .account else {
                return [closure]
            }
            return [closure, passwordHindrance]
        }
        let kept = [passwordHindrance, undeliverable, waitOfUnknownDevices, waitOfKnownDevices, lockedPIN]
        return kept.compactMap(\.self) + zip(devices, onDevices).compactMap { hindrance(of: $0.device, $1) }
    }

    private var closure: Hindrance? {
        switch onNewDevice.end {
        case .unknown:
            if let other = account.mergedInto {
                return Hindrance(
                    code: .merged, reach: .account,
                    text: "It was merged into the account \(other.uuid), which the person signs in to. This is "
                        + "permanent.",
                    cause: "the account was merged into the account \(other.uuid), which the person signs in to")
            }
            return Hindrance(
                code: .erased, reach: .account, text: "It was erased. This is permanent.",
                cause: "the account was erased, which is permanent")
        case .deactivated: break
        case .admit, .changed, .deviceSuspended, .deviceDeactivated, .secondFactorRequired, .passwordChangeRequired,
            .recoveryUnavailable, .emailUnverified, .appInstanceUnverified, .merchant, .merchantMissing, .unmetACR:
            return nil
        }
        let command = command("reactivate")
        if account.deactivatedBy == .holder {
            let keep = self.command("keep")
            return Hindrance(
                code: .closedByHolder, reach: .account,
                text:
                    "The person closed it, and it will be erased. Until then they can keep it with the code that they got, "
                    + "or you run `\(keep)`.",
                cause: "the person closed the account", command: keep)
        }
        guard account.deactivatedBy == .failures else {
            let (code, cause): (Hindrance.Code, String) =
                switch account.deactivatedBy {
                case .directory: (.deactivatedByDirectory, "a directory (SCIM) deactivated the account")
                case .imported: (.importedDisabled, "the account was imported as disabled")
                case .operator, .holder, .failures, nil: (.deactivated, "an operator deactivated the account")
                }
            return Hindrance(
                code: code, reach: .account,
                text: "It is deactivated: no one can sign in until you run `\(command)`.",
                cause: cause, command: command)
        }
        let other =
            account.isRecoverable
            ? ", or until the person recovers it by e-mail"
            : ". Without a confirmed e-mail address the person cannot recover it"
        return Hindrance(
            code: .deactivatedByFailures, reach: .account,
            text: "It is deactivated: no one can sign in until you run `\(command)`\(other).",
            cause: "too many wrong passwords on devices that it knows deactivated the account", command: command)
    }

    private var passwordHindrance: Hindrance? {
        switch account.passwordState {
        // An account that signs in with a provider or a passkey may never have had a password.
        case .none where hasOtherWayIn: return nil
        case .none:
            let command = command("set-password")
            return Hindrance(
                code: .noPassword, reach: .account, text: "It has no password yet: run `\(command)`.",
                cause: "the account has no password yet", command: command)
        case .expired:
            return Hindrance(
                code: .passwordExpired, reach: .step,
                text: "Its password has expired: the person chooses a new one at the next sign-in.",
                cause: "a new password has to be chosen at the next sign-in, because the password has expired")
        case .current:
            guard let passwordExpiry, now >= passwordExpiry else { return nil }
            return Hindrance(
                code: .passwordExpired, reach: .step,
                text: "Its password is older than its brand allows: the person chooses a new one at the next sign-in.",
                cause: "a new password has to be chosen at the next sign-in, because the password is older than the "
                    + "brand allows")
        }
    }

    /// Second factors of which nothing delivers the code.
    private var undeliverable: Hindrance? {
        guard onNewDevice.end == .unmetACR, let second = onNewDevice.secondFactors else { return nil }
        guard !second.unreachable.isEmpty else {
            let command = command("set-password")
            return Hindrance(
                code: .noSecondFactor, reach: .unknownDevices,
                text: "The new password can be chosen only on a linked device or after a passkey, because the account "
                    + "has no other second factor. Elsewhere no one can sign in until you run `\(command)`.",
                cause: "the password has expired, and the account has no second factor to choose a new one with there",
                command: command)
        }
        let remedies: [(kind: FactorKind, channel: String, settings: String)] = [
            (.email, "e-mail", "email.smtp.host and email.from"),
            (.sms, "SMS", "sms.webhook.url or sms.twilio.account"),
        ].filter { second.unreachable.contains($0.kind) }
        guard !remedies.isEmpty else { return nil }
        let channels = remedies.map { $0.channel }.joined(separator: " or ")
        let settings = remedies.map { $0.settings }.joined(separator: ", or ")
        // An address is needed for more than its codes.
        let removal =
            remedies.map { $0.kind } == [.sms] ? ", or remove the number with `\(command("set-phone")) --remove`" : ""
        return Hindrance(
            code: .codesUndeliverable, reach: .unknownDevices,
            text: "New devices and browsers need a code by \(channels), which this server cannot send: configure "
                + "\(settings)\(removal). Linked devices can still sign in.",
            cause: "a code by \(channels) is necessary, which this server cannot send until you configure \(settings)")
    }

    private var waitOfUnknownDevices: Hindrance? {
        guard let untrusted, let until = untrusted.heldUntil else { return nil }
        let command = command("reactivate")
        return Hindrance(
            code: .wrongPasswords, reach: .unknownDevices,
            text: "Unknown devices have to wait until \(until.text) after \(Self.tries(untrusted)); known devices do "
                + "not. The wait ends by itself, and `\(command)` resets the count.",
            cause: Self.tries(untrusted), until: until, command: command)
    }

    private var waitOfKnownDevices: Hindrance? {
        guard let known, let until = known.heldUntil else { return nil }
        let command = command("reactivate")
        return Hindrance(
            code: .wrongPasswords, reach: .knownDevices,
            text: "Known devices have to wait until \(until.text) after \(Self.tries(known)). The wait ends by itself, "
                + "and `\(command)` resets the count.",
            cause: Self.tries(known), until: until, command: command)
    }

    private var lockedPIN: Hindrance? {
        guard let pin, state(of: pin) == .locked, let reason = pin.lockReason else { return nil }
        return Hindrance(
            code: .accountPINLocked, reach: .accountPIN,
            text: "Its PIN is locked \(reason.inWords): the person signs in with the password and sets a new one on "
                + "the account page.",
            cause: "it is locked \(reason.inWords), and the person sets a new one on the account page after signing in "
                + "with the password")
    }

    /// The attempts that made devices wait.
    private static func tries(_ attempts: AttemptState) -> String {
        guard attempts.unanswered > 0 else { return "\(attempts.failures) wrong passwords" }
        return "\(attempts.failures) wrong passwords and \(attempts.unanswered) attempts without an outcome"
    }

    /// The obstacle to the next sign-in on one device, if any.
    private func hindrance(of device: DeviceRecord, _ preview: SignInPreview) -> Hindrance? {
        let id = device.id.uuid
        let (code, said, verb): (Hindrance.Code, String, String)
        switch preview.end {
        case .deviceSuspended: (code, said, verb) = (.deviceSuspended, "suspended", "resume")
        case .deviceDeactivated: (code, said, verb) = (.deviceDeactivated, "deactivated", "reactivate")
        case .admit, .unknown, .deactivated, .changed, .secondFactorRequired, .passwordChangeRequired,
            .recoveryUnavailable, .emailUnverified, .appInstanceUnverified, .merchant, .merchantMissing, .unmetACR:
            guard preview.asked.contains(.appInstanceUnverified) else { return nil }
            let command = "walletauth device confirm \(id)"
            return Hindrance(
                code: .deviceAwaitsCode, reach: .device,
                text: "Its device \(id) is waiting for the code that was sent to its holder. No one can sign "
                    + "in on it until the code is entered in the app, or until you run `\(command)`.",
                cause: "the app is waiting for the code that was sent to its holder", command: command,
                device: device.id)
        }
        let isRecoverable = device.deactivatedBy == .failures && account.isRecoverable
        let other = isRecoverable ? ", or until the person recovers the password on it, after its cooling period" : ""
        let command = "walletauth device \(verb) \(id)"
        return Hindrance(
            code: code, reach: .device,
            text: "Its device \(id) is \(said): no one can sign in on it until you run `\(command)`\(other).",
            cause: device.deactivatedBy == .failures
                ? "too many wrong passwords on it deactivated it" : "an operator \(said) it",
            command: command, device: device.id)
    }
}

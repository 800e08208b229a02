internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Why a person cannot sign in: what `account explain` knows of an account, and its verdict.
struct SignInExplanation: Sendable {
    let status: AccountStatus
    /// The decisions on a sign-in on a new device to which two factors are necessary.
    let withTwoFactors: SignInPreview
    let ownFactors: AccountFactors
    let takesQuestions: Bool
    let passkeys: Int
    let providers: Int
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>
    /// The limits reached besides that of the password.
    let limits: [(limit: AccountLimit, until: Timestamp)]
    /// The wrong answers to second factors since the last right one.
    let wrongAnswers: [(limit: AccountLimit, count: Int64)]
    /// The newest first.
    let refusals: [RefusedSignIn]
    /// When the networks of the refusals may try again, with the time of the last refusal in each.
    let networks: [(refusedAt: Timestamp, until: Timestamp)]
    /// Refused attestations of apps that still keep the person from something.
    let unattested: [RefusedAttestation]
    /// The role that waits for the person to use a one-time link.
    let invitation: OperatorInvitation?
    let now: Timestamp

    /// The account in a sentence.
    var subject: String { status.names.first ?? "The account \(status.account.id.uuid)" }

    /// All of them, the worst first.
    var hindrances: [Hindrance] {
        let own = status.hindrances
        // Nothing else matters then.
        if own.first?.reach == .account { return own }
        let all =
            own + [unconfirmedEmail, pinOff, cooling].compactMap(\.self) + waits + devicePINs
            + unattested.map(\.hindrance)
        return Hindrance.Reach.allCases.flatMap { reach in all.filter { $0.reach == reach } }
    }

    private var waits: [Hindrance] {
        networks.map { network in
            Hindrance(
                code: .networkHeld, reach: .network,
                text: "Unknown devices in the network of the refusal at \(network.refusedAt.text) have to wait until "
                    + "\(network.until.text), after too many failures from there, by anyone. The wait ends by itself; "
                    + "limits.network.failures is the limit.",
                cause: "too many failures from there, by anyone", until: network.until)
        }
            + limits.map { limit, until in
                let command = status.command("reactivate")
                return Hindrance(
                    code: .limitReached, reach: limit == .recoveryMessages ? .recovery : .secondFactor,
                    text: "\(limit.inWords) until \(until.text). The wait ends by itself, and `\(command)` resets the "
                        + "count.",
                    cause: limit.cause, until: until, command: command)
            }
    }

    private var unconfirmedEmail: Hindrance? {
        guard status.onNewDevice.asked.contains(.emailUnverified) else { return nil }
        guard !undeliverable.contains(.email) else {
            // Confirming it would make a second factor of it, whose code cannot be sent either.
            return Hindrance(
                code: .emailUnconfirmed, reach: .account,
                text: "Its e-mail address is not confirmed, and this server cannot send the code that a sign-in asks "
                    + "for: configure email.smtp.host and email.from.",
                cause: "the e-mail address is not confirmed, and this server cannot send the code for it until you "
                    + "configure email.smtp.host and email.from")
        }
        let command = status.command("verify-email")
        return Hindrance(
            code: .emailUnconfirmed, reach: .step,
            text: "Its e-mail address is not confirmed: the next sign-in asks for the code that is sent there. If you "
                + "know that it is the person's, run `\(command)`; if it is wrong, use `account set-email`.",
            cause: "the code that is sent to the e-mail address has to be entered, because the address is not "
                + "confirmed", command: command)
    }

    private var pinOff: Hindrance? {
        guard let pin = status.pin, status.state(of: pin) == .off else { return nil }
        let brand = CommandLineSyntax.quoted(status.account.brandID)
        let command = "walletauth brand update \(brand) --account-pin on"
        return Hindrance(
            code: .accountPINOff, reach: .accountPIN,
            text: "Its PIN cannot be used, because the brand accepts none: the person signs in with the password, or "
                + "you run `\(command)` for all accounts of the brand.",
            cause: "the brand accepts no account PINs", command: command)
    }

    private var cooling: Hindrance? {
        guard let text = status.cooling(at: now), let until = status.account.coolingUntil else { return nil }
        return Hindrance(
            code: .cooling, reach: .changes, text: text.prefix(1).uppercased() + text.dropFirst(),
            cause: "the password was recovered by e-mail, alone or with an SMS", until: until)
    }

    private var devicePINs: [Hindrance] {
        status.devices.compactMap { device, pin -> Hindrance? in
            let id = device.id.uuid
            switch pin {
            case .unset, .active: return nil
            case .locked(let reason):
                return Hindrance(
                    code: .devicePINLocked, reach: .devicePIN,
                    text: "The PIN of device \(id) is locked \(reason.inWords): the person signs in with two factors "
                        + "and sets a new one on the device.",
                    cause: "it is locked \(reason.inWords), and the person sets a new one on the device after "
                        + "signing in with two factors", device: device.id)
            case .exhausted(let until):
                return Hindrance(
                    code: .devicePINExhausted, reach: .devicePIN,
                    text: "Device \(id) accepts no PIN until \(until.text), after thirty wrong attempts within thirty "
                        + "days. It ends by itself; the person can also enroll the device again and set a PIN.",
                    cause: "thirty wrong attempts within thirty days", until: until, device: device.id)
            }
        }
    }

    // MARK: - The verdict

    /// How far the person gets, for programs.
    enum Access: String {
        case none, limited, full
    }

    var access: Access {
        guard let worst = hindrances.first else { return .full }
        return isShutOut(by: worst) ? .none : .limited
    }

    /// An account that never signed in is known to no device.
    private func isShutOut(by hindrance: Hindrance) -> Bool {
        switch hindrance.reach {
        case .account: true
        case .unknownDevices: status.account.lastLoginAt == nil
        case .knownDevices, .network, .secondFactor, .step, .device, .accountPIN, .devicePIN, .recovery, .changes,
            .enrollment, .biometrics:
            false
        }
    }

    /// One sentence.
    var verdict: String {
        guard let worst = hindrances.first else { return allClear }
        let effect = isShutOut(by: worst) ? "cannot sign in" : worst.effect
        let next = hindrances.dropFirst().first { $0.reach == .account && worst.reach == .account }
        return "\(subject) \(effect)\(worst.ending(then: next?.command))."
    }

    private var allClear: String {
        let open =
            status.account.lastLoginAt == nil
            ? "Nothing keeps \(subject) from signing in for the first time" : "Nothing keeps \(subject) from signing in"
        // The number of wrong codes says more than the last of them.
        if let last = refusals.first, wrongAnswers.isEmpty || last.kind != FactorEvent.mismatched.rawValue {
            return "\(open); the last refusal was at \(last.at.text), by \(last.sentence)."
        }
        let failures = status.untrusted?.failures ?? 0
        guard failures > 0 else {
            guard !wrongAnswers.isEmpty else { return "\(open), and the audit log has no refusal." }
            return "\(open); since the last right one: \(wrongAnswers.map(Self.words(for:)).joined(separator: ", "))."
        }
        let passwords = failures == 1 ? "one wrong password was" : "\(failures) wrong passwords were"
        return "\(open); \(passwords) typed on unknown devices since the last right one."
    }

    /// "3 wrong codes"
    static func words(for wrong: (limit: AccountLimit, count: Int64)) -> String {
        let (one, many) = wrong.limit.wrongAnswer
        return "\(wrong.count) \(wrong.count == 1 ? one : many)"
    }
}

extension Hindrance {
    /// What does not work, as the predicate of a sentence about the account.
    fileprivate var effect: String {
        switch reach {
        case .account: "cannot sign in"
        case .unknownDevices: "cannot sign in on devices and browsers that the account does not know"
        case .knownDevices: "cannot sign in on devices that the account knows"
        case .network: "cannot sign in on unknown devices in the network of the last refusal"
        case .secondFactor: "cannot complete a second factor"
        case .step: "can sign in, but"
        case .device: "cannot sign in on device \(device?.uuid ?? "")"
        case .accountPIN: "cannot sign in with the account PIN"
        case .devicePIN: "cannot sign in with the PIN of device \(device?.uuid ?? "")"
        case .recovery: "can sign in, but not recover the password on unknown devices"
        case .changes: "can sign in, but cannot change password, factors and devices"
        case .enrollment: "can sign in, but cannot enroll a device with the app of client \(client ?? "")"
        case .biometrics: "can sign in, but cannot turn on face or fingerprint on device \(device?.uuid ?? "")"
        }
    }

    /// When it ends, and why it began.
    /// - Parameter next: the command that is necessary after its own.
    fileprivate func ending(then next: String?) -> String {
        if reach == .step { return " \(cause)" }
        switch (until, command) {
        case (let until?, let command?): return " until \(until.text): \(cause); `\(command)` ends it sooner"
        case (let until?, nil): return " until \(until.text): \(cause)"
        case (nil, let command?):
            return " until you run `\(command)`" + (next.map { " and then `\($0)`" } ?? "") + ": \(cause)"
        case (nil, nil): return ": \(cause)"
        }
    }

    var json: JSONObject {
        var json = JSONObject(strings: ["code": code.rawValue, "reach": reach.rawValue, "message": text])
        json.set("until", until?.text)
        json.set("command", command)
        json.set("deviceId", device?.uuid)
        json.set("clientId", client)
        return json
    }
}

extension AccountLimit {
    fileprivate var inWords: String {
        switch self {
        case .codes: "No code is accepted as a second factor"
        case .secretQuestions: "No answer to a secret question is accepted"
        case .recoveryCodes: "No recovery code is accepted"
        case .sentCodes: "No further code is sent as a second factor on unknown devices"
        case .recoveryMessages: "No further code is sent for a forgotten password on unknown devices"
        }
    }

    fileprivate var wrongAnswer: (one: String, many: String) {
        switch self {
        case .codes, .sentCodes, .recoveryMessages: ("wrong code", "wrong codes")
        case .secretQuestions: ("wrong answer to a secret question", "wrong answers to secret questions")
        case .recoveryCodes: ("wrong recovery code", "wrong recovery codes")
        }
    }

    fileprivate var cause: String {
        switch self {
        case .codes: "too many wrong codes"
        case .secretQuestions: "too many wrong answers to secret questions"
        case .recoveryCodes: "too many wrong recovery codes"
        case .sentCodes: "too many codes were sent"
        case .recoveryMessages: "too many codes were sent for forgotten passwords"
        }
    }
}

internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The end of a recovery: the new password, what it opens again, and what the holder is told by every way there is.
struct AccountRecovery: Sendable {
    let context: ServerContext
    let recovery: SignInPolicy.Recovery
    /// What was shown, as `amr` says it.
    let methods: [String]
    /// The enrolled device whose key took part, as it stands; `nil` for a recovery from elsewhere.
    let device: DeviceRecord?
    let now: Timestamp

    /// - Parameters:
    ///   - pending: the recovery, up to the new password.
    ///   - context: the server's.
    ///   - now: the present moment.
    /// - Returns: `nil` where it is none, or where the device whose key took part was closed by an operator or removed since:
    ///   what its key had shown counts no more.
    init?(_ pending: PendingSignIn, in context: ServerContext, now: Timestamp) async throws {
        guard let recovery = pending.recovery else { return nil }
        var device: DeviceRecord?
        if pending.factors.haveDeviceKey {
            device = try await context.database.read { connection in
                try pending.deviceID.flatMap { try Devices.find($0, on: connection) }
            }
            switch device.map(SignInPolicy.Device.State.init) {
            case .active, .closedByFailures: break
            case nil, .suspended, .deactivated, .removed: return nil
            }
        }
        self.context = context
        self.recovery = recovery
        methods = pending.amr
        self.device = device
        self.now = now
    }

    /// Sets the password and opens what failures had closed: the account, and the device whose key took part. Where the mailbox
    /// was shown alone, or with a number for SMS that lies in the same unlocked phone, the account cools: whoever took them over
    /// must not enroll a device, set a PIN or take factors away before the holder has read the other message.
    func setPassword(
        _ sealed: [UInt8], of id: UniqueID, expecting version: Int64, on connection: any SQLConnection
    ) throws -> Int64? {
        let isWeak = recovery == .mailbox || methods.contains(FactorKind.sms.authenticationMethod)
        let cooling = isWeak ? now + context.settings.devices.coolingPeriod : nil
        let raised = try Accounts.recover(
            id, to: sealed, expecting: version, asOn: device, coolingUntil: cooling, now: now, on: connection)
        if raised != nil, let reopened { try Devices.reopen(reopened.id, now: now, on: connection) }
        return raised
    }

    /// The device that it opens again: none that was enrolled lately, whose key counts for nothing yet.
    private var reopened: DeviceRecord? {
        device.flatMap { $0.closedBy == .failures && $0.coolingUntil <= now ? $0 : nil }
    }

    /// What is recorded, and the messages: by e-mail, and by SMS where there is a number, since the mailbox may be what was
    /// taken over.
    func entries(for account: AccountRecord, origin: RequestOrigin) throws -> [AuditLog.Entry] {
        let auditLog = AuditLog(context: context)
        let vault = AccountVault(context: context)
        var details = JSONObject()
        details.set("proved", recovery == .mailbox ? "mailbox" : "mailbox and factor")
        if account.closedBy == .failures { details["reopened"] = .bool(true) }
        let name = try reopened.map { device in
            try DeviceVault(context: context).shownName(of: device)
        }
        var entries = [
            try auditLog.entry(
                .recovered, account: account.id, origin: origin, now: now, details: details,
                message: .recovered(.email, opening: name), email: vault.open(account.email, .email, of: account.id))
        ]
        if account.closedBy == .failures {
            entries.append(try auditLog.entry(.reactivated, account: account.id, origin: origin, now: now))
        }
        if let reopened {
            entries.append(
                try auditLog.entry(
                    .deviceReactivated, account: account.id, client: reopened.clientID, origin: origin, now: now,
                    details: .naming(reopened.id, reason: "recovery")))
        }
        if let phone = vault.open(account.phone, .phone, of: account.id) {
            entries.append(
                try auditLog.entry(.recovered(.sms, opening: name), account: account.id, email: phone, now: now))
        }
        return entries
    }
}

extension AccountRecord {
    /// Whether the person can recover it: the code goes to a confirmed address alone.
    var isRecoverable: Bool { email != nil && emailState == .verified }

    /// Until when nothing that the account is signed in with may be changed; `nil` where it may be now. Seconds.
    func cooling(at now: Timestamp) -> Int64? {
        coolingUntil.flatMap { now < $0 ? max(1, ($0 - now).wholeSeconds) : nil }
    }
}

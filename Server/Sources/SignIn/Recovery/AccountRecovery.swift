package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// The end of a recovery: the new password, the locks it removes, and the messages to the holder on every channel.
struct AccountRecovery: Sendable {
    let recovery: SignInPolicy.Recovery
    /// The `amr` values of the factors proved.
    let methods: [String]
    /// The enrolled device whose key took part; `nil` for a recovery elsewhere.
    let device: DeviceRecord?
    /// How long a weak recovery forbids changes.
    let coolingPeriod: Duration
    let now: Timestamp

    /// - Parameter pending: the recovery, up to the new password.
    /// - Returns: `nil` if it is not a recovery, or if an operator closed or its holder removed the device whose key took part: the
    ///   proof of that key no longer counts.
    init?(
        _ pending: PendingSignIn, coolingPeriod: Duration, now: Timestamp, in database: any Database
    ) async throws {
        guard let recovery = pending.recovery else { return nil }
        var device: DeviceRecord?
        if pending.factors.haveDeviceKey {
            device = try await database.read { connection in
                try pending.deviceID.flatMap { try Devices.find($0, on: connection) }
            }
            switch device.map(SignInPolicy.Device.State.init) {
            case .active, .closedByFailures: break
            case nil, .suspended, .deactivated, .removed: return nil
            }
        }
        self.recovery = recovery
        methods = pending.amr
        self.coolingPeriod = coolingPeriod
        self.device = device
        self.now = now
    }

    /// Sets the password, and unlocks what failed attempts had locked: the account, and the device whose key took part. If only the
    /// mailbox was proved, or the mailbox and an SMS code that the same unlocked phone shows, a cooling period begins: a thief must
    /// not enroll a device, set a PIN or remove factors before the holder has read the messages.
    /// - Parameter changedAt: the time of the write.
    func setPassword(
        _ sealed: [UInt8], of id: UniqueID, expecting version: Int64, at changedAt: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int64? {
        let isWeak = recovery == .mailbox || methods.contains(FactorKind.sms.authenticationMethod)
        let cooling = isWeak ? now + coolingPeriod : nil
        let raised = try Accounts.recover(
            id, to: sealed, expecting: version, asOn: device, coolingUntil: cooling, now: changedAt, on: connection)
        if raised != nil, let reopened { try Devices.reopen(reopened.id, now: now, on: connection) }
        return raised
    }

    /// The device to unlock. Not one that was enrolled recently, whose key does not count yet.
    private var reopened: DeviceRecord? {
        device.flatMap { $0.deactivatedBy == .failures && $0.coolingUntil <= now ? $0 : nil }
    }

    /// The audit entries and messages: by e-mail, and also by SMS if there is a number, because the mailbox may be compromised.
    func entries(
        for account: AccountRecord, origin: RequestOrigin, in auditLog: AuditLog
    ) throws -> [AuditLog.Entry] {
        let vault = AccountVault(auditLog.sealing)
        var details = JSONObject()
        details.set("proved", recovery == .mailbox ? "mailbox" : "mailbox and factor")
        if account.deactivatedBy == .failures { details["reopened"] = .bool(true) }
        let name = try reopened.map { try DeviceVault(auditLog.sealing).shownName(of: $0) }
        var entries = [
            try auditLog.entry(
                RecoveryEvent.recovered, account: account.id, origin: origin, now: now, details: details,
                message: RecoveryMessage.recovered(.email, opening: name),
                email: vault.email(of: account))
        ]
        if account.deactivatedBy == .failures {
            entries.append(try auditLog.entry(AccountEvent.reactivated, account: account.id, origin: origin, now: now))
        }
        if let reopened {
            entries.append(
                try auditLog.entry(
                    DeviceEvent.reactivated, account: account.id, client: reopened.clientID, origin: origin, now: now,
                    details: .naming(reopened.id, reason: "recovery")))
        }
        if let phone = vault.open(account.phone, .phone, of: account.id) {
            entries.append(
                try auditLog.entry(
                    RecoveryMessage.recovered(.sms, opening: name), account: account.id, email: phone, now: now))
        }
        return entries
    }
}

extension Accounts {
    /// Sets a new password after a recovery, voids every earlier sign-in, and opens the account if failures had closed
    /// it. An account that an operator closed stays closed.
    /// - Parameters:
    ///   - sealed: the new sealed hash.
    ///   - expected: the security version that the recovery was based on; any other refuses it.
    ///   - device: the device whose key took part, as read for the decision. If an operator has closed it or its holder
    ///     has removed it since, the recovery is refused.
    ///   - cooling: until then no credential of the account may be changed; `nil` keeps the present value.
    ///   - now: the time of the write, as for a change of the password.
    /// - Returns: the new security version, or `nil` if the account cannot be recovered at the expected version.
    package static func recover(
        _ id: UniqueID, to sealed: [UInt8], expecting expected: Int64, asOn device: DeviceRecord?,
        coolingUntil cooling: Timestamp?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int64? {
        try connection.row(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = \(changeOfPassword),
                password_checked_at = NULL, state = 'active', deactivated_by = NULL,
                cooling_until = COALESCE($5, cooling_until), security_version = security_version + 1,
                attempts_version = attempts_version + 1
            WHERE id = $1 AND security_version = $3
                AND (state = 'active' OR (state = 'deactivated' AND deactivated_by = 'failures'))
                AND (EXISTS (SELECT 1 FROM devices d WHERE d.id = $6 AND d.account_id = $1
                    AND d.state = $7 AND COALESCE(d.deactivated_by, '') = COALESCE($8, '')) OR $6 IS NULL)
            RETURNING security_version
            """,
            [
                .id(id), .blob(sealed), .integer(expected), .time(now), .time(cooling), .id(device?.id),
                .optional(device?.state.rawValue), .optional(device?.deactivatedBy?.rawValue),
            ])?.integer("security_version")
    }
}

package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Writes a new e-mail address or phone number, entered by its holder with a code, or by an operator.
///
/// No app's session ends, because neither is presented to sign in; other browsers than the holder's own sign in again. Whatever was sent to
/// the old one stops counting in the same write.
package struct ContactUpdate: Sendable {
    let auditLog: AuditLog
    let keyRing: KeyRing
    let dependents: [any DependentRows]
    /// Second factors by messages that are not sent.
    let undeliverable: Set<FactorKind>

    package init(
        auditLog: AuditLog, keyRing: KeyRing, dependents: [any DependentRows], undeliverable: Set<FactorKind>
    ) {
        self.auditLog = auditLog
        self.keyRing = keyRing
        self.dependents = dependents
        self.undeliverable = undeliverable
    }

    private var vault: AccountVault { AccountVault(auditLog.sealing) }

    /// Replaces or removes the e-mail address.
    /// - Parameters:
    ///   - old: the account that the change is based on; another address in the row refuses it.
    ///   - new: with the new address and its state.
    /// - Returns: whether it was written.
    package func writeEmail(
        from old: AccountRecord, to new: AccountRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let digests = try digests(of: new, on: connection)
        guard try ConfirmedEmail(auditLog).set(from: old, to: new, digests: digests, now: now, on: connection) else {
            return false
        }
        if new.email != nil { try FederatedIdentities.presumeAddressAsserted(of: old.id, on: connection) }
        for rows in dependents { try rows.emailChanged(of: old.id, on: connection) }
        // A repeated confirmation must not answer for an address that is gone.
        if new.email == nil { try ContactChanges.remove(of: new.id, over: .email, on: connection) }
        try voidSentCodes(of: old.id, on: connection)
        return true
    }

    /// Replaces or removes the phone number.
    /// - Parameters:
    ///   - old: the account that the change is based on; another number or profile in the row refuses it.
    ///   - new: with the new number, and the profile that says whether it is confirmed.
    /// - Returns: whether it was written.
    package func writePhone(
        from old: AccountRecord, to new: AccountRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard
            try Accounts.setPhone(
                from: old, to: new.phone, profile: new.profile, digests: try self.digests(of: new, on: connection),
                on: connection)
        else { return false }
        let number = vault.open(new.phone, .phone, of: new.id)
        let digest = try number.map { try PhoneDigest.make($0, brand: new.brandID, under: keyRing) }
        let digests = number.map { PhoneDigest.all($0, brand: new.brandID, now: now, under: keyRing) } ?? []
        // One-time passwords for guests lead to the account that has the number: no other is found by it.
        for rows in dependents {
            let others = try rows.phoneChanged(of: new.id, to: digest, found: digests, on: connection)
            for other in others {
                try auditLog.entry(AccountEvent.phoneReleased, account: other, now: now).write(on: connection)
            }
        }
        // As for an address.
        if new.phone == nil { try ContactChanges.remove(of: new.id, over: .sms, on: connection) }
        try voidSentCodes(of: old.id, on: connection)
        return true
    }

    private func digests(of account: AccountRecord, on connection: any SQLConnection) throws -> AccountDigests {
        let names = try Accounts.names(of: account.id, on: connection).compactMap { try? Username($0) }
        return try AccountDigests(of: account, names: names, sealing: auditLog.sealing)
    }

    /// Ends what a code sent to the old address or number may still prove: recoveries, second factors, and by the security version
    /// every sign-in in progress. Consents void their own. What one has proved for a consent in its few minutes stays.
    private func voidSentCodes(of account: UniqueID, on connection: any SQLConnection) throws {
        try Recoveries.endAll(of: account, on: connection)
        try OpenFactors.endAll(of: account, on: connection)
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
    }

    /// The audit entry, which holds no address and says whether the account had one, and a message to each address and number that the
    /// account had or has.
    /// - Parameters:
    ///   - kind: e-mail for the address, SMS for the number.
    ///   - isVerified: whether the new one is known to be the holder's.
    ///   - client: through which the holder changed it; `nil` for an operator's change, as `origin`.
    package func entries(
        of kind: FactorKind, _ isVerified: Bool, from old: AccountRecord, to new: AccountRecord,
        client: String? = nil, origin: RequestOrigin? = nil, now: Timestamp
    ) throws -> [AuditLog.Entry] {
        let (id, isRemoved) = (old.id, new.sealed(kind) == nil)
        let (event, message): (AccountEvent, ContactMessage.Kind) =
            switch (kind, isRemoved) {
            case (.email, false): (.emailChanged, .emailChanged)
            case (.email, true): (.emailRemoved, .emailRemoved)
            case (_, false): (.phoneChanged, .phoneChanged)
            case (_, true): (.phoneRemoved, .phoneRemoved)
            }
        var details = JSONObject()
        if !isRemoved {
            details["verified"] = .bool(isVerified)
            if old.sealed(kind) == nil { details[ActivityDetailText.first] = .bool(true) }
        }
        return [
            try auditLog.entry(event, account: id, client: client, origin: origin, now: now, details: details)
        ] + (try notices(message, on: id, to: old, new, now: now))
    }

    /// A message about an account to each address and number of accounts.
    package func notices(
        _ message: ContactMessage.Kind, on id: UniqueID, to old: AccountRecord, _ new: AccountRecord, now: Timestamp
    ) throws -> [AuditLog.Entry] {
        var entries: [AuditLog.Entry] = []
        for (channel, addresses) in [(OutboxChannel.email, emails(old, new)), (.sms, numbers(old, new))] {
            for (index, address) in addresses.enumerated() where !addresses[..<index].contains(address) {
                entries.append(
                    try auditLog.entry(ContactMessage(message, over: channel), account: id, email: address, now: now))
            }
        }
        return entries
    }

    private func emails(_ accounts: AccountRecord...) -> [String] { accounts.compactMap(vault.email) }

    private func numbers(_ accounts: AccountRecord...) -> [String] {
        guard !undeliverable.contains(.sms) else { return [] }
        return accounts.compactMap { vault.open($0.phone, .phone, of: $0.id) }
    }
}

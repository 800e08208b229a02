package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// Confirms an installation of the app with a code, if the client requires it: sent to the holder's mailbox or phone, typed on
/// the device.
///
/// Nothing is stored, as with codes by e-mail: a code is the MAC of the device, the address and a time span.
package struct InstanceCodes: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let mail: EmailCodes

    /// Sends a code to the account's address.
    package func send(
        to account: AccountRecord, device: DeviceRecord, now: Timestamp
    ) async throws -> EmailCodes.SendOutcome {
        let email = AccountVault(sealing).open(account.email, .email, of: account.id)
        let code = codes(for: device, sentTo: account).code(at: now, key: try sealing.keyRing.active(.signIn))
        let entry =
            try auditLog
            .entry(DeviceMessage.instanceCode(code), account: account.id, email: email, now: now)
        return
            try await mail
            .post(entry, countedUnder: subject("instance-sending", device.id), now: now)
    }

    package enum Outcome: Sendable, Hashable {
        case confirmed
        case wrong
        case tooManyAttempts(retryAfter: Int64)
    }

    /// Confirms the installation if the code is right.
    package func confirm(
        _ code: OneTimeCode, device: DeviceRecord, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        // Text that cannot be a code is not compared and costs no try.
        guard TypedCode.isPossible(code.reveal(), digits: CodeDigits.sent) else { return .wrong }
        let subject = try subject("instance-code", device.id)
        let keys = sealing.keyRing.keys(.signIn, at: now)
        let entry = try auditLog.entry(
            DeviceEvent.verified, account: device.accountID, client: device.clientID, origin: origin, now: now,
            details: .naming(device.id))
        // One write, so that every charged try has an outcome.
        return try await database.write { connection in
            if case .refuse(let until) = try Attempts.reserve(
                subject, under: EmailCodes.trying, now: now, on: connection)
            {
                return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            // A code that went to a former address is wrong.
            guard let account = try Accounts.find(device.accountID, on: connection),
                codes(for: device, sentTo: account).isRight(code.reveal(), at: now, keys: keys)
            else {
                try Attempts.fail(subject, on: connection)
                return .wrong
            }
            try Attempts.succeed(subject, on: connection)
            guard try Devices.verifyInstance(device.id, of: device.accountID, on: connection) else { return .wrong }
            try entry.write(on: connection)
            return .confirmed
        }
    }

    private func codes(for device: DeviceRecord, sentTo account: AccountRecord) -> SixDigits {
        SixDigits(
            parts: ["instance-code", device.id.uuid, Base64URL.encode(account.email ?? [])], span: EmailCodes.span)
    }

    private func subject(_ label: String, _ device: UniqueID) throws -> [UInt8] {
        Digests.keyed(label, [device.uuid], key: try sealing.keyRing.active(.attempts))
    }
}

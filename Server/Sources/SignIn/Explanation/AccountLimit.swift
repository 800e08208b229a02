package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// A limit of an account besides those of its password: the counters that refuse, read or reset without charging them.
package enum AccountLimit: String, Sendable, Hashable, CaseIterable {
    /// Wrong codes, from an authenticator app or a message.
    case codes
    case secretQuestions
    case recoveryCodes
    /// Codes sent as a second factor to devices that the account does not know.
    case sentCodes
    /// Messages of a recovery on devices that the account does not know.
    case recoveryMessages

    private func counter(of account: UniqueID, key: DataKey) -> [UInt8] {
        switch self {
        case .codes: FactorAttempts.counter(of: account, .totp, key: key)
        case .secretQuestions: FactorAttempts.counter(of: account, .secretQuestion, key: key)
        case .recoveryCodes: FactorAttempts.counter(of: account, .recoveryCode, key: key)
        case .sentCodes: FactorPrompts.sendingCounter(of: account, key: key)
        case .recoveryMessages: PasswordRecovery.messageCounter(of: account, key: key)
        }
    }

    /// The limits that an account has reached, and when each ends.
    package static func reached(
        by account: UniqueID, keyRing: KeyRing, now: Timestamp, on connection: any SQLConnection
    ) throws -> [(limit: AccountLimit, until: Timestamp)] {
        let key = try keyRing.active(.attempts)
        return try allCases.compactMap { limit in
            let state = try Attempts.state(limit.counter(of: account, key: key), now: now, on: connection)
            return state?.heldUntil.map { (limit, $0) }
        }
    }

    /// The wrong answers to second factors that count against an account, also below the limit.
    package static func wrongAnswers(
        of account: UniqueID, keyRing: KeyRing, now: Timestamp, on connection: any SQLConnection
    ) throws -> [(limit: AccountLimit, count: Int64)] {
        let key = try keyRing.active(.attempts)
        return try [AccountLimit.codes, .secretQuestions, .recoveryCodes].compactMap { limit in
            let state = try Attempts.state(limit.counter(of: account, key: key), now: now, on: connection)
            return state.flatMap { $0.failures > 0 ? (limit, $0.failures) : nil }
        }
    }

    /// Resets the counters of an account.
    /// - Returns: whether any of them counted anything.
    fileprivate static func reset(
        _ account: UniqueID, key: DataKey, on connection: any SQLConnection
    ) throws -> Bool {
        try allCases.reduce(false) { isReset, limit in
            try Attempts.clear(limit.counter(of: account, key: key), on: connection) || isReset
        }
    }
}

extension PasswordVerification {
    /// Resets what an account counts on all devices together and on each of its enrolled ones. The counters that it shares with others,
    /// of networks, stay.
    /// - Returns: whether anything was counted.
    package func resetCounters(
        of account: AccountRecord, devices: [DeviceRecord], keyRing: KeyRing, on connection: any SQLConnection
    ) throws -> Bool {
        let passwords =
            try [untrustedDevices(at: account), knownDevices(of: account)]
            + devices.map { try counter(of: $0, account: account) }
        let isAnyReset = try passwords.reduce(false) { try Attempts.clear($1, on: connection) || $0 }
        return try AccountLimit.reset(account.id, key: keyRing.active(.attempts), on: connection) || isAnyReset
    }
}

extension PasswordVerification {
    /// When devices that an account does not know may try a password again in the networks of an address; `nil` for now.
    package func networkHeldUntil(
        _ address: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try addresses.counters(of: RequestOrigin(address: address), now: now).heldUntil(now: now, on: connection)
    }
}

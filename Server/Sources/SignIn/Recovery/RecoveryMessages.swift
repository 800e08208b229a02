package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The events of account recovery in the audit log.
package enum RecoveryEvent: String, SecurityEventKind, CaseIterable {
    case proved = "account.recovery_proved"
    case failed = "account.recovery_failed"
    /// The code was right, and the account has more than its mailbox.
    case refused = "account.recovery_refused"
    case recovered = "account.recovered"
}

/// The messages of a recovery. Each names its channel: most go over every channel that the account has.
package enum RecoveryMessage: SecurityMessage {
    /// The code of a recovery; the channel is `none` if there is no recipient.
    case code(String, OutboxChannel)
    /// There is no password to recover. The message names the providers that the account signs in with.
    case noPassword
    /// There is no password to recover. A passkey alone signs in to the account.
    case byPasskey
    /// Several accounts confirmed the address. The message names their user names.
    case sharedAddress
    /// The password was reset by recovery; sent over every available channel.
    /// - `opening`: the device that the recovery unlocks after it was locked by failed attempts.
    case recovered(OutboxChannel, opening: DeviceName?)
    /// A recovery code was right, but the further proof was not.
    case stopped(OutboxChannel)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "password_recovery_code"
        case noPassword = "password_recovery_without_password"
        case byPasskey = "password_recovery_by_passkey"
        case sharedAddress = "password_recovery_shared_address"
        case recovered = "password_recovered"
        case recoveredOnDevice = "password_recovered_device_opened"
        case stopped = "recovery_stopped"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .noPassword: .noPassword
        case .byPasskey: .byPasskey
        case .sharedAddress: .sharedAddress
        case .recovered(_, opening: nil): .recovered
        case .recovered: .recoveredOnDevice
        case .stopped: .stopped
        }
    }

    package var channel: OutboxChannel? {
        switch self {
        case .code(_, let channel), .recovered(let channel, _), .stopped(let channel): channel
        case .noPassword, .byPasskey, .sharedAddress: .email
        }
    }

    package var lifetime: Duration {
        switch kind {
        // Someone waits for the message, or no one does.
        case .code, .noPassword, .byPasskey, .sharedAddress: PasswordRecovery.lifetime
        case .recovered, .recoveredOnDevice, .stopped: Self.noticeLifetime
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .code(let code, _): ["code": code]
        case .recovered(_, let name?): ["device": name.rawValue]
        case .noPassword, .byPasskey, .sharedAddress, .recovered, .stopped: [:]
        }
    }
}

extension RecoveryMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code: MessageTemplate(advice: .recoveryCode)
        case .noPassword: MessageTemplate(advice: .ignore, reading: Self.providers)
        case .byPasskey: MessageTemplate(advice: .ignore)
        case .sharedAddress: MessageTemplate(advice: .ignore, reading: Self.names)
        case .recovered, .recoveredOnDevice: MessageTemplate(advice: .protect)
        case .stopped: MessageTemplate(advice: .ask)
        }
    }

    /// The names of the providers that an account signs in with.
    private static func providers(
        of account: AccountRecord, _ vendors: ProviderVendors, on connection: any SQLConnection
    ) throws -> [String: String]? {
        let names = try FederatedIdentities.list(of: account.id, on: connection).map { identity in
            // One whose row is damaged, or was removed a moment ago, has its id still.
            try IdentityProviders.find(identity.providerID, brand: identity.brandID, on: connection).flatMap {
                try? IdentityProvider($0, secret: nil, vendors: vendors).shownName
            } ?? identity.providerID
        }
        return names.isEmpty ? nil : ["providers": Set(names).sorted().joined(separator: ", ")]
    }

    /// The user names of the accounts that confirmed the address.
    private static func names(
        of account: AccountRecord, _ vendors: ProviderVendors, on connection: any SQLConnection
    ) throws -> [String: String]? {
        let names = try AccountDigests.namesSharingEmail(of: account.id, on: connection)
        return names.isEmpty ? nil : ["usernames": names.joined(separator: ", ")]
    }
}

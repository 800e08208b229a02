package import AuthCore
package import AuthStore
internal import Foundation
package import WalletAuthWire

/// A kind of event in the audit log. Each flow declares its own.
package protocol SecurityEventKind: Sendable {
    /// A noun, a dot and a participle.
    var rawValue: String { get }
}

/// The record of changes to accounts, for holders and auditors. An entry is written in the transaction of the change, together
/// with the message to the holder, if there is one.
package struct AuditLog: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The events of the flows in this target.
    package enum Event: String, SecurityEventKind, CaseIterable {
        case refreshReuse = "session.refresh_reuse"
        case codeReuse = "session.code_reuse"
        case signedIn = "account.signed_in"
        case loginNonceIssued = "login_nonce.issued"
        case identityLinked = "identity.linked"
        case identityUnlinked = "identity.unlinked"
        case providerChanged = "provider.changed"
        case signInFailures = "account.sign_in_failures"
        case signedOut = "session.signed_out"
        case deactivated = "account.deactivated"
        case reactivated = "account.reactivated"
        case passwordChanged = "account.password_changed"
        case passwordExpired = "account.password_expired"
        case recoveryProved = "account.recovery_proved"
        case recoveryFailed = "account.recovery_failed"
        case recovered = "account.recovered"
        case emailVerified = "account.email_verified"
        case profileChanged = "account.profile_changed"
        case deviceEnrolled = "device.enrolled"
        case deviceVerified = "device.verified"
        case deviceSuspended = "device.suspended"
        case deviceResumed = "device.resumed"
        case deviceDeactivated = "device.deactivated"
        case deviceReactivated = "device.reactivated"
        case deviceRemoved = "device.removed"
        case deviceRenamed = "device.renamed"
        case secretQuestionAnswered = "factor.secret_question_answered"
        case recoveryCodeUsed = "factor.recovery_code_used"
        case secondFactorFailed = "factor.failed"
        case secondFactorHeld = "factor.held"
        case totpAdded = "factor.totp_added"
        case totpRemoved = "factor.totp_removed"
        case recoveryCodesMade = "factor.recovery_codes_made"
        case recoveryCodesVoided = "factor.recovery_codes_voided"
        case secretQuestionsSet = "factor.secret_questions_set"
        case passkeyAdded = "passkey.added"
        case passkeyRenamed = "passkey.renamed"
        case passkeyRemoved = "passkey.removed"
        case passkeyCounterBehind = "passkey.counter_behind"
        case deviceTokenIssued = "device_token.issued"
        case deviceTokenExpired = "device_token.expired"
        case deviceTokenDeclined = "device_token.declined"
        case pinSet = "pin.set"
        case pinChanged = "pin.changed"
        case pinLocked = "pin.locked"
        case pinExhausted = "pin.exhausted"
        case pinForgotten = "pin.forgotten"
        case accountPINSet = "account_pin.set"
        case accountPINChanged = "account_pin.changed"
        case accountPINLocked = "account_pin.locked"
        case accountPINRemoved = "account_pin.removed"
        case biometricKeyAdded = "biometric_key.added"
        case biometricKeyRemoved = "biometric_key.removed"
        case operationRequested = "operation.sca_required"
        case operationExempted = "operation.exempted"
        case operationVerified = "operation.verified"
        case operationLocked = "operation.locked"
        case operationCancelled = "operation.cancelled"
        case operationRefused = "operation.refused"
        case operationAuthorized = "operation.authorized"
        case clientConsentGranted = "client_consent.granted"
        case clientConsentWithdrawn = "client_consent.withdrawn"
        case created = "account.created"
        case erased = "account.erased"
        case exported = "account.exported"
        case clientCreated = "client.created"
        case clientChanged = "client.changed"
        case clientDeleted = "client.deleted"
        case merchantChanged = "merchant.changed"
        case keysRotated = "keys.rotated"
        case issuerChanged = "issuer.changed"
        case auditBegan = "audit.began"
        case databaseRestored = "database.restored"
    }

    /// Messages to the holder, named as their templates.
    package enum Message: Sendable {
        case refreshReuse
        case codeReuse
        case deactivated
        case passwordChanged
        /// The password is known to others, and a new one is required.
        case passwordExpired
        case emailCode(String)
        case instanceCode(String)
        /// A code as second factor.
        case secondFactorCode(String, channel: String)
        /// The code of a recovery; the channel is `none` if there is no recipient.
        case passwordRecoveryCode(String, OutboxChannel)
        /// The password was reset by recovery; sent over every available channel.
        /// - `opening`: the device that the recovery unlocks after it was locked by failed attempts.
        case recovered(OutboxChannel, opening: DeviceName?)
        /// A recovery code was right, but the further proof was not.
        case recoveryStopped(OutboxChannel)
        /// A sign-in from a new device, by an answer to a secret question.
        case newDevice
        case recoveryCodeUsed
        /// The password was right, but every try of the second factor was wrong.
        case secondFactorFailed
        case totpAdded
        case totpRemoved
        case recoveryCodesMade
        /// The database was restored from a copy in which spent codes may be valid again.
        case recoveryCodesVoided
        case secretQuestionsSet
        case passkeyAdded(DeviceName)
        case passkeyRemoved(DeviceName)
        /// A passkey's signature counter went back.
        case passkeyCopied(DeviceName)
        /// An identity at another provider was linked or unlinked.
        case identityJoined
        case identityLeft
        /// The provider reports that the person withdrew consent, or closed their account there.
        case identitySuspended(service: String)
        case identityRemoved(service: String)
        case deviceEnrolled(DeviceName)
        case deviceDeactivated(DeviceName)
        /// Deactivated by too many wrong passwords on it; the holder can unlock it.
        case deviceClosed(DeviceName)
        case deviceRemoved(DeviceName)
        case deviceTokenIssued(DeviceName)
        case pinSet(DeviceName)
        case pinLocked(DeviceName)
        case pinForgotten(DeviceName)
        /// The account PIN, not a device's; it authorizes no payment until this time.
        case accountPINSet(coolingUntil: Timestamp)
        case accountPINLocked
        case accountPINRemoved
        case biometricKeyAdded(DeviceName)
        case biometricKeyRemoved(DeviceName)
        /// A code for consent to the operation that the message describes.
        case consentCode(String, for: WalletOperation, by: SCAChannel)
        /// Too many wrong values for an operation.
        case consentLocked
        /// The holder reported that they did not request the operation that the message describes.
        case consentRefused(WalletOperation)

        var kind: MessageKind {
            switch self {
            case .refreshReuse: .refreshReuse
            case .codeReuse: .codeReuse
            case .deactivated: .deactivated
            case .passwordChanged: .passwordChanged
            case .passwordExpired: .passwordExpired
            case .emailCode: .emailCode
            case .instanceCode: .instanceCode
            case .secondFactorCode: .secondFactorCode
            case .passwordRecoveryCode: .passwordRecoveryCode
            case .recovered(_, opening: nil): .recovered
            case .recovered: .recoveredOnDevice
            case .recoveryStopped: .recoveryStopped
            case .newDevice: .newDevice
            case .recoveryCodeUsed: .recoveryCodeUsed
            case .secondFactorFailed: .secondFactorFailed
            case .totpAdded: .totpAdded
            case .totpRemoved: .totpRemoved
            case .recoveryCodesMade: .recoveryCodesMade
            case .recoveryCodesVoided: .recoveryCodesVoided
            case .secretQuestionsSet: .secretQuestionsSet
            case .passkeyAdded: .passkeyAdded
            case .passkeyRemoved: .passkeyRemoved
            case .passkeyCopied: .passkeyCopied
            case .identityJoined: .identityJoined
            case .identityLeft: .identityLeft
            case .identitySuspended: .identitySuspended
            case .identityRemoved: .identityRemoved
            case .deviceEnrolled: .deviceEnrolled
            case .deviceDeactivated: .deviceDeactivated
            case .deviceClosed: .deviceClosed
            case .deviceRemoved: .deviceRemoved
            case .deviceTokenIssued: .deviceTokenIssued
            case .pinSet: .pinSet
            case .pinLocked: .pinLocked
            case .pinForgotten: .pinForgotten
            case .accountPINSet: .accountPINSet
            case .accountPINLocked: .accountPINLocked
            case .accountPINRemoved: .accountPINRemoved
            case .biometricKeyAdded: .biometricKeyAdded
            case .biometricKeyRemoved: .biometricKeyRemoved
            case .consentCode: .consentCode
            case .consentLocked: .consentLocked
            case .consentRefused: .consentRefused
            }
        }

        /// The required channel of a code; `nil` for a notice, which goes to any address of the account.
        var channel: OutboxChannel? {
            switch self {
            case .emailCode, .instanceCode: .email
            case .secondFactorCode(_, let channel): channel == FactorKind.sms.channel ? .sms : .email
            case .passwordRecoveryCode(_, let channel), .recovered(let channel, _), .recoveryStopped(let channel):
                channel
            case .consentCode(_, _, let channel): channel == .sms ? .sms : .email
            default: nil
            }
        }
    }

    private static let keptUserAgentScalars = 256

    /// After this time a message is useless.
    private static let messageLifetime = Duration.days(7)

    /// An event, optionally with a message.
    func entry(
        _ event: Event, account: UniqueID, client: String? = nil, origin: RequestOrigin? = nil,
        properties: [String: String] = [:], now: Timestamp, details: JSONObject = JSONObject(),
        message: Message? = nil, email: String? = nil
    ) throws -> Entry {
        try entry(
            of: event, account: account, client: client, origin: origin, properties: properties, now: now,
            details: details, message: message, email: email)
    }

    /// An event of any flow, optionally with a message.
    package func entry(
        of kind: some SecurityEventKind, account: UniqueID, client: String? = nil, origin: RequestOrigin? = nil,
        properties: [String: String] = [:], now: Timestamp, details: JSONObject = JSONObject(),
        message: Message? = nil, email: String? = nil
    ) throws -> Entry {
        var details = details
        details.set("address", origin?.address)
        // Enough to recognize one's own browser; the header may be kilobytes of anything.
        details.set("user_agent", origin?.userAgent.map { String($0.unicodeScalars.prefix(Self.keptUserAgentScalars)) })
        details.set("trace_id", origin?.traceID)
        if !properties.isEmpty { details["properties"] = .object(JSONObject(strings: properties)) }
        let record = SecurityEvent(
            id: try context.timeOrderedID(now), accountID: account, clientID: client, kind: kind.rawValue,
            occurredAt: now, details: String(decoding: details.bytes, as: UTF8.self))
        return Entry(
            event: try chained(record),
            message: try message.map { try sealed($0, account: account, email: email, now: now) })
    }

    /// An operator's change that concerns no single account.
    func administration(
        _ event: Event, client: String? = nil, details: JSONObject = JSONObject(), now: Timestamp
    ) throws -> Entry {
        try administration(of: event, client: client, details: details, now: now)
    }

    /// An event of any flow that concerns no single account.
    package func administration(
        of kind: some SecurityEventKind, client: String? = nil, details: JSONObject = JSONObject(), now: Timestamp
    ) throws -> Entry {
        let record = SecurityEvent(
            id: try context.timeOrderedID(now), accountID: nil, clientID: client, kind: kind.rawValue,
            occurredAt: now, details: String(decoding: details.bytes, as: UTF8.self))
        return Entry(event: try chained(record), message: nil)
    }

    private func chained(_ record: SecurityEvent) throws -> ChainedEvent {
        ChainedEvent(
            record: record, salt: context.random.bytes(AuditEntry.saltLength), key: try context.keyRing.active(.audit))
    }

    /// A message without an event.
    /// - Parameter dueAt: not sent before; `nil` for at once.
    func entry(
        _ message: Message, account: UniqueID?, email: String?, dueAt: Timestamp? = nil, now: Timestamp
    ) throws -> Entry {
        Entry(event: nil, message: try sealed(message, account: account, email: email, dueAt: dueAt, now: now))
    }

    private func sealed(
        _ message: Message, account: UniqueID?, email: String?, dueAt: Timestamp? = nil, now: Timestamp
    ) throws -> OutboxMessage {
        let id = try context.timeOrderedID(now)
        var content = JSONObject()
        content.set("to", email)
        var lifetime = Self.messageLifetime
        switch message {
        case .emailCode(let code), .instanceCode(let code):
            content.set("code", code)
            lifetime = EmailCodes.lifetime
        case .secondFactorCode(let code, let channel):
            content.set("code", code)
            content.set("channel", channel)
            lifetime = FactorCodes.lifetime
        case .passwordRecoveryCode(let code, _):
            content.set("code", code)
            lifetime = PasswordRecovery.lifetime
        case .consentCode(let code, let operation, _):
            content.set("code", code)
            content.name(operation)
            lifetime = FactorCodes.lifetime
        case .consentRefused(let operation): content.name(operation)
        case .accountPINSet(let cooling): if now < cooling { content.set("cooling", cooling.toTheMinute) }
        case .recovered(_, let name): content.set("device", name)
        case .identitySuspended(let service), .identityRemoved(let service): content.set("service", service)
        case .deviceEnrolled(let name), .deviceDeactivated(let name), .deviceClosed(let name), .deviceRemoved(let name),
            .pinSet(let name), .pinLocked(let name), .pinForgotten(let name), .biometricKeyAdded(let name),
            .biometricKeyRemoved(let name), .deviceTokenIssued(let name), .passkeyAdded(let name),
            .passkeyRemoved(let name), .passkeyCopied(let name):
            content.set("device", name)
        case .refreshReuse, .codeReuse, .deactivated, .passwordChanged, .passwordExpired, .recoveryStopped, .newDevice,
            .recoveryCodeUsed, .secondFactorFailed, .totpAdded,
            .totpRemoved, .recoveryCodesMade, .recoveryCodesVoided, .secretQuestionsSet, .identityJoined, .identityLeft,
            .consentLocked,
            .accountPINLocked, .accountPINRemoved:
            break
        }
        let record = OutboxRecord(
            id: id, accountID: account, kind: message.kind.rawValue,
            sealed: try context.seal(content.bytes, for: .outbox, context: Self.context(id)), createdAt: now,
            dueAt: dueAt ?? now, expiresAt: now + lifetime)
        return OutboxMessage(record: record, channel: message.channel, activity: context.outbox)
    }

    static func context(_ id: UniqueID) -> String { "outbox|sealed|\(id.uuid)" }
}

extension JSONObject {
    /// Describes an operation in a message.
    fileprivate mutating func name(_ operation: WalletOperation) {
        set("type", operation.type)
        set("amount", operation.amount?.words)
        set("payee", operation.payee?.name)
        set("payee_account", operation.payee?.account)
    }

    /// The details of an event about a device: which one, and the reason if the event does not imply it.
    static func naming(_ device: UniqueID, reason: String? = nil) -> JSONObject {
        var details = JSONObject()
        details.set("device", device.uuid)
        details.set("reason", reason)
        return details
    }
}

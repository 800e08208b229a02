internal import Consent
internal import Kernel
internal import SignIn
internal import Tokens

/// The events of operators' changes that concern no single account.
package enum AdministrationEvent: String, SecurityEventKind, CaseIterable {
    case accountsImported = "accounts.imported"
    case clientCreated = "client.created"
    case clientChanged = "client.changed"
    case clientSecretRotated = "client.secret_rotated"
    case clientDeleted = "client.deleted"
    case brandCreated = "brand.created"
    case brandChanged = "brand.changed"
    case merchantCreated = "merchant.created"
    case merchantChanged = "merchant.changed"
    case providerChanged = "provider.changed"
    case keysRotated = "keys.rotated"
    case keysRevoked = "keys.revoked"
    case masterKeyRotated = "master_key.rotated"
    case messageRetried = "message.retried"
    case webhookAdded = "webhook.added"
    case webhookRemoved = "webhook.removed"
    case webhookSecretRotated = "webhook.secret_rotated"
    case webhookTested = "webhook.tested"
    case webhookReplayed = "webhook.replayed"
    case webhookDisabled = "webhook.disabled"
    case issuerChanged = "issuer.changed"
    case databaseRestored = "database.restored"
    case clockAccepted = "clock.accepted"
    case evidenceRead = "evidence.read"
}

extension Administration {
    /// The events of the features below. Those of targets above name theirs in ``AdministeredFlow/eventKinds``.
    static let eventKinds: [any SecurityEventKind] =
        SignInFeatures.events + TokenFeature.events + ConsentFeature.events + AdministrationEvent.allCases
        + AuditEvent.allCases + OperatorEvent.allCases + OperatorSessionEvent.allCases
}

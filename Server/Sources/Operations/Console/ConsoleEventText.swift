internal import Core

/// What happened, in sentences for operators, where the activity's text speaks to the person or there is none. A case has the name of its
/// kind of event: `account.signed_in` is ``accountSignedIn``.
enum ConsoleEventText: String, TextKey {
    static let section = "consoleEvents"

    case accountFailuresReset, accountErased, accountMerged, accountSignedIn, accountClosed, accountExported,
        accountProfileChanged, accountLanguageChanged, accountsImported, accountRecoveryProved, accountPhoneReleased,
        accountPasswordAdopted, accountCodeUndeliverable
    case clientCreated, clientChanged, clientSecretRotated, clientDeleted
    case sessionEndedByOperator, sessionAllEndedByOperator, sessionSignedOut, sessionCodeReuse, sessionLimitReached,
        sessionForeignTokenExchanged, sessionDetailsGranted
    case deviceVerified, devicePushSet, devicePushRemoved, deviceAttestationRefused, deviceTokenExpired,
        deviceTokenDeclined
    case operatorGranted, operatorRevoked, operatorInvited
    case operationVerified, operationRefused, operationScaRequired, operationExempted, operationLocked,
        operationCancelled, operationAuthorized
    case transactionSigned, transactionRejected, transactionCreated, transactionClaimed, transactionConfirmed,
        transactionFailed, transactionCancelled
    case scanSignInApproved, scanSignInClaimed, scanSignInMismatched, scanSignInOpened, scanSignInRejected,
        scanSignInFailed
    case deviceGrantApproved, deviceGrantDenied, deviceGrantRedeemed, backchannelSignInRedeemed
    case factorMismatched, factorHeld, factorRecoveryCodesVoided, factorSecretQuestionAnswered
    case brandCreated, brandChanged
    case merchantCreated, merchantChanged
    case webhookAdded, webhookRemoved, webhookSecretRotated, webhookTested, webhookReplayed, webhookDisabled
    case loyaltyEnrolled, loyaltyPhoneProved, loyaltyCodesHeld
    case identitySuspended, identityResumed, identityTransferred, identityAddressReachable,
        identityAddressUnreachable, identityConsentRevoked, identityRevocationWithheld, identityRevocationAbandoned
    case auditBegan, providerChanged, keysRotated, keysRevoked, masterKeyRotated, messageRetried, issuerChanged,
        databaseRestored, clockAccepted, evidenceRead, pinExhausted, loginNonceIssued, pushHeldBack,
        registrationHeld, passkeyCounterBehind, providerTransferPrepared

    private static let byKind = Dictionary(
        uniqueKeysWithValues: ConsoleEventText.allCases.map { ($0.rawValue.lowercased(), $0) })

    /// The text of a kind of event; `nil` for a kind without one.
    static func ofKind(_ kind: String) -> ConsoleEventText? {
        byKind[kind.filter { $0 != "." && $0 != "_" }]
    }
}

extension TextSource {
    var consoleEventText: Texts<ConsoleEventText> { texts() }
}

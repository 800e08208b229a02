package import Core

/// What happened to an account, in sentences for its holder. A case has the name of its event: `account.signed_in` is
/// ``accountSignedIn``. An event without a case is not shown.
package enum ActivityText: String, TextKey {
    package static let section = "activity"

    case accountCreated, accountSignedIn, accountSignInFailures, accountDeactivated, accountReactivated, accountClosed
    case accountKept, accountAbsorbed, accountExported, accountProfileChanged, accountLanguageChanged
    case accountEmailVerified, accountEmailChanged
    case accountEmailRemoved, accountPhoneChanged, accountPhoneRemoved, accountPasswordChanged, accountPasswordExpired
    case accountRecovered, accountRecoveryFailed, accountRecoveryRefused
    case accountPinSet, accountPinChanged, accountPinRemoved, accountPinLocked
    case deviceEnrolled, deviceRenamed, deviceRemoved, deviceSuspended, deviceResumed, deviceDeactivated
    case deviceReactivated, deviceTokenIssued
    case pinSet, pinChanged, pinForgotten, pinLocked, biometricKeyAdded, biometricKeyRemoved
    case passkeyAdded, passkeyRenamed, passkeyRemoved
    case factorTotpAdded, factorTotpRemoved, factorRecoveryCodesMade, factorRecoveryCodeUsed, factorSecretQuestionsSet
    case factorFailed
    case identityLinked, identityUnlinked, clientConsentGranted, clientConsentWithdrawn
    case sessionSignedOut, sessionEndedByHolder, sessionOthersEndedByHolder, sessionRefreshReuse
    case operationVerified, operationRefused, transactionSigned, transactionRejected, scanSignInApproved

    /// The text of each kind of event.
    static let byKind = Dictionary(uniqueKeysWithValues: ActivityText.allCases.map { ($0.kind, $0) })

    /// The same sentence about a payment.
    var ofPayment: ActivityPaymentText? { ActivityPaymentText.allCases.first { $0.rawValue == rawValue } }

    /// The kind of event whose noun and participle the case has. Only the noun of some has several words.
    private var kind: String {
        let words = rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
        }
        let noun = Self.nouns.first { words.hasPrefix($0 + "_") } ?? ""
        return noun + "." + words.dropFirst(noun.count + 1)
    }

    /// The nouns, a longer one before its beginning.
    private static let nouns = [
        "account_pin", "account", "device_token", "device", "pin", "biometric_key", "passkey", "factor", "identity",
        "client_consent", "session", "operation", "transaction", "scan_sign_in",
    ]
}

/// The same about a payment whose amount and payee are still stored, `{payment}`.
enum ActivityPaymentText: String, TextKey {
    static let section = "activityPayments"

    case operationVerified, operationRefused, transactionSigned, transactionRejected
}

extension TextSource {
    package var activityText: Texts<ActivityText> { texts() }
    var activityPaymentText: Texts<ActivityPaymentText> { texts() }
}

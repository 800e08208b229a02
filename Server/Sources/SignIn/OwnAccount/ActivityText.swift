package import Core
internal import Kernel
package import WalletAuthWire

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
    case deviceGrantApproved, deviceGrantDenied

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
        "account_pin", "account", "device_token", "device_grant", "device", "pin", "biometric_key", "passkey", "factor",
        "identity",
        "client_consent", "session", "operation", "transaction", "scan_sign_in",
    ]
}

/// The same about a payment whose amount and payee are still stored, `{payment}`.
enum ActivityPaymentText: String, TextKey {
    static let section = "activityPayments"

    case operationVerified, operationRefused, transactionSigned, transactionRejected
}

/// What happened in closer words, where the details of the event say more than its kind.
package enum ActivityDetailText: String, TextKey {
    package static let section = "activityDetails"

    case emailAdded, phoneAdded, passwordAdded, secretQuestionsAdded, secretQuestionsRemoved, sessionReplaced
    // Only for the holder: how they signed in, and what the brand did, `{event}`.
    case signedInByPassword, signedInByPasswordAndCode, signedInByPasskey, signedInByProvider, signedInByPIN
    case signedInOnDevice, signedInByScan
    case doneByBrand

    /// The detail of what the account did not have before.
    package static let first = "first"
    /// The detail of what the account has no longer.
    static let removed = "removed"
    /// The detail of a session that its app ended because it had signed in again.
    package static let replaced = "replaced"

    /// - Returns: `nil` if the kind says it all.
    package init?(_ kind: ActivityText, _ details: JSONObject) {
        func isSaid(_ detail: String) -> Bool { details[detail]?.bool ?? false }
        switch kind {
        case .accountEmailChanged where isSaid(Self.first): self = .emailAdded
        case .accountPhoneChanged where isSaid(Self.first): self = .phoneAdded
        case .accountPasswordChanged where isSaid(Self.first): self = .passwordAdded
        case .factorSecretQuestionsSet where isSaid(Self.first): self = .secretQuestionsAdded
        case .factorSecretQuestionsSet where isSaid(Self.removed): self = .secretQuestionsRemoved
        case .sessionSignedOut where isSaid(Self.replaced): self = .sessionReplaced
        default: return nil
        }
    }
}

/// How a holder signed in, by the methods in the details of the event.
enum SignInWords {
    /// The detail with the methods (RFC 8176).
    static let methods = "amr"

    /// - Returns: `nil` if the event says nothing of it, or nothing that people know.
    static func text(for details: JSONObject) -> ActivityDetailText? {
        let methods = details[Self.methods]?.array?.compactMap(\.string) ?? []
        if AuthenticationStrength.isCrossDevice(methods) { return .signedInByScan }
        if !AuthenticationStrength.deviceKeys.isDisjoint(with: methods) { return .signedInOnDevice }
        if methods.contains(AuthenticationStrength.passkeyKey) { return .signedInByPasskey }
        if methods.contains(AuthenticationStrength.password) {
            let codes = Set([FactorKind.email, .sms].map(\.authenticationMethod))
            return codes.isDisjoint(with: methods) ? .signedInByPassword : .signedInByPasswordAndCode
        }
        if methods.contains(AuthenticationStrength.provider) { return .signedInByProvider }
        return methods.contains(AuthenticationStrength.pin) ? .signedInByPIN : nil
    }
}

extension JSONObject {
    /// The details of a change of password.
    /// - Parameter former: the one before; `nil` for none.
    package static func ofPassword(replacing former: [UInt8]?) -> JSONObject {
        var details = JSONObject()
        if former == nil { details[ActivityDetailText.first] = .bool(true) }
        return details
    }
}

extension TextSource {
    package var activityText: Texts<ActivityText> { texts() }
    var activityPaymentText: Texts<ActivityPaymentText> { texts() }

    /// The sentence about an event for the account's holder: also how they signed in, and whether the brand did it.
    /// - Parameter brand: its name; `nil` leaves it out.
    func holderSentence(_ kind: ActivityText, _ details: JSONObject, by brand: String?) -> String {
        let words: Texts<ActivityDetailText> = texts()
        if kind == .accountSignedIn, let how = SignInWords.text(for: details) { return words[how] }
        let event = activitySentence(kind, details)
        guard let brand, details[OperatorAction.detail]?.bool == true else { return event }
        return words[.doneByBrand, ["event": event, "brand": brand]]
    }

    /// The sentence about an event, as closely as its details allow.
    package func activitySentence(_ kind: ActivityText, _ details: JSONObject) -> String {
        guard let closer = ActivityDetailText(kind, details) else { return activityText[kind] }
        let words: Texts<ActivityDetailText> = texts()
        return words[closer]
    }
}

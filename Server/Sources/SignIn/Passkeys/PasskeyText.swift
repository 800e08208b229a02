package import Core

/// The texts about passkeys.
package enum PasskeyText: String, TextKey {
    package static let section = "passkeys"

    // On the sign-in page.
    case signInLabel, signInFailed, refused

    // On the consent page.
    case agreeLabel, agreeAmountLabel, agreeFailed, wrongForConsent

    // On the account page.
    case label, lead

    // On the passkey page.
    case heading, pageLead, none, nameLabel, nameHint, renameLabel, removeLabel, removeLead, added, used, neverUsed,
        synced,
        formerDomain, addHeading, addLead, addLabel, addFailed, known, unsupported, tooMany

    // Notices.
    case wasAdded, wasRenamed, wasRemoved, notTaken, unusableName, lastWayIn, unknown
}

extension TextSource {
    package var passkeyText: Texts<PasskeyText> { texts() }
}

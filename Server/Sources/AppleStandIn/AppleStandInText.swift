internal import Core

/// The texts of the stand-in's pages.
enum AppleStandInText: String, TextKey {
    static let section = "appleStandIn"

    // Where a person signs in.
    case signInHeading, signInLead, accountLabel, hideLabel

    // The console.
    case lead, registerHeading, registerAdvice, serviceHeading, rollKeysLabel, outageLabel, recoveryLabel,
        refusalsHeading, personHeading, appLabel, hidesLabel, stateLabel, consentRevokedLabel, accountDeleteLabel,
        emailDisabledLabel, emailEnabledLabel

    // What a button of the console did.
    case keysRolled, isDown, isUp, refusing, isListed, isNotListed, notified, notNotified
}

extension Language {
    var appleStandIn: Texts<AppleStandInText> { texts() }
}

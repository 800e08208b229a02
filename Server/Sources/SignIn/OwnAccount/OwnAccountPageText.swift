import Core

/// The texts of the account's page for ``OwnAccountPage``.
enum OwnAccountPageText: String, TextKey {
    static let section = "ownAccount"

    // The rows of the overview.
    case aboutGroup, nameLabel, nameNote, languageLabel, languageUnset, languageUnsetNote, addLabel, dataGroup,
        activityLabel, activityNote, showLabel, exportRowLabel, exportNote, exportLabel, closingLabel, closingNote,
        closeLabel

    // A new address or number.
    case emailHeading, phoneHeading, emailLead, emailAddLead, phoneLead, phoneAddLead, newEmailLabel,
        newPhoneLabel, phoneHint, sendLabel, codeHeading
    /// Contains where the code went, `{destination}`.
    case codeLead
    case againLabel, emailAdded, emailChanged, phoneAdded, phoneChanged, phoneRemoved, removePhoneLead,
        removeUnreachedPhoneLead, lastContact, lastContactEmailOff, unusableEmail, unusablePhone, emailUnchanged,
        phoneUnchanged, emailOff, phoneOff, codeOver

    case languageHeading, languageLead, useLabel, current
    /// Contains the language, `{language}`.
    case languageChanged
    case inEnglish, inGerman, inFrench, inSpanish, inBulgarian

    case nameHeading, nameLead, givenNameLabel, familyNameLabel, nameSaveLabel, nameChanged, unusableName

    case questionsLabel
    /// Contains the number, `{count}`.
    case questionsSet
    /// Contains the least and the greatest number, `{least}` and `{most}`.
    case questionsLead
    case questionsHeading, questionsNote, questionsSaveLabel, questionsRemoveLabel, answered, questionsChanged,
        questionsRemoved
    /// Contains the least and the greatest number, `{least}` and `{most}`.
    case unacceptableAnswers

    case activityHeading, activityLead, earlierLabel, latestLabel, paymentsNote, paymentsLabel, noActivity

    /// Contains the name of a provider, `{provider}`.
    case unlinkLead
    case unlinked, identityNotFound, lastIdentity

    case exportHeading, exportLead, downloadLabel, exportAgain, exportTooLarge

    case closingHeading
    /// Contains a time, `{time}`.
    case closingLead
    case paymentsOpen, lastOwner, contactCooling, closedHeading, closedLead, copyLabel, copied, keepLabel,
        keepingHeading,
        keepingLead, closingNotFound, keptHeading, keptLead
}

extension TextSource {
    var ownAccountPageText: Texts<OwnAccountPageText> { texts() }
}

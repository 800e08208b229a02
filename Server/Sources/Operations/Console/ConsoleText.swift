internal import Core

/// The texts of the operators' console.
enum ConsoleText: String, TextKey {
    static let section = "console"

    // The search, and the way to other pages.
    case heading, lead, searchLabel, brandLabel, searchButton, prefixLabel, fromLabel,
        untilLabel, filterButton, searchAgain, accountsFound, backToAccount, moreGroup

    // Lists.
    case accountsLink, clientsLink, brandsLink, providersLink, merchantsLink, operatorsLink, messagesLink, webhooksLink,
        keysLink, auditLink, listLead, emptyList, nextPage, moreLabel, yes, no

    // The headings of their columns.
    case userHead, nameHead, idHead, kindHead, ownHead, createdHead, scopeHead, redirectsHead, adminRoleHead, siteHead,
        formerSecretHead, warningsHead, registrationHead, passkeyRegistrationHead, questionsHead, scanHead,
        ownNamesHead,
        passwordDaysHead, closingDaysHead, newDeviceHead, termsHead, supportHead, logoHead, colorHead, buttonHead,
        addressHead,
        providerClientHead, trustsEmailHead, emailFactorHead, roleHead, allBrandsHead, sinceHead, invitedByHead,
        expiresHead, writtenHead, messageHead, channelHead, failureHead, attemptsHead, clientHead, clientIDHead,
        eventsHead, failingHead, disabledHead, lostHead, lastLostHead, waitingHead, waitingSinceHead, purposeHead,
        masterKeysHead, sealedHead, whenHead, whatHead, operatorHead, operatorBrandHead, commandHead, aboutHead,
        merchantHead

    // The words in them.
    case stateDisabled, stateUnreachable, stateInvited, stateAccepted, stateNoPassword, stateNoSecondFactor, roleOwner,
        roleSupport,
        roleAuditor,
        roleDeveloper, kindPublic, kindConfidential, kindRepository, kindIntrospection, channelEmail, channelPush,
        stateDelivered, stateFailed, stateQueued, stateNotDue, stateNoRecipient, stateNoAddress, keyActive, keyRetired,
        keyNext, newDeviceSecond, newDeviceAllow

    // Whose browser it is.
    case signedInAs, signOutLabel, anotherLabel

    // What is in the way of the operator.
    case goOnHeading, goOn, noRoleHeading, noRole, recovered, faultForbidden, faultBrand, faultOwnAccount,
        faultAdministration, faultNotFound, faultNoBrand, faultSeveral,
        faultLastOwner, faultUnchanged,
        faultFormUsed, faultSecondOperator,
        faultMalformed, faultBusy, faultUncertain, faultServer

    // The sentence about an account, and its parts: whom it concerns, `{user}`, and why.
    case verdict, verdictUntil, verdictClear, verdictClearRefused, effectAccount, effectUnknownDevices,
        effectKnownDevices, effectNetwork, effectSecondFactor, effectStep, effectDevice, effectAccountPIN,
        effectDevicePIN, effectRecovery, effectChanges, effectEnrollment, effectBiometrics, causeErased, causeMerged,
        causeDeactivated, causeFailures,
        causeDirectory, causeImported, causeClosed, causeNoPassword, causePasswordExpired, causeEmailUnconfirmed,
        causeUndeliverable,
        causeWrongPasswords, causeNetwork, causeLimit, causePINLocked, causePINOff, causeDeviceSuspended,
        causeDeviceDeactivated, causeDeviceWaits, causeDevicePINLocked, causeDevicePINExhausted, causeCooling,
        causeNoSecondFactor, causeAttestationMissing, causeAttestationInvalid, causeAppNotAccepted,
        causePhoneNotAccepted

    // The page of an account: its groups, rows and states.
    case hindrancesGroup, accountGroup, operatorRow, ownRow, stateRow, namesRow, idRow, mergedRow, absorbedRow,
        brandRow, lastSignInRow,
        never, emailRow, phoneRow, passwordRow, pinRow, factorsRow, identitiesRow, failuresRow, failures, devicesGroup,
        passkeysGroup, sessionsGroup, appsGroup, refusalsGroup, wholeGroup, eraseRow, since, used, devicePIN, browser,
        stateActive, stateDeactivated, stateSuspended, stateErased, stateMerged, stateWaiting, wordSet, wordLocked,
        wordExhausted, wordNone, wordOff, wordExpired, confirmed, unconfirmed, factorTotp, factorEmail, factorSMS,
        factorQuestion, factorRecovery, factorUndeliverable

    // Its buttons. A screen reader reads the row's heading after the button.
    case unlockLabel, reopenLabel, closeLabel, keepLabel, verifyLabel, expireLabel, removePINLabel, endAllLabel,
        endLabel, suspendLabel, resumeLabel, reactivateLabel, confirmDeviceLabel, removeLabel, withdrawLabel, eraseLabel

    // What a button has done.
    case unlockDone, reopenDone, closeDone, keepDone, verifyDone, expireDone, removePINDone, endAllDone, endDone,
        suspendDone, resumeDone, deactivateDone, reactivateDone, confirmDeviceDone, removeDeviceDone,
        removePasskeyDone, withdrawDone, eraseDone

    // The questions before what shuts a person out, or what nothing undoes.
    case closeHeading, closeLead, expireHeading, expireLead, removeHeading, removeDeviceLead,
        removePasskeyLead, eraseHeading, eraseLead

    // The audit log. What happened is in ``ConsoleEventText``, except for the calls of operators.
    case auditHeading, auditLead, auditAccountLead, auditOfAccount, operatorCalled, operatorCalledBy, operatorRefused,
        operatorRefusedBy, callWaits, ownConsole, ownAccountPage
}

extension TextSource {
    var consoleText: Texts<ConsoleText> { texts() }
}

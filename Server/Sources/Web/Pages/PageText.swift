package import Core

/// The texts of the sign-in page, and those that several pages share. A template escapes the whole sentence, with the values of its
/// placeholders.
package enum PageText: String, TextKey {
    package static let section = "pages"

    // The sign-in page, step by step.
    case signInHeading, signInLead, usernameLabel, usernameHint, nameOrAddressLabel, passwordLabel, showLabel,
        hideLabel, submitLabel, resetLabel, recoveryHeading, recoveryLead, recoverySubmitLabel,
        recoveryCodeHeading, recoveryCodeSentLead, recoveredPasswordLead, confirmHeading, confirmLead,
        confirmLabel, otherAccountLabel, newPasswordHeading, newPasswordLead, newPasswordLabel, newPasswordHint,
        repeatPasswordLabel, newPasswordSubmitLabel, emailCodeHeading, emailCodeLead, emailCodeLabel, codeHint,
        emailCodeSubmitLabel, secondFactorHeading, authenticatorLead, secretQuestionLead, recoveryCodeLead,
        useAuthenticatorLabel, useEmailLabel, useSMSLabel, useSecretQuestionLabel, useRecoveryCodeLabel,
        usePasswordLabel, resendLabel, cancelLabel, returnFooter, supportLabel

    // Notices of a step.
    case noticeHeading, invalidCredentials, slowedDown, triedOften, passwordNeeded, walletDeactivated,
        closedByFailures, closedByFailuresElsewhere, closedByHolder, recoveryCodeSent, unusableName,
        recoveryUnavailable, recoveryByPasskey, recoveryByDevice, recoveryByPasskeyOrDevice, recoveryByHelp,
        passwordMissing, passwordMistyped, passwordTooShort, passwordTooLong, passwordUnusable,
        passwordTooCommon, passwordContainsName, passwordBreached, passwordUnchanged, invalidCode, codeUsed,
        wrongAnswer, remainingTries, factorFailed, factorHeld, factorHeldLead,
        factorHeldOtherLead, factorOver, codeSent, codeSentRecently, codeNotSent,
        codeNotSentHeading, codeNotSentLead, codeNotSentOtherLead, tooManyAttempts, networkHeld, busy, waitSeconds,
        waitMinutes, waitHours

    // The error page.
    case faultHeading, unknownClientHeading, redirectMismatchHeading, malformedRequestHeading, expiredPageHeading,
        serverFaultHeading, unavailableHeading, notFoundHeading, foreignHostHeading, codeLabel, referenceLabel,
        unknownClient, redirectMismatch, malformedRequest, expiredPage, serverFault, unavailable, notFound, foreignHost,
        nextStepApp, nextStepRestart, nextStepService, nextStepAddress, nextStepOwnAddress, retryLabel,
        accountLinkLabel, openPageLabel, developersHeading, developerUnknownClient, developerRedirectMismatch,
        developerRedirectMissing

    // The page that returns an answer to an app.
    case continueHeading, continueMessage, continueLabel, appSignedInHeading, appNotCompletedHeading, cancelled,
        appReturnHeading, appReturn, appReturnLabel

    // The choice of a merchant.
    case merchantHeading, merchantLead

    // Sign-out.
    /// Contains the name of the brand, `{brand}`.
    case signOutHeading
    /// Contains the user name, `{user}`.
    case signOutLead
    case signedOutHeading, signedOut

    /// Those of error pages, which belong to no brand.
    package static let unbranded: [PageText] = [
        .unknownClientHeading, .redirectMismatchHeading, .malformedRequestHeading, .expiredPageHeading,
        .serverFaultHeading, .unavailableHeading, .notFoundHeading, .foreignHostHeading, .retryLabel, .accountLinkLabel,
        .openPageLabel, .codeLabel, .referenceLabel, .unknownClient, .redirectMismatch, .malformedRequest, .expiredPage,
        .serverFault, .unavailable, .notFound, .foreignHost, .nextStepApp, .nextStepRestart, .nextStepService,
        .nextStepAddress, .nextStepOwnAddress,
        .developersHeading, .developerUnknownClient, .developerRedirectMismatch, .developerRedirectMissing,
    ]

    /// Keeps a masked address on one line. Otherwise a line could break after its "…" or a hyphen, and "n…" alone means
    /// nothing.
    package static func unbroken(_ address: String) -> String {
        address.map { $0 == "…" || $0 == "-" ? "\($0)\u{2060}" : String($0) }.joined()
    }
}

extension Texts<PageText> {
    /// The text with how long to wait, in seconds or, if it is long, in minutes. Rounded up, so that the wait is over by then.
    package subscript(key: PageText, waiting seconds: Int64) -> String {
        let wait =
            // At least two of each: the catalogs have the plural.
            if seconds <= 90 {
                self[.waitSeconds, ["seconds": String(max(2, seconds))]]
            } else {
                self[.waitMinutes, ["minutes": String((seconds + 59) / 60)]]
            }
        return self[key, ["wait": wait]]
    }
}

extension Texts<PageText> {
    /// How long something lasts, for the middle of a sentence: in seconds, minutes or, from two of them on, hours.
    package func span(_ duration: Duration) -> String {
        let seconds = max(2, duration.wholeSeconds)
        let minutes = (seconds + 59) / 60
        if minutes >= 120 { return self[.waitHours, ["hours": String((minutes + 59) / 60)]] }
        if seconds > 90 { return self[.waitMinutes, ["minutes": String(minutes)]] }
        return self[.waitSeconds, ["seconds": String(seconds)]]
    }
}

extension TextSource {
    package var text: Texts<PageText> { texts() }
}

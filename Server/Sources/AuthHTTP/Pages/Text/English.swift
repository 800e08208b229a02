extension PageText {
    static let english = PageText(
        signInHeading: "Sign in",
        signInLead: "to continue to {client}",
        usernameLabel: "User name",
        passwordLabel: "Password",
        submitLabel: "Sign in",
        resetLabel: "Forgot your password?",
        recoveryHeading: "Recover your access",
        recoveryLead: "Enter your user name. If we know it, we send a code to its e-mail address.",
        recoverySubmitLabel: "Send a code",
        recoveryCodeHeading: "Enter the code",
        recoveryCodeSentLead: "It went to the e-mail address of the account, if there is one. It has 8 digits.",
        recoveredPasswordLead: "It replaces your old password. You will be signed out everywhere else.",
        confirmHeading: "Continue as {user}?",
        confirmLead: "{client} asks who you are. You are already signed in on this device.",
        confirmLabel: "Continue",
        otherAccountLabel: "Use another account",
        newPasswordHeading: "Choose a new password",
        newPasswordLead: "You can no longer use your current password.",
        newPasswordLabel: "New password",
        newPasswordHint: "At least 8 characters. A sentence that only you would think of is a good one.",
        repeatPasswordLabel: "Repeat the password",
        newPasswordSubmitLabel: "Save and sign in",
        emailCodeHeading: "Confirm your e-mail address",
        emailCodeLead: "We sent a code to {destination}.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Confirm",
        secondFactorHeading: "Confirm that it is you",
        authenticatorLead: "Enter the code that your authenticator app shows.",
        secretQuestionLead: "Answer the question that you chose.",
        recoveryCodeLead: "Enter one of your recovery codes. Each is good for one use.",
        useAuthenticatorLabel: "Use the authenticator app",
        useEmailLabel: "Send a code by e-mail",
        useSMSLabel: "Send a code by SMS",
        useSecretQuestionLabel: "Answer a question",
        useRecoveryCodeLabel: "Use a recovery code",
        resendLabel: "Send a new code",
        cancelLabel: "Cancel",
        returnFooter: "After signing in you return to {host}.",
        noticeHeading: "You are not signed in yet",
        invalidCredentials: "The user name or the password is not right. Check both and try again.",
        triedOften: """
            After several tries even the right password is refused for a while. If you have tried often, wait some \
            minutes.
            """,
        walletDeactivated: "This wallet has been deactivated. Contact {brand} to have it opened again.",
        recoveryCodeSent: "If we know this name, a code is on its way.",
        unusableName: "No account can have this name. Check it.",
        recoveryUnavailable: """
            This account is protected by more than its e-mail address. Recover it in the app on your linked device, \
            or contact {brand}.
            """,
        passwordMistyped: "The two passwords are not the same. Type the new one twice again. Nothing was changed.",
        passwordTooShort: "That password is too short: it needs at least 8 characters.",
        passwordTooLong: "That password is too long: at most 256 characters.",
        passwordTooCommon: "That password is too easy to guess. Choose another one.",
        passwordBreached: "That password was stolen somewhere and is known to others. Choose another one.",
        passwordUnchanged: "That is the password you have now. Choose another one.",
        invalidCode: "The code is not right or has expired. Check it, or ask for a new one.",
        wrongAnswer: "That is not right. Check it and try again.",
        factorOver: """
            There were too many wrong answers, or it took too long. Sign in again from the start.
            """,
        codeSent: "A new code is on its way.",
        codeSentRecently: "A code was sent a moment ago. You can ask for another in {seconds} seconds.",
        codeNotSent: """
            No code can be sent right now, since many were sent lately. Ask for one in {minutes} min, or use \
            another way.
            """,
        tooManyAttempts: "Too many attempts. Wait {seconds} seconds and try again.",
        busy: "Many people are signing in right now. Try again in {seconds} seconds.",
        faultHeading: "This did not work",
        codeLabel: "Code",
        referenceLabel: "Reference",
        unknownClient: "The app that sent you here is not known to this server.",
        redirectMismatch: """
            The app asked to be answered at an address that is not registered for it. Nothing was sent there.
            """,
        malformedRequest: "The request that brought you here is incomplete or incorrect.",
        expiredPage: """
            This page has expired, or your browser did not send its cookie. Go back to the app and start again.
            """,
        serverFault: "Something went wrong on our side. Try again in a moment.",
        unavailable: "The service is busy or down for maintenance. Try again in a moment.",
        notFound: "There is nothing at this address.",
        foreignHost: "This page is not available at this address.",
        nextStepApp: """
            Go back to the app and try again. If this happens again, tell the maker of the app, with the reference \
            below.
            """,
        nextStepService: "If this keeps happening, contact the operator and quote the reference below.",
        nextStepAddress: "Check the address, or go back to where you came from.",
        nextStepOwnAddress: "Open it at {address}.",
        developersHeading: "For developers",
        developerUnknownClient: """
            client_id is missing, misspelled or not registered at {issuer}. Check that the app talks to the right \
            server.
            """,
        developerRedirectMismatch: """
            redirect_uri has to be registered for the client, to the letter: scheme, host, port, path and final \
            slash. Only the port of 127.0.0.1 and [::1] may differ.
            """,
        continueHeading: "One moment",
        continueMessage: "You are being taken back to {host}.",
        continueLabel: "Continue",
        merchantHeading: "Choose a business",
        merchantLead: "You are signed in as {user}. Choose the business that you want to use {client} for.",
        signedOutHeading: "You are signed out",
        signedOut: "You can close this window.")
}

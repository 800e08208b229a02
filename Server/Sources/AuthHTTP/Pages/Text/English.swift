extension PageText {
    static let english = PageText(
        signInHeading: "Sign in",
        signInLead: "to continue to {client}",
        usernameLabel: "User name",
        passwordLabel: "Password",
        submitLabel: "Sign in",
        resetLabel: "Forgot your password?",
        recoveryHeading: "Recover your account",
        recoveryLead: "Enter your user name. If we know it, we’ll send a code to the account’s e-mail address.",
        recoverySubmitLabel: "Send a code",
        recoveryCodeHeading: "Enter the code",
        recoveryCodeSentLead: "If the account exists, we sent an 8-digit code to its e-mail address.",
        recoveredPasswordLead: "It replaces your old password. You’ll be signed out everywhere else.",
        confirmHeading: "Continue as {user}?",
        confirmLead: "{client} is asking you to sign in. You’re already signed in on this device.",
        confirmLabel: "Continue",
        otherAccountLabel: "Use another account",
        newPasswordHeading: "Choose a new password",
        newPasswordLead: "You can no longer use your current password.",
        newPasswordLabel: "New password",
        newPasswordHint: "At least 8 characters. A sentence that only you would think of works well.",
        repeatPasswordLabel: "Repeat the new password",
        newPasswordSubmitLabel: "Save and sign in",
        emailCodeHeading: "Confirm your e-mail address",
        emailCodeLead: "We sent a code to {destination}.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Confirm",
        secondFactorHeading: "Confirm it’s you",
        authenticatorLead: "Enter the code from your authenticator app.",
        secretQuestionLead: "Answer your secret question.",
        recoveryCodeLead: "Enter one of your recovery codes. Each code works once.",
        useAuthenticatorLabel: "Use the authenticator app",
        useEmailLabel: "Send a code by e-mail",
        useSMSLabel: "Send a code by SMS",
        useSecretQuestionLabel: "Answer a secret question",
        useRecoveryCodeLabel: "Use a recovery code",
        usePasswordLabel: "Use your password instead",
        resendLabel: "Send a new code",
        cancelLabel: "Cancel",
        returnFooter: "After you sign in, you’ll return to {host}.",
        noticeHeading: "You’re not signed in yet",
        invalidCredentials: "The user name or password is incorrect. Check both and try again.",
        triedOften: """
            After several wrong attempts, even the right password is refused for a while. If you’ve tried many \
            times, wait a few minutes.
            """,
        passwordNeeded: "You need to change your password first. Sign in with your password this time.",
        walletDeactivated: "This wallet has been deactivated. Contact {brand} to have it reactivated.",
        recoveryCodeSent: "If we know this name, a code is on its way.",
        unusableName: "This is not a valid user name. Check it and try again.",
        recoveryUnavailable: """
            This account is protected by more than its e-mail address. Recover it in the app on your linked device, \
            or contact {brand}.
            """,
        passwordMissing: "Enter a new password. Nothing was changed.",
        passwordMistyped: "The two passwords don’t match. Enter the new password twice. Nothing was changed.",
        passwordTooShort: "That password is too short. Use at least 8 characters.",
        passwordTooLong: "That password is too long. Use at most 256 characters.",
        passwordUnusable: """
            That password can’t be used. It is too long, or contains a tab or another control character. Choose another \
            one.
            """,
        passwordTooCommon: "That password is too easy to guess. Choose another one.",
        passwordBreached: "That password has appeared in a data breach, so others may know it. Choose another one.",
        passwordUnchanged: "That is your current password. Choose another one.",
        invalidCode: "The code is incorrect or has expired. Check it, or request a new one.",
        codeUsed: "You’ve already used this code. Wait until your authenticator app shows the next one.",
        wrongAnswer: "That is not correct. Check it and try again.",
        factorOver: """
            This step is over: it was answered already, there were too many wrong answers, or it took too long. Start \
            again by signing in.
            """,
        codeSent: "A new code is on its way.",
        codeSentRecently: "We sent you a code a moment ago. You can request another in {seconds} seconds.",
        codeNotSent: """
            We can’t send a code right now because too many were sent recently. Request one in {minutes} min, or try \
            another way.
            """,
        tooManyAttempts: "Too many attempts. Wait {seconds} seconds and try again.",
        networkHeld: """
            Too many sign-in attempts have come from your network. You may be sharing it with many people, for example \
            with your mobile carrier’s other customers. Try again in {minutes} min, or use another network. If you have \
            signed in with your password in a browser before, you don’t have to wait there.
            """,
        busy: "Many people are signing in right now. Try again in {seconds} seconds.",
        faultHeading: "That didn’t work",
        codeLabel: "Code",
        referenceLabel: "Reference",
        unknownClient: "This server does not recognize the app that sent you here.",
        redirectMismatch: """
            The app gave a return address that is not registered for it. Nothing was sent there.
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
            Go back to the app and try again. If it happens again, contact the app’s developer and quote the reference \
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
            redirect_uri must exactly match one that is registered for the client: scheme, host, port, path and \
            trailing slash. Only the port of 127.0.0.1 and [::1] may differ.
            """,
        continueHeading: "One moment",
        continueMessage: "Taking you back to {host}.",
        continueLabel: "Continue",
        merchantHeading: "Choose a business",
        merchantLead: "You are signed in as {user}. Choose the business you want to use {client} for.",
        signedOutHeading: "You are signed out",
        signedOut: "You can close this window.")
}

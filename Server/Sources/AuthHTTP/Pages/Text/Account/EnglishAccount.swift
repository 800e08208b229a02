extension AccountText {
    static let english = AccountText(
        signInLead: "to see how your account is protected",
        signInAgainLead: "Confirm it’s you before you make changes.",
        heading: "Account security",
        lead: "You are signed in as {user}.",
        emailLabel: "E-mail",
        unconfirmed: "not confirmed",
        phoneLabel: "Phone",
        authenticatorLabel: "Authenticator app",
        isOn: "On",
        isOff: "Not set up",
        recoveryCodesLabel: "Recovery codes",
        codesLeft: "{count} left",
        devicesLabel: "Devices linked to your account",
        none: "None",
        deviceSuspended: "suspended",
        deviceDeactivated: "deactivated",
        deviceAwaitsCode: "waiting for confirmation",
        deviceCodeHeading: "Confirm “{device}”",
        deviceCodeLead: """
            We sent you a code when the app was set up on this device. Enter it only if the device is yours.
            """,
        deviceConfirmed: "The device is confirmed. You can now sign in on it.",
        noSuchDevice: "This device is no longer waiting for a code. Nothing was changed.",
        offerLead: "An app on your phone shows a new code every 30 seconds, even without a connection.",
        offerLabel: "Set up an authenticator app",
        replaceLead: """
            You can move to another app or phone. Your current one keeps working until you confirm the new one.
            """,
        replaceLabel: "Set up another authenticator app",
        codesOfferLead: """
            Keep these codes on paper in case you have no other way to sign in. Each code works once.
            """,
        codesReplaceLead: "New codes replace the ones you have. Your old codes stop working at once.",
        makeCodesLabel: "Create recovery codes",
        signOutLabel: "Sign out",
        setUpHeading: "Set up an authenticator app",
        setUpLead: """
            Scan this QR code with the app, then enter the code that the app shows. Don’t show the QR code to anyone.
            """,
        symbolLabel: "QR code for the authenticator app. The secret is also shown as text below.",
        openAppLabel: "Open the authenticator app on this device",
        typeLead: "Or type this secret into the app:",
        codeLabel: "Code from the app",
        codeHint: "Six digits. Enter them within ten minutes.",
        backLabel: "Back to your account",
        codesHeading: "Your recovery codes",
        codesWarning: "You won’t see these again. Your old codes no longer work.",
        codesPrint: "Print them or write them down, and keep them where only you can find them. Each code works once.",
        authenticatorOn: "The authenticator app is on. From now on, we’ll ask for its codes.",
        invalidCode: "That code is incorrect. Wait until the app shows a new one, then enter it.",
        nothingPending: "That took too long, or the app is already on. If it isn’t, set it up again.",
        recoveredLately: """
            The account was recovered recently. For your security, you can’t change how you sign in for one day.
            """,
        onlyRestoredIdentity: """
            For your security, you can’t make this change yet with this way of signing in. Sign in another way, or try \
            again in a day.
            """,
        strongerSignInNeeded: """
            This change needs a stronger sign-in, so nothing was changed. Use the app on a device linked to your \
            account.
            """,
        notPossibleHeading: "Use your app for this",
        notPossible: "To prove it’s you, you need a device linked to your account. Nothing was changed.")
}

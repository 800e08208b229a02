extension AccountText {
    static let english = AccountText(
        signInLead: "to see how your account is protected",
        signInAgainLead: "Before anything changes we make sure once more that it is you.",
        heading: "Security of your account",
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
        deviceAwaitsCode: "waiting for its code",
        deviceCodeHeading: "Confirm “{device}”",
        deviceCodeLead:
            "A code was sent to you when the app was set up on this device. Enter it only if the device is yours.",
        deviceConfirmed: "The device is confirmed. You can sign in on it now.",
        noSuchDevice: "This device is not waiting for a code any more. Nothing was changed.",
        offerLead: "An app on your phone shows a new code every 30 seconds. It works without reception.",
        offerLabel: "Set up an authenticator app",
        replaceLead: """
            You can move to another app or phone. The present one stays in use until the new one is confirmed.
            """,
        replaceLabel: "Set up another authenticator app",
        codesOfferLead: "Codes to keep on paper, for the day when nothing else is at hand. Each is good for one use.",
        codesReplaceLead: "New codes take the place of the ones you have: those become void at once.",
        makeCodesLabel: "Make recovery codes",
        signOutLabel: "Sign out",
        setUpHeading: "Set up an authenticator app",
        setUpLead: "Scan this with the app, then enter the code that it shows. Show it to nobody.",
        symbolLabel: "QR code for the authenticator app. The same secret stands below as text.",
        openAppLabel: "Open the authenticator app on this device",
        typeLead: "Or type this secret into the app:",
        codeLabel: "Code from the app",
        codeHint: "Six digits. They have to be entered within ten minutes.",
        backLabel: "Back to your account",
        codesHeading: "Your recovery codes",
        codesWarning: "They are shown this once. The ones that you had before are void.",
        codesPrint: "Print them or write them down, and keep them where only you find them. Each is good for one use.",
        authenticatorOn: "The authenticator app is on. From now on its codes are asked for.",
        invalidCode: "That is not the code that the app shows now. Check it and enter the next one.",
        nothingPending: "That took too long, or was done already. If the app is not on, set it up again.",
        recoveredLately: """
            The account was recovered a short time ago. For your safety, nothing that you sign in with can be \
            changed for a day.
            """,
        strongerSignInNeeded: """
            Your sign-in is not strong enough for this, and nothing was changed. Use the app on a device that is linked to \
            your account.
            """,
        notPossibleHeading: "Use your app for this",
        notPossible: "You can only prove it’s you with a device linked to your account. Nothing was changed.")
}

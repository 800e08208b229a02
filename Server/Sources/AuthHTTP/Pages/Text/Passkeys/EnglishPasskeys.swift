extension PasskeyText {
    static let english = PasskeyText(
        signInLabel: "Sign in with a passkey",
        signInFailed: "No passkey was used. Try again, or sign in with your password.",
        refused: "That passkey was not accepted. Try again, or sign in with your password.",
        agreeLabel: "Agree with a passkey",
        agreeFailed: "No passkey was used, and nothing was agreed to. Try again.",
        wrongForConsent: "That passkey was not accepted. {count} tries are left.",
        label: "Passkeys",
        lead: """
            A passkey signs you in with your fingerprint, your face or the code of your device, without a \
            password.
            """,
        manageLabel: "Manage passkeys",
        heading: "Your passkeys",
        pageLead: "Each of them signs in to your account. Remove the ones that you do not know.",
        none: "You have none yet.",
        nameLabel: "Name",
        renameLabel: "Save the name",
        removeLabel: "Remove this passkey",
        added: "Added on {date}.",
        used: "Last used on {date}.",
        neverUsed: "Not used yet.",
        synced: "on several devices",
        formerDomain: "for a former address of this service, no longer usable",
        addHeading: "Add a passkey",
        addLead: """
            Your device asks for your fingerprint, your face or its code. A new passkey replaces the second step \
            of signing in only after a day.
            """,
        addLabel: "Add a passkey",
        addFailed: "No passkey was made. Try again.",
        known: "This device has a passkey for your account already.",
        unsupported: "This browser does not support passkeys, or scripts are switched off in it.",
        tooMany: "You have {count} passkeys, which is as many as there can be. Remove one first.",
        wasAdded: "The passkey was added.",
        wasRenamed: "The name was saved.",
        wasRemoved: "The passkey was removed. Whoever signed in with a passkey elsewhere was signed out.",
        notTaken: "That passkey was not accepted, and nothing was changed. Try again.",
        unusableName: "A name has 1 to 64 characters. Nothing was changed.",
        lastWayIn: "This passkey is the only way to sign in to your account, so it stays.",
        unknown: "Your account has no such passkey any more.")
}

extension ClientConsentText {
    static let english = ClientConsentText(
        heading: "Give {client} access to your account?",
        moreHeading: "Give {client} more access?",
        againHeading: "{client} asks for your permission again",
        lead: "You are signed in as {user}.",
        newHeading: "If you allow it, {client} can:",
        grantedHeading: "It can already:",
        askedHeading: "It asks to:",
        alsoHeading: "It can also:",
        destinationLabel: "You will return to",
        deviceDestination: "An app on this device ({address})",
        warning: """
            Allow this only if you trust {client}. It stays signed in until you sign out there or remove its access on \
            your account page.
            """,
        allowLabel: "Allow",
        openID: "Recognize your account when you sign in",
        profile: "See your name, user name and language",
        email: "See your e-mail address",
        phone: "See your phone number",
        address: "See your postal address",
        offlineAccess: "Stay signed in when you are not using the app",
        ownScope: "Use “{scope}”",
        appsHeading: "Apps with access",
        appsLead: "You gave these apps access to your account.",
        manageLabel: "Remove an app’s access",
        pageLead: "Remove access for apps that you no longer use or trust. They are signed out at once.",
        none: "No app has access to your account.",
        since: "Since {date}",
        removeLabel: "Remove access for {client}",
        wasRemoved: "Access removed. The app was signed out and has to ask you again.",
        unknown: "This app no longer has access. Nothing was changed.")
}

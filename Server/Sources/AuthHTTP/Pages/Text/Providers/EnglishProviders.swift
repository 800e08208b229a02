extension ProviderText {
    static let english = ProviderText(
        divider: "or",
        signInLabel: "Sign in with {provider}",
        continueLabel: "Continue with {provider}",
        newAccountHeading: "You have no account yet",
        newAccountLead: """
            You signed in at {provider}, and {brand} has no account for that sign-in. Choose a user name to create \
            one.
            """,
        emailLine: "{provider} told us your e-mail address, {email}. It will be part of the account.",
        termsLine: "By creating the account, you accept the terms of {brand}.",
        termsLabel: "Read the terms",
        createLabel: "Create account",
        leaving: "You are being taken to {provider}.",
        declined: "You did not sign in at {provider}. You can try again, or sign in another way.",
        failed: "The sign-in at {provider} did not work. Try again, or sign in another way.",
        sessionOld: """
            {provider} did not confirm that you signed in there just now, and this step needs that. Sign in another way, \
            such as with a password or a passkey. If you have neither, reset your password first.
            """,
        unavailable: "{provider} cannot be reached right now. Try again in a moment, or sign in another way.",
        gone: "This way of signing in is no longer available. Choose another one.",
        answerUsed: "This step was used already, or took too long. Sign in again.",
        nameTaken: "This user name is taken. Choose another one.")
}

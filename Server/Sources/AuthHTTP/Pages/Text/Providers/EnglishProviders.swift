extension ProviderText {
    static let english = ProviderText(
        divider: "or",
        signInLabel: "Sign in with {provider}",
        continueLabel: "Continue with {provider}",
        newAccountHeading: "You have no account yet",
        newAccountLead: """
            You signed in with {provider}, but {brand} has no account for that sign-in yet. Choose a user name to \
            create one.
            """,
        emailLine: "{provider} shared your e-mail address, {email}. It will be part of your account.",
        termsLine: "By creating the account, you accept the terms of {brand}.",
        termsLabel: "Read the terms",
        createLabel: "Create account",
        leaving: "Taking you to {provider}.",
        declined: "You did not sign in with {provider}. Try again, or sign in another way.",
        failed: "Signing in with {provider} did not work. Try again, or sign in another way.",
        sessionOld: """
            This step needs a new sign-in with {provider}, and {provider} did not confirm one. Sign in another way, \
            such as with a password or a passkey. If you have neither, reset your password first.
            """,
        unavailable: "We can’t reach {provider} right now. Try again in a moment, or sign in another way.",
        gone: "This way of signing in is no longer available. Choose another one.",
        answerUsed: "This step was already used, or it took too long. Sign in again.",
        nameTaken: "This user name is taken. Choose another one.")
}

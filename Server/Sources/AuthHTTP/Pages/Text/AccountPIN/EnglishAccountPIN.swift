extension AccountPINText {
    static let english = AccountPINText(
        label: "PIN",
        usePINLabel: "Use your PIN instead",
        usePasswordLabel: "Use your password instead",
        wrong: """
            The user name or PIN is incorrect, or the PIN can’t be used right now. Check both, or use your password.
            """,
        passwordNeeded: "You need to change your password first. Sign in with your password this time.",
        forgotLabel: "Forgot your PIN?",
        forgotten:
            "Sign in with your password. You can then set a new PIN on your account page, {address}.",
        lead: """
            With a PIN, you can sign in here to apps that ask for one. After five wrong attempts, only your password \
            works.
            """,
        setLabel: "Set a PIN",
        changeLabel: "Change your PIN",
        isLocked: "Locked",
        heading: "Your account PIN",
        pageLead: "Choose a PIN that you don’t use anywhere else. If you change your password, the PIN is removed.",
        lockedLead: "Your PIN is locked after too many wrong attempts. Choose a new one to unlock it.",
        restoredLead: """
            For your security, we locked your PIN when this service was restored from a backup. It wasn’t because of \
            wrong attempts. Choose a new one.
            """,
        offLead: "PINs are no longer offered here. You can still remove yours.",
        newLabel: "New PIN",
        newHint: "6 to 12 digits. Sequences such as 123456 and repetitions such as 121212 are not allowed.",
        repeatLabel: "Repeat the new PIN",
        saveLabel: "Save PIN",
        removeLabel: "Remove PIN",
        wasSet: "The PIN was saved. You can now sign in with it.",
        cooling: "Your PIN can’t be used to approve payments until {time}.",
        wasRemoved: "The PIN was removed. Sessions elsewhere that used it were signed out.",
        malformed: "A PIN can have only digits. Nothing was changed.",
        tooShort: "That PIN is too short. Use at least 6 digits. Nothing was changed.",
        tooLong: "That PIN is too long. Use at most 12 digits. Nothing was changed.",
        mistyped: "The two PINs don’t match. Enter the new PIN twice. Nothing was changed.",
        tooCommon: "That PIN is too easy to guess. Choose another one. Nothing was changed.")
}

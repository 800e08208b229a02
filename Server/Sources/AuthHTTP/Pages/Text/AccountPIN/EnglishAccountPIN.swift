extension AccountPINText {
    static let english = AccountPINText(
        label: "PIN",
        usePINLabel: "Use your PIN instead",
        usePasswordLabel: "Use your password instead",
        wrong: """
            The user name or the PIN is not right, or the PIN cannot be used now. Check both, or use your \
            password.
            """,
        passwordNeeded: "Your password has to be changed first. Sign in with it once.",
        forgotLabel: "Forgot your PIN?",
        forgotten:
            "Sign in with your password. You can then set a new PIN on your account page, {address}.",
        lead: """
            With a PIN you sign in to apps that ask for it here. After five wrong ones only your password opens \
            the account.
            """,
        setLabel: "Set a PIN",
        changeLabel: "Change the PIN",
        isLocked: "Locked",
        heading: "The PIN of your account",
        pageLead: "Choose one that you use nowhere else. When you change your password, the PIN goes with it.",
        lockedLead: "Your PIN is locked after too many wrong tries. Choose a new one to unlock it.",
        restoredLead: """
            For your safety your PIN was locked when this service was restored from a backup. Nobody typed it wrong. Choose a \
            new one.
            """,
        offLead: "PINs are no longer offered here. You can still remove yours.",
        newLabel: "New PIN",
        newHint: "6 to 12 digits: no rows such as 123456, no repetitions.",
        repeatLabel: "Repeat the PIN",
        saveLabel: "Save the PIN",
        removeLabel: "Remove the PIN",
        wasSet: "The PIN was saved. It opens your account from now on.",
        cooling: "Your PIN can’t be used to approve payments until {time}.",
        wasRemoved: "The PIN was removed. Whoever was signed in with it elsewhere was signed out.",
        malformed: "A PIN has digits only. Nothing was changed.",
        tooShort: "That PIN is too short: it needs at least 6 digits. Nothing was changed.",
        tooLong: "That PIN is too long: at most 12 digits. Nothing was changed.",
        mistyped: "The two PINs are not the same. Type the new one twice again. Nothing was changed.",
        tooCommon: "That PIN is too easy to guess. Choose another one. Nothing was changed.")
}

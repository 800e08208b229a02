extension MessageWording {
    static let english = MessageWording(
        time: "Time: {time}",
        device: "Device: “{device}”",
        cooling: "It can't be used to approve payments until {cooling}.",
        codeLife: "It works once, for {minutes} minutes.",
        codeAdvice: """
            Don't share it with anyone: we never ask for it. If you did not ask for this code, someone may know your password. \
            Change it, and get in touch with {brand}.
            """,
        recoveryAdvice: """
            Don't share it with anyone: we never ask for it. If you did not ask for this code, there is nothing to do: \
            without it nobody gets in.
            """,
        protectAdvice: """
            If this was you, there is nothing to do. If it was not, somebody else has access: change your password at \
            once, remove devices that you do not know, and get in touch with {brand}.
            """,
        askAdvice: "If you did not expect this, get in touch with {brand}.",
        refusalAdvice: """
            If you did not start this operation, somebody else may be signed in as you: change your password at once, and \
            remove devices that you do not know. If you started it yourself, start it again. If you refused nothing, get in \
            touch with {brand}.
            """,
        footer: "{brand} sends this message because it concerns the safety of your account. Please do not reply.",
        payment: "{amount} to account {payee_account} ({payee})",
        series: "a SERIES of payments, {amount} each, without asking you again, to account {payee_account} ({payee})",
        trust: "from now on payments of ANY amount, without asking you again, to account {payee_account} ({payee})",
        distrust: "no longer to trust account {payee_account} ({payee})",
        smsCode: "{code} is your code for {brand}. Don't share it with anyone.",
        smsProtectAdvice: "Not you? Change your password and contact {brand}.",
        smsAskAdvice: "Questions? Contact {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "You were signed out for your safety",
                "A session of your {brand} account was ended, because a copy of its key was used elsewhere.")
        case .codeReuse:
            Text(
                "You were signed out for your safety",
                "A session of your {brand} account was ended, because the code that opened it was used twice.")
        case .deactivated:
            Text(
                "Your wallet was deactivated",
                "Your {brand} wallet was deactivated. Nobody can sign in to it until it is opened again.")
        case .passwordChanged:
            Text("Your password was changed", "The password of your {brand} account was changed.")
        case .passwordExpired:
            Text(
                "Your password has to be changed",
                """
                The password of your {brand} account is in a list of stolen or very common ones. You were signed \
                out, and choose a new one when you sign in.
                """)
        case .emailCode:
            Text("Confirm your e-mail address", "Your code to confirm this e-mail address for {brand}:")
        case .instanceCode:
            Text("Confirm your app", "Your code to confirm the installation of the {brand} app:")
        case .secondFactorCode:
            Text("Your sign-in code", "Your code to sign in to {brand}:")
        case .passwordRecoveryCode:
            Text(
                "Your code to recover access",
                "Your code to choose a new password for {brand}:")
        case .recovered:
            Text(
                "Your access was recovered",
                "A new password was set for your {brand} account by a code that was sent to its e-mail address.")
        case .recoveredOnDevice:
            Text(
                "Your access was recovered",
                """
                A new password was set for your {brand} account by a code sent to its e-mail address. The device \
                that wrong passwords had closed is open again.
                """)
        case .recoveryStopped:
            Text(
                "Somebody tried to set a new password",
                """
                Somebody gave the code from your e-mail to set a new {brand} password, and proved nothing else. \
                Your password holds. Not you? Then somebody reads your mail: change your mailbox’s password.
                """)
        case .newDevice:
            Text(
                "Sign-in from a new device",
                "Somebody signed in to your {brand} account from a new device, by the answer to a secret question.")
        case .recoveryCodeUsed:
            Text("A recovery code was used", "A recovery code of your {brand} account was used to sign in.")
        case .secondFactorFailed:
            Text(
                "A sign-in failed at its second factor",
                "Somebody gave the right password of your {brand} account, and then a wrong second factor until no try was left."
            )
        case .totpAdded:
            Text("An authenticator app was added", "An authenticator app was added to your {brand} account.")
        case .totpRemoved:
            Text("An authenticator app was removed", "The authenticator app of your {brand} account was removed.")
        case .recoveryCodesMade:
            Text(
                "New recovery codes",
                "New recovery codes were made for your {brand} account. Earlier ones no longer work.")
        case .recoveryCodesVoided:
            Text(
                "Your recovery codes no longer work",
                """
                We had to restore our system from a backup. To keep your {brand} account safe, your recovery \
                codes no longer work. Sign in and create new ones.
                """)
        case .secretQuestionsSet:
            Text("Your secret questions were changed", "The secret questions of your {brand} account were changed.")
        case .passkeyAdded:
            Text(
                "A passkey was added",
                "A passkey was added to your {brand} account. It signs in without the password.")
        case .passkeyRemoved:
            Text(
                "A passkey was removed",
                "A passkey was removed from your {brand} account.")
        case .passkeyCopied:
            Text(
                "A passkey may have been copied",
                """
                A passkey of your {brand} account signed in a way that points to a copy. It was refused. Remove \
                that passkey and add a new one.
                """)
        case .identityJoined:
            Text(
                "Another way to sign in was added",
                "An identity at another provider was joined to your {brand} account, and signs in to it from now on.")
        case .identityLeft:
            Text(
                "A way to sign in was taken away",
                "An identity at another provider was removed from your {brand} account and can no longer be used to sign in."
            )
        case .identitySuspended:
            Text(
                "You were signed out",
                "{service} says that you stopped using your {service} account with {brand}, so you were signed out. To go on, sign in with {service} again."
            )
        case .identityRemoved:
            Text(
                "{service} no longer signs you in",
                "{service} says that your account there was deleted. Your {brand} account stays: sign in with your password, or use “Forgot your password?”."
            )
        case .deviceEnrolled:
            Text("A device was added", "A device was added to your {brand} account.")
        case .deviceDeactivated:
            Text(
                "A device was deactivated",
                "A device of your {brand} account was deactivated. Nobody can sign in with it any more.")
        case .deviceClosed:
            Text(
                "A device was deactivated",
                """
                A device of your {brand} account was deactivated after too many wrong passwords. Unless it was \
                enrolled only lately, you open it again on that device: “Forgot your password?”.
                """)
        case .deviceRemoved:
            Text("A device was removed", "A device was removed from your {brand} account.")
        case .pinSet:
            Text("A PIN was set", "A PIN was set or changed on a device of your {brand} account.")
        case .pinLocked:
            Text(
                "Your PIN is locked",
                "The PIN of a device of your {brand} account was locked after too many wrong tries.")
        case .pinForgotten:
            Text(
                "A PIN was taken away",
                "The PIN of a device of your {brand} account was taken away from another device.")
        case .deviceTokenIssued:
            Text(
                "A device stays signed in",
                "A device of your {brand} account may sign in for months without the password.")
        case .accountPINSet:
            Text(
                "A PIN was set for your account",
                "A PIN for signing in on the web was set or changed for your {brand} account.")
        case .accountPINLocked:
            Text(
                "Your PIN is locked",
                """
                The PIN of your {brand} account was locked after too many wrong tries. Sign in with your password, \
                and set a new PIN on the page of your account.
                """)
        case .accountPINRemoved:
            Text(
                "The PIN of your account was removed",
                """
                The PIN of your {brand} account was removed, or went with the password that was changed. Your \
                password opens the account.
                """)
        case .biometricKeyAdded:
            Text(
                "Sign-in by face or finger was set up",
                "Sign-in by face or finger was set up on a device of your {brand} account.")
        case .biometricKeyRemoved:
            Text(
                "Sign-in by face or finger was turned off",
                "Sign-in by face or finger was turned off on a device of your {brand} account.")
        case .consentCode:
            Text("Your code for a payment or an approval", "To approve with {brand}: {operation}.")
        case .consentLocked:
            Text(
                "An operation was stopped",
                "Too many wrong codes or PINs were given to approve an operation with {brand}. It was stopped.")
        case .consentRefused:
            Text(
                "An operation was refused",
                """
                “I did not ask for this” was chosen for an operation with {brand}. It was stopped, and nothing was \
                carried out: {operation}.
                """)
        }
    }
}

extension MessageWording {
    static let english = MessageWording(
        time: "Time: {time}",
        device: "Device: “{device}”",
        cooling: "It can't be used to approve payments until {cooling}.",
        codeLife: "Use it once, within {minutes} minutes.",
        codeAdvice: """
            Don't share it with anyone. We will never ask you for it. If you didn't request this code, someone may \
            know your password: change it and contact {brand}.
            """,
        recoveryAdvice: """
            Don't share it with anyone. We will never ask you for it. If you didn't request this code, you don't need \
            to do anything: no one can get in without it.
            """,
        protectAdvice: """
            If this was you, you don't need to do anything. If it wasn't, someone else has access to your account: \
            change your password right away, remove any devices you don't recognize, and contact {brand}.
            """,
        askAdvice: "If you didn't expect this, contact {brand}.",
        refusalAdvice: """
            If you didn't start this operation, someone else may be signed in as you: change your password right away \
            and remove any devices you don't recognize. If you started it yourself, start it again. If you didn't \
            refuse anything, contact {brand}.
            """,
        footer: """
            You received this message because it concerns the security of your {brand} account. Please do not reply.
            """,
        payment: "{amount} to account {payee_account} ({payee})",
        series: "a SERIES of payments, {amount} each, without asking you again, to account {payee_account} ({payee})",
        trust: "from now on, payments of ANY amount, without asking you again, to account {payee_account} ({payee})",
        distrust: "to stop trusting account {payee_account} ({payee})",
        smsCode: "{code} is your code for {brand}. Don't share it with anyone.",
        smsProtectAdvice: "Not you? Change your password and contact {brand}.",
        smsAskAdvice: "Questions? Contact {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "You were signed out for your safety",
                "We ended a session of your {brand} account because a copy of its key was used elsewhere.")
        case .codeReuse:
            Text(
                "You were signed out for your safety",
                "We ended a session of your {brand} account because the code that opened it was used twice.")
        case .deactivated:
            Text(
                "Your wallet was deactivated",
                "Your {brand} wallet was deactivated. You can't sign in to it until it is reactivated.")
        case .passwordChanged:
            Text("Your password was changed", "The password for your {brand} account was changed.")
        case .passwordExpired:
            Text(
                "You need to change your password",
                """
                Your {brand} password appears in a list of stolen or very common passwords. We signed you out. You \
                will choose a new password when you next sign in.
                """)
        case .emailCode:
            Text("Confirm your e-mail address", "Your code to confirm this e-mail address for {brand}:")
        case .instanceCode:
            Text("Confirm your app", "Your code to confirm the installation of the {brand} app:")
        case .secondFactorCode:
            Text("Your sign-in code", "Your code to sign in to {brand}:")
        case .passwordRecoveryCode:
            Text("Your code to recover your account", "Your code to choose a new password for {brand}:")
        case .recovered:
            Text(
                "Your account was recovered",
                "A new password was set for your {brand} account with a code sent to your e-mail address.")
        case .recoveredOnDevice:
            Text(
                "Your account was recovered",
                """
                A new password was set for your {brand} account with a code sent by e-mail. The device locked after \
                too many wrong passwords is unlocked.
                """)
        case .recoveryStopped:
            Text(
                "Someone tried to reset your password",
                """
                Someone used the code from your e-mail to reset your {brand} password, but could not prove their \
                identity. It was not changed. Not you? Someone can read your e-mail: change its password.
                """)
        case .newDevice:
            Text(
                "Sign-in from a new device",
                "Someone signed in to your {brand} account from a new device by answering a secret question.")
        case .recoveryCodeUsed:
            Text("A recovery code was used", "A recovery code was used to sign in to your {brand} account.")
        case .secondFactorFailed:
            Text(
                "A sign-in failed at the second step",
                """
                Someone entered the right password for your {brand} account, then used up every try at the second step.
                """)
        case .totpAdded:
            Text("An authenticator app was added", "An authenticator app was added to your {brand} account.")
        case .totpRemoved:
            Text("An authenticator app was removed", "The authenticator app was removed from your {brand} account.")
        case .recoveryCodesMade:
            Text(
                "New recovery codes",
                "New recovery codes were created for your {brand} account. Your old codes no longer work.")
        case .recoveryCodesVoided:
            Text(
                "Your recovery codes no longer work",
                """
                We had to restore our system from a backup. To keep your {brand} account safe, your recovery \
                codes no longer work. Sign in and create new ones.
                """)
        case .secretQuestionsSet:
            Text("Your secret questions were changed", "The secret questions for your {brand} account were changed.")
        case .passkeyAdded:
            Text(
                "A passkey was added",
                "A passkey was added to your {brand} account. It can be used to sign in without the password.")
        case .passkeyRemoved:
            Text(
                "A passkey was removed",
                "A passkey was removed from your {brand} account.")
        case .passkeyCopied:
            Text(
                "A passkey may have been copied",
                """
                A passkey on your {brand} account behaved as if it had been copied, so we refused it. Remove that \
                passkey and add a new one.
                """)
        case .identityJoined:
            Text(
                "Another way to sign in was added",
                "An account with another provider was linked to your {brand} account. It can now be used to sign in.")
        case .identityLeft:
            Text(
                "A way to sign in was removed",
                """
                An account with another provider was unlinked from your {brand} account. It can no longer be used to \
                sign in.
                """)
        case .identitySuspended:
            Text(
                "You were signed out",
                """
                {service} says that you stopped using your {service} account with {brand}, so we signed you out. To \
                continue, sign in with {service} again.
                """)
        case .identityRemoved:
            Text(
                "You can no longer sign in with {service}",
                """
                {service} says that your account there was deleted. You keep your {brand} account: sign in with your \
                password, or use “Forgot your password?”.
                """)
        case .deviceEnrolled:
            Text("A device was added", "A device was linked to your {brand} account.")
        case .deviceDeactivated:
            Text(
                "A device was deactivated",
                "A device linked to your {brand} account was deactivated. It can no longer be used to sign in.")
        case .deviceClosed:
            Text(
                "A device was locked",
                """
                A device linked to your {brand} account was locked after too many wrong passwords. To unlock it, use \
                “Forgot your password?” on that device, unless you added it only recently.
                """)
        case .deviceRemoved:
            Text("A device was removed", "A device was removed from your {brand} account.")
        case .pinSet:
            Text("A PIN was set", "A PIN was set or changed on a device linked to your {brand} account.")
        case .pinLocked:
            Text(
                "Your PIN is locked",
                "The PIN on a device linked to your {brand} account was locked after too many wrong tries.")
        case .pinForgotten:
            Text(
                "A PIN was removed",
                "The PIN on a device linked to your {brand} account was removed using another device.")
        case .deviceTokenIssued:
            Text(
                "A device stays signed in",
                "A device linked to your {brand} account can now sign in for months without the password.")
        case .accountPINSet:
            Text(
                "A PIN was set for your account",
                "A PIN for signing in to your {brand} account on the web was set or changed.")
        case .accountPINLocked:
            Text(
                "Your PIN is locked",
                """
                The PIN for your {brand} account was locked after too many wrong tries. Sign in with your password and \
                set a new PIN on your account page.
                """)
        case .accountPINRemoved:
            Text(
                "Your account PIN was removed",
                """
                The PIN for your {brand} account was removed, either directly or because the password was changed. Use \
                your password to sign in.
                """)
        case .biometricKeyAdded:
            Text(
                "Face or fingerprint sign-in was set up",
                "Face or fingerprint sign-in was set up on a device linked to your {brand} account.")
        case .biometricKeyRemoved:
            Text(
                "Face or fingerprint sign-in was turned off",
                "Face or fingerprint sign-in was turned off on a device linked to your {brand} account.")
        case .consentCode:
            Text("Your code for a payment or approval", "To approve with {brand}: {operation}.")
        case .consentLocked:
            Text(
                "An operation was stopped",
                "We stopped an operation with {brand} because too many wrong codes or PINs were entered to approve it.")
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

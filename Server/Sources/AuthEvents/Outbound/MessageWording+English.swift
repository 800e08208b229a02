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
        smsAskAdvice: "Questions? Contact {brand}.")
}

extension MessageWording {
    static let spanish = MessageWording(
        time: "Hora: {time}",
        device: "Dispositivo: «{device}»",
        cooling: "No sirve para aceptar pagos hasta el {cooling}.",
        codeLife: "Solo se puede usar una vez y caduca a los {minutes} minutos.",
        codeAdvice: """
            No lo comparta con nadie: nunca se lo pediremos. Si no ha solicitado este código, es posible que alguien \
            conozca su contraseña: cámbiela y póngase en contacto con {brand}.
            """,
        recoveryAdvice: """
            No lo comparta con nadie: nunca se lo pediremos. Si no ha solicitado este código, no tiene que hacer nada: \
            nadie puede entrar sin él.
            """,
        protectAdvice: """
            Si ha sido usted, no tiene que hacer nada. Si no, otra persona tiene acceso a su cuenta: cambie su \
            contraseña de inmediato, elimine los dispositivos que no reconozca y póngase en contacto con {brand}.
            """,
        askAdvice: "Si no lo esperaba, póngase en contacto con {brand}.",
        refusalAdvice: """
            Si no inició usted esta operación, es posible que otra persona haya entrado en su cuenta: cambie su \
            contraseña de inmediato y elimine los dispositivos que no reconozca. Si la inició usted, vuelva a \
            iniciarla. Si no ha rechazado nada, póngase en contacto con {brand}.
            """,
        footer: """
            Ha recibido este mensaje porque afecta a la seguridad de su cuenta de {brand}. Por favor, no responda.
            """,
        payment: "{amount} a la cuenta {payee_account} ({payee})",
        series:
            "una SERIE de pagos, {amount} cada uno, sin volver a preguntarle, a la cuenta {payee_account} ({payee})",
        trust: """
            desde ahora, pagos de CUALQUIER importe, sin volver a preguntarle, a la cuenta {payee_account} ({payee})
            """,
        distrust: "dejar de confiar en la cuenta {payee_account} ({payee})",
        smsCode: "{code} es su código para {brand}. No lo comparta con nadie.",
        smsProtectAdvice: "¿No ha sido usted? Cambie su contraseña y contacte con {brand}.",
        smsAskAdvice: "¿Preguntas? Contacte con {brand}.")
}

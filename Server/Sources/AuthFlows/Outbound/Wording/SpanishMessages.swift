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
        smsAskAdvice: "¿Preguntas? Contacte con {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "Hemos cerrado una sesión por su seguridad",
                "Hemos cerrado una sesión de su cuenta de {brand} porque se ha usado una copia de su clave.")
        case .codeReuse:
            Text(
                "Hemos cerrado una sesión por su seguridad",
                "Hemos cerrado una sesión de su cuenta de {brand} porque el código que la abrió se ha usado dos veces.")
        case .deactivated:
            Text(
                "Se ha desactivado su monedero",
                "Se ha desactivado su monedero de {brand}. No podrá iniciar sesión hasta que se reactive.")
        case .passwordChanged:
            Text("Se ha cambiado su contraseña", "Se ha cambiado la contraseña de su cuenta de {brand}.")
        case .passwordExpired:
            Text(
                "Tiene que cambiar su contraseña",
                """
                La contraseña de su cuenta de {brand} está en una lista de contraseñas robadas o muy comunes. Hemos \
                cerrado su sesión. La próxima vez que entre, elegirá una nueva.
                """)
        case .emailCode:
            Text(
                "Confirme su correo electrónico",
                "Su código para confirmar esta dirección de correo electrónico en {brand}:")
        case .instanceCode:
            Text("Confirme su aplicación", "Su código para confirmar la instalación de la aplicación de {brand}:")
        case .secondFactorCode:
            Text("Su código de inicio de sesión", "Su código para iniciar sesión en {brand}:")
        case .passwordRecoveryCode:
            Text("Su código para recuperar la cuenta", "Su código para elegir una contraseña nueva de {brand}:")
        case .recovered:
            Text(
                "Se ha recuperado su cuenta",
                """
                Se ha establecido una contraseña nueva para su cuenta de {brand} con un código enviado a su correo \
                electrónico.
                """)
        case .recoveredOnDevice:
            Text(
                "Se ha recuperado su cuenta",
                """
                Se ha establecido una contraseña nueva de {brand} con un código enviado por correo. El dispositivo \
                bloqueado por contraseñas incorrectas se ha desbloqueado.
                """)
        case .recoveryStopped:
            Text(
                "Alguien ha intentado restablecer su contraseña",
                """
                Alguien ha intentado cambiar su contraseña de {brand} con el código de su correo, sin demostrar su \
                identidad. Sigue siendo válida. ¿No ha sido usted? Alguien lee su correo: cambie su contraseña.
                """)
        case .newDevice:
            Text(
                "Inicio de sesión desde un dispositivo nuevo",
                """
                Alguien ha iniciado sesión en su cuenta de {brand} desde un dispositivo nuevo, respondiendo a una \
                pregunta secreta.
                """)
        case .recoveryCodeUsed:
            Text(
                "Se ha usado un código de recuperación",
                "Se ha usado un código de recuperación de su cuenta de {brand} para iniciar sesión.")
        case .secondFactorFailed:
            Text(
                "Un inicio de sesión ha fallado en el segundo paso",
                """
                Alguien ha introducido la contraseña correcta de su cuenta de {brand} y después ha agotado los \
                intentos en el segundo paso.
                """)
        case .totpAdded:
            Text(
                "Se ha añadido una aplicación de autenticación",
                "Se ha añadido una aplicación de autenticación a su cuenta de {brand}.")
        case .totpRemoved:
            Text(
                "Se ha eliminado una aplicación de autenticación",
                "Se ha eliminado la aplicación de autenticación de su cuenta de {brand}.")
        case .recoveryCodesMade:
            Text(
                "Códigos de recuperación nuevos",
                "Se han creado códigos de recuperación nuevos para su cuenta de {brand}. Los anteriores ya no sirven.")
        case .recoveryCodesVoided:
            Text(
                "Sus códigos de recuperación ya no sirven",
                """
                Hemos tenido que restaurar nuestro sistema a partir de una copia de seguridad. Para proteger su \
                cuenta de {brand}, sus códigos de recuperación ya no sirven. Inicie sesión y cree otros nuevos.
                """)
        case .secretQuestionsSet:
            Text(
                "Se han cambiado sus preguntas secretas",
                "Se han cambiado las preguntas secretas de su cuenta de {brand}.")
        case .passkeyAdded:
            Text(
                "Se ha añadido una llave de acceso",
                "Se ha añadido una llave de acceso a su cuenta de {brand}. Permite iniciar sesión sin contraseña.")
        case .passkeyRemoved:
            Text(
                "Se ha quitado una llave de acceso",
                "Se ha quitado una llave de acceso de su cuenta de {brand}.")
        case .passkeyCopied:
            Text(
                "Es posible que se haya copiado una llave de acceso",
                """
                Una llave de acceso de su cuenta de {brand} se ha comportado como una copia y se ha rechazado. Elimine \
                esa llave y añada una nueva.
                """)
        case .identityJoined:
            Text(
                "Se ha añadido otra forma de entrar",
                """
                Se ha vinculado a su cuenta de {brand} una cuenta de otro proveedor, que desde ahora permite entrar en \
                ella.
                """)
        case .identityLeft:
            Text(
                "Se ha quitado una forma de entrar",
                """
                Se ha desvinculado de su cuenta de {brand} una cuenta de otro proveedor, que ya no permite entrar en \
                ella.
                """)
        case .identitySuspended:
            Text(
                "Se ha cerrado su sesión",
                """
                Según {service}, ya no usa su cuenta de {service} con {brand}, así que hemos cerrado su sesión. Para \
                continuar, vuelva a entrar con {service}.
                """)
        case .identityRemoved:
            Text(
                "Ya no puede entrar con {service}",
                "Según {service}, su cuenta allí se ha eliminado. Su cuenta de {brand} se conserva: entre con su contraseña o use «¿Ha olvidado su contraseña?»."
            )
        case .deviceEnrolled:
            Text("Se ha añadido un dispositivo", "Se ha vinculado un dispositivo a su cuenta de {brand}.")
        case .deviceDeactivated:
            Text(
                "Se ha desactivado un dispositivo",
                "Se ha desactivado un dispositivo de su cuenta de {brand}. Ya no se puede iniciar sesión con él.")
        case .deviceClosed:
            Text(
                "Se ha bloqueado un dispositivo",
                """
                Se ha bloqueado un dispositivo de su cuenta de {brand} tras demasiadas contraseñas incorrectas. \
                Desbloquéelo en él con «¿Ha olvidado su contraseña?», salvo que lo añadiera hace poco.
                """)
        case .deviceRemoved:
            Text("Se ha eliminado un dispositivo", "Se ha eliminado un dispositivo de su cuenta de {brand}.")
        case .pinSet:
            Text(
                "Se ha establecido un PIN",
                "Se ha establecido o cambiado un PIN en un dispositivo de su cuenta de {brand}.")
        case .pinLocked:
            Text(
                "Su PIN está bloqueado",
                "Se ha bloqueado el PIN de un dispositivo de su cuenta de {brand} tras demasiados intentos fallidos.")
        case .pinForgotten:
            Text(
                "Se ha quitado un PIN",
                "Se ha quitado desde otro dispositivo el PIN de un dispositivo de su cuenta de {brand}.")
        case .deviceTokenIssued:
            Text(
                "Un dispositivo mantiene la sesión iniciada",
                "Un dispositivo de su cuenta de {brand} ya puede entrar durante meses sin contraseña.")
        case .accountPINSet:
            Text(
                "Se ha definido un PIN para su cuenta",
                "Se ha definido o cambiado un PIN para entrar por la web en su cuenta de {brand}.")
        case .accountPINLocked:
            Text(
                "Su PIN está bloqueado",
                """
                Se ha bloqueado el PIN de su cuenta de {brand} tras demasiados intentos fallidos. Entre con su \
                contraseña y defina otro en la página de su cuenta.
                """)
        case .accountPINRemoved:
            Text(
                "Se ha quitado el PIN de su cuenta",
                """
                Se ha quitado el PIN de su cuenta de {brand}, directamente o porque se cambió la contraseña. Inicie \
                sesión con su contraseña.
                """)
        case .biometricKeyAdded:
            Text(
                "Acceso con el rostro o la huella activado",
                "Se ha activado el acceso con el rostro o la huella en un dispositivo de su cuenta de {brand}.")
        case .biometricKeyRemoved:
            Text(
                "Acceso con el rostro o la huella desactivado",
                "Se ha desactivado el acceso con el rostro o la huella en un dispositivo de su cuenta de {brand}.")
        case .consentCode:
            Text("Su código para un pago o una autorización", "Para autorizar en {brand}: {operation}.")
        case .consentLocked:
            Text(
                "Se ha detenido una operación",
                """
                Hemos detenido una operación en {brand} porque se han introducido demasiados códigos o PIN incorrectos \
                para autorizarla.
                """)
        case .consentRefused:
            Text(
                "Se ha rechazado una operación",
                """
                Se ha elegido «Yo no he pedido esto» en una operación de {brand}. Se ha detenido y no se ha realizado: \
                {operation}.
                """)
        }
    }
}

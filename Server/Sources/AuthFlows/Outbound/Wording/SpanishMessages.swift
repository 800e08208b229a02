extension MessageWording {
    static let spanish = MessageWording(
        time: "Hora: {time}",
        device: "Dispositivo: «{device}»",
        cooling: "No sirve para aceptar pagos hasta el {cooling}.",
        codeLife: "Sirve una sola vez, durante {minutes} minutos.",
        codeAdvice: """
            No se lo dé a nadie: nunca lo pedimos. Si usted no ha solicitado este código, es posible que alguien conozca su \
            contraseña. Cámbiela y póngase en contacto con {brand}.
            """,
        recoveryAdvice: """
            No se lo dé a nadie: nunca lo pedimos. Si usted no ha solicitado este código, no hay nada que hacer: \
            sin él nadie entra.
            """,
        protectAdvice: """
            Si ha sido usted, no hay nada que hacer. Si no, otra persona tiene acceso: cambie enseguida su contraseña, \
            elimine los dispositivos que no conozca y póngase en contacto con {brand}.
            """,
        askAdvice: "Si no lo esperaba, póngase en contacto con {brand}.",
        refusalAdvice: """
            Si no inició usted esta operación, puede que otra persona haya entrado en su cuenta: cambie enseguida su contraseña \
            y elimine los dispositivos que no conozca. Si la inició usted, vuelva a iniciarla. Si no ha rechazado nada, póngase \
            en contacto con {brand}.
            """,
        footer: "{brand} envía este mensaje porque afecta a la seguridad de su cuenta. No es posible responder a él.",
        payment: "{amount} a la cuenta {payee_account} ({payee})",
        series:
            "una SERIE de pagos, {amount} cada uno, sin volver a preguntarle, a la cuenta {payee_account} ({payee})",
        trust:
            "desde ahora pagos de CUALQUIER importe, sin volver a preguntarle, a la cuenta {payee_account} ({payee})",
        distrust: "dejar de confiar en la cuenta {payee_account} ({payee})",
        smsCode: "{code} es su código para {brand}. No se lo dé a nadie.",
        smsProtectAdvice: "¿No ha sido usted? Cambie su contraseña y contacte con {brand}.",
        smsAskAdvice: "¿Preguntas? Contacte con {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "Hemos cerrado su sesión por seguridad",
                "Se ha cerrado una sesión de su cuenta de {brand}, porque se ha usado una copia de su clave.")
        case .codeReuse:
            Text(
                "Hemos cerrado su sesión por seguridad",
                "Se ha cerrado una sesión de su cuenta de {brand}, porque el código que la abrió se ha usado dos veces."
            )
        case .deactivated:
            Text(
                "Su monedero se ha desactivado",
                "Su monedero de {brand} se ha desactivado. Nadie puede iniciar sesión hasta que se abra de nuevo.")
        case .passwordChanged:
            Text("Su contraseña se ha cambiado", "La contraseña de su cuenta de {brand} se ha cambiado.")
        case .passwordExpired:
            Text(
                "Tiene que cambiar su contraseña",
                """
                La contraseña de su cuenta de {brand} está en una lista de contraseñas robadas o muy comunes. Se \
                cerró su sesión y elegirá una nueva al entrar.
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
            Text(
                "Su código de recuperación",
                "Su código para elegir una contraseña nueva de {brand}:")
        case .recovered:
            Text(
                "Se ha recuperado su acceso",
                """
                Se ha establecido una contraseña nueva para su cuenta de {brand} con un código enviado al correo \
                electrónico de la cuenta.
                """)
        case .recoveredOnDevice:
            Text(
                "Se ha recuperado su acceso",
                """
                Se ha establecido una contraseña nueva de {brand} con un código enviado por correo. El dispositivo \
                cerrado por contraseñas incorrectas vuelve a estar abierto.
                """)
        case .recoveryStopped:
            Text(
                "Alguien ha querido establecer una contraseña nueva",
                """
                Alguien ha dado el código de su correo para cambiar la contraseña de {brand} sin acreditar nada \
                más. La suya sigue valiendo. ¿No ha sido usted? Leen su correo: cambie la contraseña del correo.
                """)
        case .newDevice:
            Text(
                "Inicio de sesión desde un dispositivo nuevo",
                "Alguien ha iniciado sesión en su cuenta de {brand} desde un dispositivo nuevo, con una pregunta secreta."
            )
        case .recoveryCodeUsed:
            Text(
                "Se ha usado un código de recuperación",
                "Se ha usado un código de recuperación de su cuenta de {brand} para iniciar sesión.")
        case .secondFactorFailed:
            Text(
                "Un inicio de sesión ha fallado en el segundo factor",
                "Alguien ha introducido la contraseña correcta de su cuenta de {brand} y después un segundo factor incorrecto hasta agotar los intentos."
            )
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
                "Sus preguntas secretas se han cambiado",
                "Las preguntas secretas de su cuenta de {brand} se han cambiado.")
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
                Una llave de acceso de su cuenta de {brand} ha firmado de un modo que indica que hay una copia. \
                Se ha rechazado. Quite esa llave de acceso y añada una nueva.
                """)
        case .identityJoined:
            Text(
                "Se ha añadido otra forma de entrar",
                "Una identidad de otro proveedor se ha unido a su cuenta de {brand} y permite entrar en ella desde ahora."
            )
        case .identityLeft:
            Text(
                "Se ha quitado una forma de entrar",
                "Una identidad de otro proveedor se ha separado de su cuenta de {brand} y ya no permite entrar en ella."
            )
        case .identitySuspended:
            Text(
                "Se ha cerrado su sesión",
                "Según {service}, ya no usa su cuenta de {service} con {brand}, por lo que se ha cerrado su sesión. Para continuar, vuelva a entrar con {service}."
            )
        case .identityRemoved:
            Text(
                "Ya no puede entrar con {service}",
                "Según {service}, su cuenta allí se ha eliminado. Su cuenta de {brand} se conserva: entre con su contraseña o use «¿Ha olvidado su contraseña?»."
            )
        case .deviceEnrolled:
            Text("Se ha añadido un dispositivo", "Se ha añadido un dispositivo a su cuenta de {brand}.")
        case .deviceDeactivated:
            Text(
                "Se ha desactivado un dispositivo",
                "Se ha desactivado un dispositivo de su cuenta de {brand}. Ya nadie puede iniciar sesión con él.")
        case .deviceClosed:
            Text(
                "Se ha desactivado un dispositivo",
                """
                Se ha desactivado un dispositivo de su cuenta de {brand} tras demasiadas contraseñas incorrectas. \
                Si no se registró hace muy poco, lo abre de nuevo en él: «¿Ha olvidado su contraseña?».
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
                "El PIN de un dispositivo de su cuenta de {brand} se ha bloqueado tras demasiados intentos erróneos.")
        case .pinForgotten:
            Text(
                "Se ha quitado un PIN",
                "El PIN de un dispositivo de su cuenta de {brand} se ha quitado desde otro dispositivo.")
        case .deviceTokenIssued:
            Text(
                "Un dispositivo mantiene la sesión",
                "Un dispositivo de su cuenta de {brand} puede entrar durante meses sin contraseña.")
        case .accountPINSet:
            Text(
                "Se ha definido un PIN para su cuenta",
                "Se ha definido o cambiado un PIN para entrar por la web en su cuenta de {brand}.")
        case .accountPINLocked:
            Text(
                "Su PIN está bloqueado",
                """
                El PIN de su cuenta de {brand} se ha bloqueado tras demasiados intentos erróneos. Entre con su \
                contraseña y defina otro en la página de su cuenta.
                """)
        case .accountPINRemoved:
            Text(
                "Se ha quitado el PIN de su cuenta",
                """
                El PIN de su cuenta de {brand} se ha quitado, o desapareció con la contraseña que se cambió. Su \
                contraseña abre la cuenta.
                """)
        case .biometricKeyAdded:
            Text(
                "Inicio de sesión con el rostro o el dedo activado",
                "Se ha activado el inicio de sesión con el rostro o el dedo en un dispositivo de su cuenta de {brand}.")
        case .biometricKeyRemoved:
            Text(
                "Acceso con el rostro o el dedo desactivado",
                "Se ha desactivado el acceso con el rostro o el dedo en un dispositivo de su cuenta de {brand}.")
        case .consentCode:
            Text("Su código para un pago o una autorización", "Para autorizar en {brand}: {operation}.")
        case .consentLocked:
            Text(
                "Se ha detenido una operación",
                "Se han introducido demasiados códigos o PIN incorrectos para autorizar una operación en {brand}. Se ha detenido."
            )
        case .consentRefused:
            Text(
                "Se ha rechazado una operación",
                """
                Se ha indicado que usted no pidió una operación en {brand}. Se ha detenido y no se ha realizado: \
                {operation}.
                """)
        }
    }
}

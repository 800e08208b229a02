extension AccountPINText {
    static let spanish = AccountPINText(
        label: "PIN",
        usePINLabel: "Usar el PIN",
        usePasswordLabel: "Usar la contraseña",
        wrong: """
            El nombre de usuario o el PIN no es correcto, o el PIN no se puede usar ahora. Compruebe ambos o use \
            su contraseña.
            """,
        passwordNeeded: "Primero tiene que cambiar su contraseña. Esta vez, inicie sesión con ella.",
        forgotLabel: "¿Ha olvidado su PIN?",
        forgotten:
            "Inicie sesión con su contraseña. Después podrá elegir un PIN nuevo en la página de su cuenta: {address}.",
        lead: """
            Con un PIN puede iniciar sesión aquí en las aplicaciones que lo piden. Tras cinco intentos fallidos, solo \
            sirve su contraseña.
            """,
        setLabel: "Definir un PIN",
        changeLabel: "Cambiar el PIN",
        isLocked: "Bloqueado",
        heading: "El PIN de su cuenta",
        pageLead: "Elija un PIN que no use en ningún otro sitio. Si cambia su contraseña, el PIN se elimina.",
        lockedLead: "Su PIN está bloqueado tras demasiados intentos fallidos. Elija uno nuevo para desbloquearlo.",
        restoredLead: """
            Por su seguridad, bloqueamos su PIN al restaurar este servicio desde una copia de seguridad. No se debe a \
            intentos fallidos. Elija uno nuevo.
            """,
        offLead: "Aquí ya no se ofrece el uso de PIN. Todavía puede quitar el suyo.",
        newLabel: "PIN nuevo",
        newHint: "De 6 a 12 cifras, sin series como 123456 ni repeticiones.",
        repeatLabel: "Repita el PIN",
        saveLabel: "Guardar el PIN",
        removeLabel: "Quitar el PIN",
        wasSet: "El PIN se ha guardado. Ya puede iniciar sesión con él.",
        cooling: "Su PIN no servirá para autorizar pagos hasta el {time}.",
        wasRemoved: "El PIN se ha quitado. Se han cerrado las sesiones iniciadas con él en otros lugares.",
        malformed: "Un PIN solo puede tener cifras. No se ha cambiado nada.",
        tooShort: "Ese PIN es demasiado corto. Use al menos 6 cifras. No se ha cambiado nada.",
        tooLong: "Ese PIN es demasiado largo. Use 12 cifras como máximo. No se ha cambiado nada.",
        mistyped: "Los dos PIN no coinciden. Escriba dos veces el PIN nuevo. No se ha cambiado nada.",
        tooCommon: "Ese PIN es demasiado fácil de adivinar. Elija otro. No se ha cambiado nada.")
}

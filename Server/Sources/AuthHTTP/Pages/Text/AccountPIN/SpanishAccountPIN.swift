extension AccountPINText {
    static let spanish = AccountPINText(
        label: "PIN",
        usePINLabel: "Usar su PIN en su lugar",
        usePasswordLabel: "Usar su contraseña en su lugar",
        wrong: """
            El nombre de usuario o el PIN no es correcto, o el PIN no se puede usar ahora. Compruebe ambos o use \
            su contraseña.
            """,
        passwordNeeded: "Primero hay que cambiar su contraseña. Inicie sesión una vez con ella.",
        forgotLabel: "¿Ha olvidado su PIN?",
        forgotten:
            "Inicie sesión con su contraseña. Después podrá elegir un PIN nuevo en la página de su cuenta: {address}.",
        lead: """
            Con un PIN inicia sesión aquí en las aplicaciones que lo piden. Tras cinco erróneos, solo su \
            contraseña abre la cuenta.
            """,
        setLabel: "Definir un PIN",
        changeLabel: "Cambiar el PIN",
        isLocked: "Bloqueado",
        heading: "El PIN de su cuenta",
        pageLead: "Elija uno que no use en ningún otro sitio. Si cambia su contraseña, el PIN desaparece con ella.",
        lockedLead: "Su PIN está bloqueado tras demasiados intentos erróneos. Elija uno nuevo.",
        restoredLead: """
            Por seguridad, su PIN se bloqueó al restaurar este servicio desde una copia de seguridad. Nadie lo ha escrito \
            mal. Elija uno nuevo.
            """,
        offLead: "Aquí ya no se ofrecen PIN. Todavía puede quitar el suyo.",
        newLabel: "PIN nuevo",
        newHint: "De 6 a 12 cifras: sin series como 123456 ni repeticiones.",
        repeatLabel: "Repita el PIN",
        saveLabel: "Guardar el PIN",
        removeLabel: "Quitar el PIN",
        wasSet: "El PIN se ha guardado. Desde ahora abre su cuenta.",
        cooling: "Su PIN no sirve para aceptar pagos hasta el {time}.",
        wasRemoved: "El PIN se ha quitado. Se ha cerrado la sesión de quien había entrado con él en otro lugar.",
        malformed: "Un PIN solo tiene cifras. No se ha cambiado nada.",
        tooShort: "Ese PIN es demasiado corto: necesita al menos 6 cifras. No se ha cambiado nada.",
        tooLong: "Ese PIN es demasiado largo: 12 cifras como máximo. No se ha cambiado nada.",
        mistyped: "Los dos PIN no son iguales. Escriba otra vez el nuevo dos veces. No se ha cambiado nada.",
        tooCommon: "Ese PIN es demasiado fácil de adivinar. Elija otro. No se ha cambiado nada.")
}

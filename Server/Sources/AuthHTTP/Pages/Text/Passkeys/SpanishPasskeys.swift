extension PasskeyText {
    static let spanish = PasskeyText(
        signInLabel: "Iniciar sesión con una llave de acceso",
        signInFailed: "No se ha usado ninguna llave de acceso. Inténtelo de nuevo o inicie sesión con su contraseña.",
        refused: "Esa llave de acceso no se ha aceptado. Inténtelo de nuevo o inicie sesión con su contraseña.",
        agreeLabel: "Aceptar con una llave de acceso",
        agreeFailed: "No se ha usado ninguna llave de acceso y no se ha aceptado nada. Inténtelo de nuevo.",
        wrongForConsent: "Esa llave de acceso no se ha aceptado. Intentos restantes: {count}.",
        label: "Llaves de acceso",
        lead: """
            Con una llave de acceso inicia sesión con su huella, su cara o el código de su dispositivo, sin \
            contraseña.
            """,
        manageLabel: "Gestionar las llaves de acceso",
        heading: "Sus llaves de acceso",
        pageLead: "Cada una de ellas permite iniciar sesión en su cuenta. Quite las que no conozca.",
        none: "Todavía no tiene ninguna.",
        nameLabel: "Nombre",
        renameLabel: "Guardar el nombre",
        removeLabel: "Quitar esta llave de acceso",
        added: "Añadida el {date}.",
        used: "Usada por última vez el {date}.",
        neverUsed: "Todavía no se ha usado.",
        synced: "en varios dispositivos",
        formerDomain: "de una dirección anterior de este servicio, ya no se puede usar",
        addHeading: "Añadir una llave de acceso",
        addLead: """
            Su dispositivo le pide su huella, su cara o su código. Una llave nueva sustituye al segundo paso del \
            inicio de sesión solo después de un día.
            """,
        addLabel: "Añadir una llave de acceso",
        addFailed: "No se ha creado ninguna llave de acceso. Inténtelo de nuevo.",
        known: "Este dispositivo ya tiene una llave de acceso para su cuenta.",
        unsupported: "Este navegador no admite llaves de acceso, o los scripts están desactivados en él.",
        tooMany: "Tiene {count} llaves de acceso y no puede haber más. Quite primero una.",
        wasAdded: "La llave de acceso se ha añadido.",
        wasRenamed: "El nombre se ha guardado.",
        wasRemoved: """
            La llave de acceso se ha quitado. Se ha cerrado la sesión de quien había entrado con una llave de \
            acceso en otro lugar.
            """,
        notTaken: "Esa llave de acceso no se ha aceptado y no se ha cambiado nada. Inténtelo de nuevo.",
        unusableName: "Un nombre tiene de 1 a 64 caracteres. No se ha cambiado nada.",
        lastWayIn: "Esta llave de acceso es la única forma de iniciar sesión en su cuenta, así que se queda.",
        unknown: "Su cuenta ya no tiene esa llave de acceso.")
}

extension PasskeyText {
    static let spanish = PasskeyText(
        signInLabel: "Iniciar sesión con una llave de acceso",
        signInFailed: "No se ha usado ninguna llave de acceso. Inténtelo de nuevo o inicie sesión con su contraseña.",
        refused: "Esa llave de acceso no se ha aceptado. Inténtelo de nuevo o inicie sesión con su contraseña.",
        agreeLabel: "Autorizar con una llave de acceso",
        agreeFailed: "No se ha usado ninguna llave de acceso y no se ha autorizado nada. Inténtelo de nuevo.",
        wrongForConsent: "Esa llave de acceso no se ha aceptado. Intentos restantes: {count}.",
        label: "Llaves de acceso",
        lead: "Con una llave de acceso inicia sesión sin contraseña, con su huella, su cara o el bloqueo de pantalla.",
        manageLabel: "Gestionar las llaves de acceso",
        heading: "Sus llaves de acceso",
        pageLead: "Con cada una de ellas se puede iniciar sesión en su cuenta. Quite las que no reconozca.",
        none: "Todavía no tiene ninguna.",
        nameLabel: "Nombre",
        renameLabel: "Guardar el nombre",
        removeLabel: "Quitar esta llave de acceso",
        added: "Añadida el {date}.",
        used: "Usada por última vez el {date}.",
        neverUsed: "Todavía no se ha usado.",
        synced: "en varios dispositivos",
        formerDomain: "para una dirección anterior de este servicio, ya no se puede usar",
        addHeading: "Añadir una llave de acceso",
        addLead: """
            Su dispositivo le pide la huella, la cara o el bloqueo de pantalla. Una llave nueva solo sustituye al \
            segundo paso del inicio de sesión después de un día.
            """,
        addLabel: "Añadir una llave de acceso",
        addFailed: "No se ha creado ninguna llave de acceso. Inténtelo de nuevo.",
        known: "Este dispositivo ya tiene una llave de acceso para su cuenta.",
        unsupported: "Este navegador no admite llaves de acceso o JavaScript está desactivado.",
        tooMany: "Tiene {count} llaves de acceso, que es el máximo. Quite primero una.",
        wasAdded: "La llave de acceso se ha añadido.",
        wasRenamed: "El nombre se ha guardado.",
        wasRemoved: """
            La llave de acceso se ha quitado. Se han cerrado las sesiones iniciadas con una llave de acceso en otros \
            lugares.
            """,
        notTaken: "Esa llave de acceso no se ha aceptado y no se ha cambiado nada. Inténtelo de nuevo.",
        unusableName: "Un nombre debe tener de 1 a 64 caracteres. No se ha cambiado nada.",
        lastWayIn: "Esta llave de acceso es la única forma de iniciar sesión en su cuenta, así que no se puede quitar.",
        unknown: "Su cuenta ya no tiene esa llave de acceso.")
}

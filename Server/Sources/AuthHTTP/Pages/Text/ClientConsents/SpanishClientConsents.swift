extension ClientConsentText {
    static let spanish = ClientConsentText(
        heading: "¿Dar a {client} acceso a su cuenta?",
        moreHeading: "¿Dar más acceso a {client}?",
        againHeading: "{client} le pide permiso de nuevo",
        lead: "Ha iniciado sesión como {user}.",
        newHeading: "Si lo permite, {client} podrá:",
        grantedHeading: "La aplicación ya puede:",
        askedHeading: "La aplicación solicita:",
        alsoHeading: "También puede:",
        destinationLabel: "Volverá a",
        deviceDestination: "Una aplicación de este dispositivo ({address})",
        warning: """
            Permítalo solo si confía en {client}. La aplicación mantendrá la sesión abierta hasta que la cierre allí o le \
            quite el acceso en la página de su cuenta.
            """,
        allowLabel: "Permitir",
        openID: "Reconocer su cuenta cuando inicie sesión",
        profile: "Ver su nombre, su nombre de usuario y su idioma",
        email: "Ver su dirección de correo electrónico",
        phone: "Ver su número de teléfono",
        address: "Ver su dirección postal",
        offlineAccess: "Mantener la sesión abierta cuando no use la aplicación",
        ownScope: "Usar «{scope}»",
        appsHeading: "Aplicaciones con acceso",
        appsLead: "Ha dado a estas aplicaciones acceso a su cuenta.",
        manageLabel: "Quitar el acceso a una aplicación",
        pageLead: """
            Quite el acceso a las aplicaciones que ya no use o en las que ya no confíe. Su sesión se cerrará de \
            inmediato.
            """,
        none: "Ninguna aplicación tiene acceso a su cuenta.",
        since: "Desde el {date}",
        removeLabel: "Quitar el acceso a {client}",
        wasRemoved:
            "Se ha quitado el acceso. La sesión de la aplicación se ha cerrado y tendrá que pedirle permiso de nuevo.",
        unknown: "Esta aplicación ya no tiene acceso. No se ha cambiado nada.")
}

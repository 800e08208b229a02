extension ProviderText {
    static let spanish = ProviderText(
        divider: "o",
        signInLabel: "Iniciar sesión con {provider}",
        continueLabel: "Continuar con {provider}",
        newAccountHeading: "Aún no tiene una cuenta",
        newAccountLead: """
            Ha iniciado sesión con {provider}, pero {brand} todavía no tiene una cuenta para ese acceso. Elija un \
            nombre de usuario para crearla.
            """,
        emailLine: "{provider} nos ha comunicado su dirección de correo, {email}. Se añadirá a su cuenta.",
        termsLine: "Al crear la cuenta, acepta las condiciones de {brand}.",
        termsLabel: "Leer las condiciones",
        createLabel: "Crear cuenta",
        leaving: "Le llevamos a {provider}.",
        declined: "No ha iniciado sesión con {provider}. Inténtelo de nuevo o acceda de otra manera.",
        failed: "El inicio de sesión con {provider} no ha funcionado. Inténtelo de nuevo o acceda de otra manera.",
        sessionOld: """
            Este paso requiere un nuevo inicio de sesión con {provider}, y {provider} no lo ha confirmado. Acceda de \
            otra manera, por ejemplo con una contraseña o una llave de acceso. Si no tiene ninguna de las dos, \
            restablezca primero su contraseña.
            """,
        unavailable: """
            No podemos contactar con {provider} en este momento. Inténtelo de nuevo enseguida o acceda de otra manera.
            """,
        gone: "Esta forma de acceso ya no está disponible. Elija otra.",
        answerUsed: "Este paso ya se ha utilizado o se agotó el tiempo. Inicie sesión de nuevo.",
        nameTaken: "Este nombre de usuario ya está en uso. Elija otro.")
}

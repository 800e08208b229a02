extension AccountText {
    static let spanish = AccountText(
        signInLead: "para ver cómo está protegida su cuenta",
        signInAgainLead: "Confirme que es usted antes de hacer cambios.",
        heading: "Seguridad de su cuenta",
        lead: "Ha iniciado sesión como {user}.",
        emailLabel: "Correo electrónico",
        unconfirmed: "sin confirmar",
        phoneLabel: "Teléfono",
        authenticatorLabel: "Aplicación de autenticación",
        isOn: "Activada",
        isOff: "Sin configurar",
        recoveryCodesLabel: "Códigos de recuperación",
        codesLeft: "Quedan {count}",
        devicesLabel: "Dispositivos vinculados a su cuenta",
        none: "Ninguno",
        deviceSuspended: "suspendido",
        deviceDeactivated: "desactivado",
        deviceAwaitsCode: "pendiente de confirmación",
        deviceCodeHeading: "Confirmar «{device}»",
        deviceCodeLead: """
            Le enviamos un código cuando se configuró la aplicación en este dispositivo. Introdúzcalo solo si el \
            dispositivo es suyo.
            """,
        deviceConfirmed: "El dispositivo está confirmado. Ya puede iniciar sesión en él.",
        noSuchDevice: "Este dispositivo ya no espera ningún código. No se ha cambiado nada.",
        offerLead: "Una aplicación en su teléfono muestra un código nuevo cada 30 segundos, incluso sin conexión.",
        offerLabel: "Configurar una aplicación de autenticación",
        replaceLead: """
            Puede pasar a otra aplicación u otro teléfono. La actual sigue funcionando hasta que confirme la nueva.
            """,
        replaceLabel: "Configurar otra aplicación",
        codesOfferLead: """
            Guarde estos códigos en papel para el día en que no tenga otra forma de iniciar sesión. Cada código sirve \
            una sola vez.
            """,
        codesReplaceLead: "Los códigos nuevos sustituyen a los que tiene. Los anteriores dejan de servir al instante.",
        makeCodesLabel: "Crear códigos de recuperación",
        signOutLabel: "Cerrar sesión",
        setUpHeading: "Configurar una aplicación de autenticación",
        setUpLead: """
            Escanee este código QR con la aplicación y escriba el código que esta muestra. No enseñe el código QR a \
            nadie.
            """,
        symbolLabel: "Código QR para la aplicación de autenticación. La clave también aparece abajo como texto.",
        openAppLabel: "Abrir la aplicación de autenticación en este dispositivo",
        typeLead: "O escriba esta clave en la aplicación:",
        codeLabel: "Código de la aplicación",
        codeHint: "Seis cifras. Escríbalas en un plazo de diez minutos.",
        backLabel: "Volver a su cuenta",
        codesHeading: "Sus códigos de recuperación",
        codesWarning: "No volverá a verlos. Sus códigos anteriores ya no sirven.",
        codesPrint: """
            Imprímalos o anótelos y guárdelos donde solo usted pueda encontrarlos. Cada código sirve una sola vez.
            """,
        authenticatorOn: "La aplicación de autenticación está activada. A partir de ahora le pediremos sus códigos.",
        invalidCode: "Ese no es el código que la aplicación muestra ahora. Escriba el siguiente.",
        nothingPending: """
            Se agotó el tiempo, o ya estaba hecho. Si la aplicación no está activada, configúrela de nuevo.
            """,
        recoveredLately: """
            La cuenta se ha recuperado hace poco. Por su seguridad, durante un día no puede cambiar su forma de \
            iniciar sesión.
            """,
        onlyRestoredIdentity: """
            Por su seguridad, todavía no puede hacer este cambio con esta forma de iniciar sesión. Inicie sesión de otra \
            forma o vuelva a intentarlo dentro de un día.
            """,
        strongerSignInNeeded: """
            Este cambio requiere un inicio de sesión más seguro. No se ha cambiado nada. Use la aplicación en un \
            dispositivo vinculado a su cuenta.
            """,
        notPossibleHeading: "Use su aplicación para esto",
        notPossible: """
            Solo puede demostrar que es usted con un dispositivo vinculado a su cuenta. No se ha cambiado nada.
            """)
}

extension AccountText {
    static let spanish = AccountText(
        signInLead: "para ver cómo está protegida su cuenta",
        signInAgainLead: "Antes de cualquier cambio comprobamos una vez más que es usted.",
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
        deviceAwaitsCode: "pendiente del código de confirmación",
        deviceCodeHeading: "Confirmar «{device}»",
        deviceCodeLead:
            "Se le envió un código cuando se instaló la aplicación en este dispositivo. Introdúzcalo solo si el dispositivo es suyo.",
        deviceConfirmed: "El dispositivo está confirmado. Ya puede iniciar sesión en él.",
        noSuchDevice: "Este dispositivo ya no espera ningún código. No se ha cambiado nada.",
        offerLead: "Una aplicación en su teléfono muestra un código nuevo cada 30 segundos. Funciona sin cobertura.",
        offerLabel: "Configurar una aplicación de autenticación",
        replaceLead: """
            Puede pasar a otra aplicación u otro teléfono. La actual sigue en uso hasta que se confirme la nueva.
            """,
        replaceLabel: "Configurar otra aplicación",
        codesOfferLead: """
            Códigos para guardar en papel, para el día en que no tenga otra cosa. Cada uno sirve una sola vez.
            """,
        codesReplaceLead: "Los códigos nuevos sustituyen a los que tiene, que quedan anulados al instante.",
        makeCodesLabel: "Crear códigos de recuperación",
        signOutLabel: "Cerrar sesión",
        setUpHeading: "Configurar una aplicación de autenticación",
        setUpLead: "Escanee esto con la aplicación y escriba el código que muestra. No se lo enseñe a nadie.",
        symbolLabel: "Código QR para la aplicación de autenticación. El mismo secreto está debajo como texto.",
        openAppLabel: "Abrir la aplicación de autenticación en este dispositivo",
        typeLead: "O escriba este secreto en la aplicación:",
        codeLabel: "Código de la aplicación",
        codeHint: "Seis cifras. Hay que escribirlas en un plazo de diez minutos.",
        backLabel: "Volver a su cuenta",
        codesHeading: "Sus códigos de recuperación",
        codesWarning: "Solo se muestran esta vez. Los que tenía antes quedan anulados.",
        codesPrint: "Imprímalos o anótelos y guárdelos donde solo usted los encuentre. Cada uno sirve una sola vez.",
        authenticatorOn: "La aplicación de autenticación está activada. A partir de ahora se pedirán sus códigos.",
        invalidCode: "Ese no es el código que la aplicación muestra ahora. Compruébelo y escriba el siguiente.",
        nothingPending: """
            Ha tardado demasiado, o ya estaba hecho. Si la aplicación no está activada, configúrela de nuevo.
            """,
        recoveredLately: """
            La cuenta se ha recuperado hace poco. Por su seguridad, durante un día no se puede cambiar nada de \
            lo que usa para iniciar sesión.
            """,
        strongerSignInNeeded: """
            Su inicio de sesión no es lo bastante fuerte para esto y no se ha cambiado nada. Use la aplicación en un \
            dispositivo vinculado a su cuenta.
            """,
        notPossibleHeading: "Use su aplicación para esto",
        notPossible: """
            Lo que demuestra que es usted está en un dispositivo vinculado a su cuenta. No se ha cambiado nada.
            """)
}

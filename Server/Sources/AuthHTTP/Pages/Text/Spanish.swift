extension PageText {
    static let spanish = PageText(
        signInHeading: "Iniciar sesión",
        signInLead: "para continuar en {client}",
        usernameLabel: "Nombre de usuario",
        passwordLabel: "Contraseña",
        submitLabel: "Iniciar sesión",
        resetLabel: "¿Ha olvidado su contraseña?",
        recoveryHeading: "Recuperar su cuenta",
        recoveryLead: """
            Introduzca su nombre de usuario. Si lo conocemos, enviaremos un código al correo electrónico de la cuenta.
            """,
        recoverySubmitLabel: "Enviar un código",
        recoveryCodeHeading: "Introduzca el código",
        recoveryCodeSentLead: "Si la cuenta existe, hemos enviado un código de 8 cifras a su correo electrónico.",
        recoveredPasswordLead: "Sustituye a su contraseña anterior. Se cerrarán todas sus demás sesiones.",
        confirmHeading: "¿Continuar como {user}?",
        confirmLead: "{client} quiere saber quién es usted. Ya ha iniciado sesión en este dispositivo.",
        confirmLabel: "Continuar",
        otherAccountLabel: "Usar otra cuenta",
        newPasswordHeading: "Elija una contraseña nueva",
        newPasswordLead: "Ya no puede usar su contraseña actual.",
        newPasswordLabel: "Contraseña nueva",
        newPasswordHint: "Al menos 8 caracteres. Una frase que solo se le ocurriría a usted es una buena opción.",
        repeatPasswordLabel: "Repita la contraseña",
        newPasswordSubmitLabel: "Guardar e iniciar sesión",
        emailCodeHeading: "Confirme su correo electrónico",
        emailCodeLead: "Hemos enviado un código a {destination}.",
        emailCodeLabel: "Código",
        emailCodeSubmitLabel: "Confirmar",
        secondFactorHeading: "Confirme que es usted",
        authenticatorLead: "Introduzca el código de su aplicación de autenticación.",
        secretQuestionLead: "Responda a su pregunta secreta.",
        recoveryCodeLead: "Introduzca uno de sus códigos de recuperación. Cada código sirve una sola vez.",
        useAuthenticatorLabel: "Usar la aplicación de autenticación",
        useEmailLabel: "Enviar un código por correo electrónico",
        useSMSLabel: "Enviar un código por SMS",
        useSecretQuestionLabel: "Responder a una pregunta secreta",
        useRecoveryCodeLabel: "Usar un código de recuperación",
        usePasswordLabel: "Usar la contraseña",
        resendLabel: "Enviar un código nuevo",
        cancelLabel: "Cancelar",
        returnFooter: "Después de iniciar sesión volverá a {host}.",
        noticeHeading: "Aún no ha iniciado sesión",
        invalidCredentials: """
            El nombre de usuario o la contraseña no son correctos. Compruebe ambos e inténtelo de nuevo.
            """,
        triedOften: """
            Tras varios intentos, incluso la contraseña correcta se rechaza durante un tiempo. Si lo ha intentado \
            muchas veces, espere unos minutos.
            """,
        passwordNeeded: "Primero tiene que cambiar su contraseña. Esta vez, inicie sesión con ella.",
        walletDeactivated: "Este monedero está desactivado. Póngase en contacto con {brand} para reactivarlo.",
        recoveryCodeSent: "Si conocemos este nombre, ya hemos enviado un código.",
        unusableName: "Este nombre de usuario no es válido. Compruébelo e inténtelo de nuevo.",
        recoveryUnavailable: """
            Esta cuenta está protegida por algo más que su correo electrónico. Recupérela en la aplicación de su \
            dispositivo vinculado o contacte con {brand}.
            """,
        passwordMissing: "Escriba una contraseña nueva. No se ha cambiado nada.",
        passwordMistyped: """
            Las dos contraseñas no coinciden. Escriba dos veces la contraseña nueva. No se ha cambiado nada.
            """,
        passwordTooShort: "Esa contraseña es demasiado corta. Use al menos 8 caracteres.",
        passwordTooLong: "Esa contraseña es demasiado larga. Use 256 caracteres como máximo.",
        passwordUnusable: """
            Esa contraseña no se puede usar. Es demasiado larga o contiene un tabulador u otro carácter de control. \
            Elija otra.
            """,
        passwordTooCommon: "Esa contraseña es demasiado fácil de adivinar. Elija otra.",
        passwordBreached: "Esa contraseña ha aparecido en una filtración de datos. Elija otra.",
        passwordUnchanged: "Esa es su contraseña actual. Elija otra.",
        invalidCode: "El código no es correcto o ha caducado. Compruébelo o pida uno nuevo.",
        codeUsed: "Ya ha usado este código. Espere a que su aplicación de autenticación muestre el siguiente.",
        wrongAnswer: "No es correcto. Compruébelo e inténtelo de nuevo.",
        factorOver: """
            Este paso ha terminado: ya se respondió, hubo demasiadas respuestas erróneas o se agotó el tiempo. Inicie \
            sesión de nuevo desde el principio.
            """,
        codeSent: "Hemos enviado un código nuevo.",
        codeSentRecently: "Acabamos de enviarle un código. Podrá pedir otro dentro de {seconds} segundos.",
        codeNotSent: """
            Ahora no podemos enviar ningún código porque se han enviado muchos hace poco. Pida uno dentro de {minutes} \
            min o use otro medio.
            """,
        tooManyAttempts: "Demasiados intentos. Espere {seconds} segundos e inténtelo de nuevo.",
        networkHeld: """
            Se han hecho demasiados intentos de inicio de sesión desde su red. Quizá la comparta con muchas personas, por \
            ejemplo con otros clientes de su operador móvil. Inténtelo de nuevo dentro de {minutes} min o use otra red. \
            En un navegador en el que ya haya iniciado sesión con su contraseña no tiene que esperar.
            """,
        busy: "Muchas personas están iniciando sesión ahora. Inténtelo de nuevo dentro de {seconds} segundos.",
        faultHeading: "No ha funcionado",
        codeLabel: "Código",
        referenceLabel: "Referencia",
        unknownClient: "Este servidor no conoce la aplicación que le ha enviado aquí.",
        redirectMismatch: """
            La aplicación pidió la respuesta en una dirección que no tiene registrada. No se ha enviado nada allí.
            """,
        malformedRequest: "La solicitud que le ha traído aquí está incompleta o es incorrecta.",
        expiredPage: """
            Esta página ha caducado o su navegador no ha enviado su cookie. Vuelva a la aplicación y empiece de \
            nuevo.
            """,
        serverFault: "Algo ha fallado por nuestra parte. Inténtelo de nuevo en un momento.",
        unavailable: "El servicio está saturado o en mantenimiento. Inténtelo de nuevo en un momento.",
        notFound: "No hay nada en esta dirección.",
        foreignHost: "Esta página no está disponible en esta dirección.",
        nextStepApp: """
            Vuelva a la aplicación e inténtelo de nuevo. Si el problema se repite, póngase en contacto con el \
            desarrollador de la aplicación e indique la referencia de abajo.
            """,
        nextStepService: """
            Si el problema continúa, póngase en contacto con el responsable de este servicio e indique la referencia \
            de abajo.
            """,
        nextStepAddress: "Compruebe la dirección o vuelva a la página anterior.",
        nextStepOwnAddress: "Ábrala en {address}.",
        developersHeading: "Para desarrolladores",
        developerUnknownClient: """
            client_id falta, está mal escrito o no está registrado en {issuer}. Compruebe que la aplicación se \
            comunica con el servidor correcto.
            """,
        developerRedirectMismatch: """
            redirect_uri debe coincidir exactamente con una dirección registrada para el cliente: esquema, host, \
            puerto, ruta y barra final. Solo el puerto de 127.0.0.1 y [::1] puede variar.
            """,
        continueHeading: "Un momento",
        continueMessage: "Volviendo a {host}.",
        continueLabel: "Continuar",
        merchantHeading: "Elegir un comercio",
        merchantLead: "Ha iniciado sesión como {user}. Elija el comercio para el que quiere usar {client}.",
        signedOutHeading: "Ha cerrado sesión",
        signedOut: "Puede cerrar esta ventana.")
}

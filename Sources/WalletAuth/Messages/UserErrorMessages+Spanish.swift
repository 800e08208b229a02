extension UserErrorMessages {
    static let spanish: [Key: String] = [
        "invalid_credentials": "Los datos no coinciden. Compruebe lo que ha introducido e inténtelo de nuevo.",
        "invalid_credentials.answer": "No es correcto o ha caducado. Compruébelo o pida un código nuevo.",
        "login_by_username_password.invalid_credentials": """
        El nombre de usuario o la contraseña no son correctos. Compruebe ambos e inténtelo de nuevo. Si lo ha \
        intentado varias veces, espere antes unos minutos.
        """,
        "login_by_pin.invalid_credentials": "El PIN no es correcto. Tras cinco intentos fallidos queda bloqueado.",
        "login_by_account_pin.invalid_credentials": """
        El nombre de usuario o el PIN no son correctos. Compruebe ambos e inténtelo de nuevo. Tras cinco intentos \
        fallidos, el PIN queda bloqueado; inicie sesión entonces con su contraseña.
        """,
        "login_by_account_pin.password_change_required":
            "Su contraseña ha caducado. Inicie sesión con ella y elija una nueva.",
        "login_by_nonce.invalid_credentials": "Este inicio de sesión ya no es válido. Vuelva atrás y empiece de nuevo.",
        "login_by_federated_identity.invalid_credentials":
            "No se ha podido iniciar sesión con este proveedor. Inténtelo de nuevo o inicie sesión de otra forma.",
        "login_by_apple.invalid_credentials":
            "No se ha podido iniciar sesión con Apple. Inténtelo de nuevo o inicie sesión de otra forma.",
        "change_password.invalid_credentials": "Su contraseña actual no es correcta.",
        "recovery_code_required":
            "Si la cuenta existe y podemos contactar con su titular, hemos enviado un código. Introdúzcalo aquí.",
        "recovery_unavailable": """
        Esta cuenta no se puede recuperar aquí. Use un dispositivo vinculado a su cuenta o contacte con el servicio \
        de asistencia.
        """,
        "recovery_cooling": """
        La contraseña se ha recuperado hace poco. Por su seguridad, todavía no puede cambiar esto. Inténtelo de \
        nuevo dentro de un día.
        """,
        "recover.invalid_credentials": "El código no es correcto o ha caducado. Compruébelo o empiece de nuevo.",
        "mfa_required": "Confirme que es usted con un segundo paso.",
        "wallet_deactivated": "Su monedero está desactivado. Contacte con el servicio de asistencia para reactivarlo.",
        "device_deactivated": """
        Este dispositivo se ha desactivado tras demasiados intentos fallidos. Elija aquí «¿Ha olvidado su \
        contraseña?» o contacte con el servicio de asistencia.
        """,
        "device_suspended": "Este dispositivo está suspendido. Contacte con el servicio de asistencia.",
        "pin_locked.restore": """
        Por su seguridad, bloqueamos su PIN al restaurar el servicio desde una copia de seguridad. Inicie sesión con \
        su contraseña y elija un PIN nuevo.
        """,
        "pin_exhausted": """
        En las últimas semanas ha habido demasiados intentos fallidos en este dispositivo, así que por ahora no \
        puede usar un PIN aquí. Inicie sesión con su contraseña. Para volver a usar un PIN antes, vincule de nuevo \
        este dispositivo.
        """,
        "pin_locked": """
        Su PIN está bloqueado tras demasiados intentos fallidos. Inicie sesión con su contraseña y elija un PIN \
        nuevo.
        """,
        "email_unverified": "Confirme primero su correo electrónico. Le hemos enviado un código.",
        "password_change_required": "Su contraseña ha caducado. Elija una nueva.",
        "app_instance_unverified": "Confirme esta instalación de la aplicación con el código que le hemos enviado.",
        "login_strategy_unavailable": "Aquí no puede iniciar sesión de esta forma. Inicie sesión con su contraseña.",
        "device_authentication_unsupported": "Esta aplicación o esta cuenta no permite mantener la sesión iniciada.",
        "device_token_expired":
            "Su sesión ha caducado. Inicie sesión con su contraseña para mantenerla iniciada de nuevo.",
        "token_already_expired": "La opción «Mantener la sesión iniciada» ya está desactivada.",
        "no_device_token": "La opción «Mantener la sesión iniciada» no está activada. Inicie sesión con su contraseña.",
        "not_signed_in": "No ha iniciado sesión.",
        "bad_request": "Alguno de los datos introducidos no es válido. Compruébelo e inténtelo de nuevo.",
        "server_error": "Algo ha fallado por nuestra parte. Inténtelo de nuevo en un momento.",
        "server_error.trace": """
        Algo ha fallado por nuestra parte. Inténtelo de nuevo en un momento. Si el problema continúa, contacte con \
        el servicio de asistencia e indique esta referencia: {trace}
        """,
        "invalid_code": "El código no es correcto o ha caducado. Compruébelo o pida uno nuevo.",
        "invalid_session": "Se ha agotado el tiempo. Empiece de nuevo.",
        "insufficient_user_authentication": "Vuelva a iniciar sesión con un segundo paso e inténtelo de nuevo.",
        "device_not_found": "Este dispositivo ya no está en su lista.",
        "too_many_devices": "Ha alcanzado el límite de dispositivos vinculados. Quite uno primero.",
        "identity_taken": "Este acceso ya está vinculado a otra cuenta.",
        "too_many_identities": "Ha alcanzado el límite de accesos vinculados. Quite uno primero.",
        "identity_not_found": "Este acceso no está vinculado a su cuenta.",
        "last_way_in": "Es su única forma de iniciar sesión. Elija primero una contraseña.",
        "data_error": "Este pago ya no se puede confirmar. Empiécelo de nuevo.",
        "event_not_found": "Ya no hay nada que confirmar. Empiece de nuevo.",
        "verification_unavailable": "Ahora no puede confirmar de esta forma. Elija otra.",
        "no_code_left": "No podemos enviar más códigos. Use el último o confirme de otra forma.",
        "already_verified": "Ya lo ha confirmado.",
        "operation_mismatch": """
        La solicitud de confirmación no corresponde a lo que pidió, así que la hemos detenido. Contacte con el \
        servicio de asistencia.
        """,
        "sca_unavailable": """
        Todavía no puede confirmar en este dispositivo. Vincúlelo primero a su cuenta o contacte con el servicio de \
        asistencia.
        """,
        "submit_sca_attempt.bad_request": "No es un código ni un PIN válido. Compruébelo e inténtelo de nuevo.",
        "perform.pin_locked.restore": """
        Por su seguridad, bloqueamos su PIN al restaurar el servicio desde una copia de seguridad. Confirme de otra \
        forma o elija un PIN nuevo.
        """,
        "perform.pin_exhausted": """
        En las últimas semanas ha habido demasiados intentos fallidos en este dispositivo, así que por ahora no \
        puede usar un PIN aquí. Confirme de otra forma.
        """,
        "perform.pin_locked":
            "Su PIN está bloqueado tras demasiados intentos fallidos. Confirme de otra forma o elija un PIN nuevo.",
        "no_matching_guest": "Todavía no tiene una cuenta aquí. Cree una para continuar.",
        "username_taken": "Este nombre de usuario ya está en uso. Elija otro.",
        "merchant_required": "Trabaja para varios comercios. Elija uno para continuar.",
        "app_not_installed": "Esta aplicación no está configurada para el comercio. Consulte a su responsable.",
        "not_an_employee": "No está registrado en este comercio. Consulte a su responsable.",
        "renewal_interrupted": "La conexión se ha interrumpido mientras se renovaba su sesión. Vuelva a intentarlo.",
        "sign_in_interrupted": "El inicio de sesión se ha interrumpido. Inicie sesión de nuevo.",
        "renewal_refused": """
        No se ha podido prolongar su sesión. Inténtelo más tarde. Si el problema continúa, cierre la sesión y vuelva \
        a iniciarla.
        """,
        "untrusted_connection": """
        La conexión no es segura, así que no se ha enviado nada. Use otra red o compruebe la fecha y la hora de su \
        dispositivo.
        """,
        "unknown_state": "Este inicio de sesión no empezó en esta aplicación o ha tardado demasiado. Empiece de nuevo.",
        "issuer_mismatch":
            "La respuesta no procede del servicio en el que inició sesión y se ha descartado. Empiece de nuevo.",
        "malformed_callback": "El navegador no ha devuelto ninguna respuesta. Empiece de nuevo.",
        "redirect_mismatch":
            "El navegador ha abierto una dirección inesperada, así que no se ha iniciado la sesión. Empiece de nuevo.",
        "token_in_callback": "Con este enlace no se puede iniciar sesión. Inicie sesión desde la aplicación.",
        "code_already_used": "Este inicio de sesión ya se ha usado. Inicie sesión de nuevo.",
        "invalid_id_token":
            "La respuesta a su inicio de sesión no es de confianza y se ha descartado. Inicie sesión de nuevo.",
        "another_person":
            "Es la cuenta de otra persona. Inicie sesión con la cuenta que estaba usando o cierre antes la sesión.",
        "another_merchant": "Pertenece a otro comercio. Cierre antes la sesión y después iníciela para ese comercio.",
        "token_owner_unknown": "No sabemos a qué cuenta pertenece este inicio de sesión. Inicie sesión de nuevo.",
        "token_bound_elsewhere": "Este inicio de sesión pertenece a otro dispositivo. Inicie sesión en este.",
        "pin_not_set":
            "Todavía no ha elegido un PIN en este dispositivo. Inicie sesión de otra forma y elija después uno.",
        "pin_epoch_mismatch": "Su PIN ha cambiado. Inicie sesión de otra forma y después vuelva a definirlo.",
        "pin_server_key_changed": """
        Ahora su PIN no se puede usar con seguridad, así que no se ha enviado nada. Inicie sesión de otra forma y \
        elija un PIN nuevo.
        """,
        "pin_required":
            "Introduzca primero su PIN. Después podrá volver a usar la cara o la huella.",
        "biometrics_not_enabled":
            "El acceso con la cara o la huella no está activado aquí. Inicie sesión de otra forma y actívelo después.",
        "biometrics_locked_out": """
        Ha habido demasiados intentos fallidos de reconocer su cara o su huella. Desbloquee su dispositivo con su \
        código e inténtelo de nuevo.
        """,
        "presence_not_attested": "En este dispositivo no puede usar la cara o la huella. Use su PIN o su contraseña.",
        "unmet_authentication_requirements":
            "Para esto hace falta un segundo paso que su cuenta aún no tiene. Configure uno primero.",
        "return_url_not_registered": "Esta aplicación no permite confirmar de esta forma. Elija otra.",
        "pin_malformed": "Un PIN solo puede tener cifras. Elija otro.",
        "pin_too_short": "Ese PIN es demasiado corto. Elija uno más largo.",
        "pin_too_long": "Ese PIN es demasiado largo. Use 12 cifras como máximo.",
        "pin_too_common": "Ese PIN es demasiado fácil de adivinar. Elija otro.",
        "device_not_enrolled":
            "Este dispositivo todavía no está vinculado a su cuenta. Inicie sesión con un segundo paso y vincúlelo.",
        "unsupported_by_server": "Aquí no está disponible.",
        "client_not_allowed": """
        Esta aplicación no tiene permiso para hacerlo. Use la aplicación de su monedero o contacte con el servicio \
        de asistencia.
        """,
        "invalid_challenge": "Se ha agotado el tiempo. Inténtelo de nuevo.",
        "invalid_proof": "No hemos podido verificar este dispositivo. Inténtelo de nuevo.",
        "device_key_taken": "No hemos podido vincular este dispositivo. Inténtelo de nuevo.",
        "device_not_active": "Este dispositivo está suspendido o desactivado. Contacte con el servicio de asistencia.",
        "nothing_to_verify": "Ya no hace falta confirmar este dispositivo.",
        "account_changed": "Su cuenta ha cambiado entretanto. Inicie sesión de nuevo y vuelva a intentarlo.",
        "nothing_to_confirm": "Ya no hay nada que confirmar. Empiece de nuevo.",
        "factor_not_found": "Su cuenta ya no tiene este segundo paso.",
        "secret_questions_off": "Aquí no se ofrecen preguntas secretas. Elija otro segundo paso.",
        "unacceptable_answers": "Elija preguntas distintas y dé a cada una su propia respuesta.",
        "password_too_short": "Esa contraseña es demasiado corta. Use al menos 8 caracteres.",
        "password_too_long": "Esa contraseña es demasiado larga. Use 256 caracteres como máximo.",
        "password_too_common": "Esa contraseña es demasiado fácil de adivinar. Elija otra.",
        "password_breached": "Esa contraseña ha aparecido en una filtración de datos. Elija otra.",
        "password_unchanged": "Esa es su contraseña actual. Elija otra.",
        "access_denied":
            "Este inicio de sesión se ha rechazado. Si no sabe por qué, contacte con el servicio de asistencia.",
        "invalid_grant": "Este inicio de sesión ya no es válido. Inicie sesión de nuevo.",
        "invalid_token": "Para esto tiene que iniciar sesión de nuevo.",
        "insufficient_scope": "No ha permitido que esta aplicación lo haga. Inicie sesión de nuevo y permítalo.",
        "idempotency_mismatch": "Esta operación ya se había empezado con otros datos. Empiece de nuevo.",
        "outcome.signed_out": "Inicie sesión para continuar.",
        "outcome.signed_out.session_ended": "Su sesión ha terminado. Inicie sesión de nuevo.",
        "outcome.signed_out.token_expired": "Su sesión ha caducado. Inicie sesión de nuevo.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Alguien ha iniciado sesión entretanto, así que la operación no se ha realizado. Compruebe qué cuenta tiene \
        la sesión iniciada e inténtelo de nuevo.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "Ha dejado de usar su cuenta de Apple con esta aplicación. Inicie sesión de nuevo.",
        "outcome.temporarily_unavailable": "Ahora no es posible. Inténtelo de nuevo en un momento.",
        "outcome.temporarily_unavailable.minutes":
            "Ahora no es posible. Inténtelo de nuevo dentro de {minutes} minutos.",
        "outcome.offline": "No tiene conexión. Compruebe su red e inténtelo de nuevo.",
        "outcome.key_lost": "Hay que configurar de nuevo este dispositivo. Inicie sesión de nuevo.",
        "outcome.key_lost.enroll_again":
            "Hay que configurar de nuevo este dispositivo. Inicie sesión y vuelva a vincularlo.",
        "outcome.key_lost.set_pin_again":
            "Tiene que volver a definir su PIN en este dispositivo. Inicie sesión primero con un segundo paso.",
        "outcome.key_lost.enable_biometrics_again": """
        Las caras o huellas de este dispositivo han cambiado. Inicie sesión de otra forma y vuelva a activar esta \
        opción.
        """,
        "outcome.store_unavailable":
            "El almacenamiento seguro de este dispositivo no está disponible ahora. Inténtelo de nuevo.",
        "outcome.store_unavailable.locked": "Desbloquee su dispositivo e inténtelo de nuevo.",
        "outcome.store_unavailable.full": "No queda espacio en este dispositivo. Libere espacio e inténtelo de nuevo.",
        "outcome.refused": "No ha funcionado. Empiece de nuevo.",
        "outcome.misconfigured":
            "La aplicación no puede hacerlo por ahora. Actualícela o contacte con el servicio de asistencia.",
    ]
}

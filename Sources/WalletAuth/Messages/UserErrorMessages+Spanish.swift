extension UserErrorMessages {
    static let spanish: [Key: String] = [
        "invalid_credentials": "No coincide. Compruebe lo que ha introducido e inténtelo de nuevo.",
        "login_by_username_password.invalid_credentials": """
        Los datos introducidos no son correctos. Compruébelos e inténtelo de nuevo. Tras varios intentos, espere \
        antes un poco.
        """,
        "login_by_pin.invalid_credentials": "El PIN no es correcto. Tras cinco PIN erróneos queda bloqueado.",
        "login_by_nonce.invalid_credentials":
            "Este inicio de sesión ya no es válido. Empiece de nuevo desde donde vino.",
        "login_by_federated_identity.invalid_credentials":
            "No se ha podido iniciar sesión con este proveedor. Inténtelo de nuevo o elija otra forma de entrar.",
        "login_by_apple.invalid_credentials":
            "No se ha podido iniciar sesión con Apple. Inténtelo de nuevo o elija otra forma de entrar.",
        "change_password.invalid_credentials": "La contraseña actual no es correcta.",
        "recovery_code_required":
            "Hemos enviado un código, si conocemos este nombre y podemos contactar con su titular. Introdúzcalo.",
        "recovery_unavailable": """
        Aquí no es posible la recuperación. Inténtelo en un dispositivo vinculado a su cuenta o contacte con el \
        servicio de ayuda.
        """,
        "recovery_cooling": """
        Por su seguridad, esto todavía no se puede cambiar, porque se ha recuperado la contraseña. Inténtelo dentro \
        de un día.
        """,
        "recover.invalid_credentials":
            "El código no es correcto o es demasiado antiguo. Compruébelo o empiece de nuevo.",
        "mfa_required": "Confirme que es usted con un segundo paso.",
        "wallet_deactivated":
            "Su monedero está desactivado. Póngase en contacto con el servicio de atención para reabrirlo.",
        "device_deactivated": """
        Este dispositivo está desactivado tras demasiados intentos fallidos. Elija aquí «¿Ha olvidado su \
        contraseña?» o póngase en contacto con el servicio de atención.
        """,
        "device_suspended": "Este dispositivo está suspendido. Póngase en contacto con el servicio de atención.",
        "pin_locked.restore": """
        Por seguridad, su PIN se bloqueó al restaurar el servicio desde una copia de seguridad. Entre con su contraseña y \
        establezca un PIN nuevo.
        """,
        "pin_exhausted": """
        En las últimas semanas ha habido demasiados intentos erróneos en este dispositivo, así que el PIN está desactivado aquí \
        por ahora. Entre con su contraseña. Para volver a usar un PIN aquí, vincule de nuevo este dispositivo.
        """,
        "pin_locked": """
        El PIN está bloqueado tras demasiados intentos erróneos. Entre con su contraseña y establezca un PIN \
        nuevo.
        """,
        "email_unverified":
            "Confirme primero su dirección de correo. Le hemos enviado un mensaje con un código.",
        "password_change_required": "Su contraseña ha caducado. Elija una nueva.",
        "app_instance_unverified": "Confirme esta instalación de la aplicación con el código que le hemos enviado.",
        "device_authentication_unsupported":
            "Mantener la sesión iniciada no está disponible para esta aplicación o cuenta.",
        "device_token_expired":
            "El tiempo con la sesión iniciada ha terminado. Entre con su contraseña para activarlo de nuevo.",
        "token_already_expired": "Mantener la sesión iniciada ya estaba desactivado.",
        "no_device_token": "Mantener la sesión iniciada no está activado. Entre con su contraseña.",
        "not_signed_in": "No ha iniciado sesión.",
        "bad_request": "Algo de lo introducido no puede ser correcto. Compruébelo e inténtelo de nuevo.",
        "server_error": "Algo ha fallado por nuestra parte. Inténtelo de nuevo en un momento.",
        "server_error.trace": """
        Algo ha fallado por nuestra parte. Inténtelo de nuevo en un momento. Si continúa, indique este número al \
        servicio de atención: {trace}
        """,
        "invalid_code": "El código es erróneo o demasiado antiguo. Compruébelo o pida uno nuevo.",
        "invalid_session": "Ha tardado demasiado. Empiece de nuevo.",
        "insufficient_user_authentication": "Inicie sesión de nuevo con un segundo paso y repita después esta acción.",
        "device_not_found": "Este dispositivo ya no está en su lista.",
        "too_many_devices": "Tiene tantos dispositivos como puede tener una cuenta. Quite uno primero.",
        "identity_taken": "Este acceso ya pertenece a otra cuenta.",
        "too_many_identities": "Su cuenta tiene tantos accesos como puede tener. Quite uno primero.",
        "identity_not_found": "Este acceso no pertenece a su cuenta.",
        "last_way_in": "Ya no podría entrar. Elija primero una contraseña.",
        "data_error": "Este pago ya no se puede confirmar. Empiécelo de nuevo.",
        "event_not_found": "Ya no hay nada que confirmar. Empiece de nuevo.",
        "verification_unavailable": "Ahora no puede confirmar de esta manera. Elija otra.",
        "no_code_left": "No se puede enviar ningún otro código. Use el último u otra manera.",
        "already_verified": "Ya lo ha confirmado.",
        "operation_mismatch": """
        Lo que iba a confirmar no es lo que pidió, así que se ha detenido. Contacte con el servicio de asistencia.
        """,
        "sca_unavailable": """
        Todavía no puede confirmarlo en este dispositivo. Configúrelo primero o contacte con el servicio de \
        asistencia.
        """,
        "submit_sca_attempt.bad_request": "Eso no puede ser un código ni un PIN. Compruébelo e inténtelo de nuevo.",
        "perform.pin_locked.restore": """
        Por seguridad, su PIN se bloqueó al restaurar el servicio desde una copia de seguridad. Confirme de otra manera o \
        elija un PIN nuevo.
        """,
        "perform.pin_exhausted": """
        En las últimas semanas ha habido demasiados intentos erróneos en este dispositivo, así que el PIN está desactivado aquí \
        por ahora. Confirme de otra manera.
        """,
        "perform.pin_locked":
            "El PIN está bloqueado tras demasiados intentos erróneos. Confirme de otra manera o elija un PIN nuevo.",
        "no_matching_guest": "Todavía no tiene una cuenta aquí. Cree una para continuar.",
        "username_taken": "Este nombre de usuario ya está en uso. Elija otro.",
        "merchant_required": "Trabaja para varios comercios. Elija uno para continuar.",
        "app_not_installed": "Esta aplicación no está instalada para el comercio. Consulte a su responsable.",
        "not_an_employee": "No figura en este comercio. Consulte a su responsable.",
        "sign_in_interrupted": "El inicio de sesión se interrumpió. Inicie sesión de nuevo.",
        "renewal_refused":
            "No se ha podido prolongar su sesión. Inténtelo más tarde. Si sigue ocurriendo, cierre la sesión y vuelva a iniciarla.",
        "untrusted_connection": """
        La conexión no es segura y por eso no se ha enviado nada. Use otra red o compruebe la fecha y la hora del \
        dispositivo.
        """,
        "unknown_state": "Este inicio de sesión no empezó en esta aplicación o ha tardado demasiado. Empiece de nuevo.",
        "issuer_mismatch": "La respuesta no viene de donde inició sesión y por eso no se ha usado. Empiece de nuevo.",
        "malformed_callback": "El navegador ha vuelto sin respuesta. Empiece de nuevo.",
        "redirect_mismatch":
            "El navegador ha vuelto a un lugar distinto del esperado y no se ha iniciado la sesión. Empiece de nuevo.",
        "token_in_callback": "Con este enlace no se puede entrar. Inicie sesión desde la aplicación.",
        "code_already_used": "Este inicio de sesión ya se ha usado. Inicie sesión de nuevo.",
        "invalid_id_token":
            "La respuesta a su inicio de sesión no es de confianza y no se ha usado. Inicie sesión de nuevo.",
        "another_person":
            "Es la cuenta de otra persona. Entre con la cuenta que estaba usando o cierre antes la sesión.",
        "another_merchant": "Es de otro comercio. Cierre antes la sesión y entre después para ese comercio.",
        "token_owner_unknown": "No se puede saber de quién es este inicio de sesión. Inicie sesión de nuevo.",
        "token_bound_elsewhere": "Este inicio de sesión pertenece a otro dispositivo. Entre en este.",
        "pin_not_set": "Todavía no tiene un PIN en este dispositivo. Entre de otra manera y elija después uno.",
        "pin_epoch_mismatch": "Su PIN ha cambiado. Entre de otra manera y establézcalo después de nuevo.",
        "pin_server_key_changed": """
        Ahora su PIN no se puede usar con seguridad y no se ha enviado nada. Entre de otra manera y elija un PIN \
        nuevo.
        """,
        "biometrics_not_enabled": "La cara o la huella no está activada aquí. Entre de otra manera y actívela después.",
        "biometrics_locked_out": """
        La cara o la huella no se ha reconocido demasiadas veces. Desbloquee su dispositivo con su código e \
        inténtelo de nuevo.
        """,
        "presence_not_attested":
            "La cara o la huella no se puede usar en este dispositivo. Use su PIN o su contraseña.",
        "unmet_authentication_requirements":
            "Para esto hace falta un segundo paso que su cuenta aún no tiene. Configure uno primero.",
        "return_url_not_registered": "En esta aplicación no puede confirmar de esta manera. Elija otra.",
        "pin_malformed": "Un PIN solo tiene cifras. Elija otro.",
        "pin_too_short": "Este PIN es demasiado corto. Elija uno más largo.",
        "pin_too_long": "Este PIN es demasiado largo. Puede tener como máximo 12 cifras.",
        "pin_too_common": "Este PIN es fácil de adivinar. Elija otro.",
        "device_not_enrolled":
            "Este dispositivo todavía no está vinculado a su cuenta. Entre con un segundo paso y vincúlelo.",
        "unsupported_by_server": "Aquí no está disponible.",
        "client_not_allowed": """
        Esta aplicación no puede hacerlo. Use la aplicación de su monedero o póngase en contacto con el servicio de \
        atención.
        """,
        "invalid_challenge": "Ha tardado demasiado. Inténtelo de nuevo.",
        "invalid_proof": "Este dispositivo no ha podido identificarse. Inténtelo de nuevo.",
        "device_key_taken": "No se ha podido vincular este dispositivo. Inténtelo de nuevo.",
        "device_not_active":
            "Este dispositivo está suspendido o desactivado. Póngase en contacto con el servicio de atención.",
        "nothing_to_verify": "Ya no hace falta confirmar este dispositivo.",
        "account_changed": "Entretanto su cuenta ha cambiado. Inicie sesión de nuevo y repita después esta acción.",
        "nothing_to_confirm": "Ya no hay nada que confirmar. Empiece de nuevo.",
        "factor_not_found": "Su cuenta ya no tiene este segundo paso.",
        "secret_questions_off": "Aquí no hay preguntas de seguridad. Elija otro segundo paso.",
        "unacceptable_answers": "Elija preguntas distintas y dé a cada una su propia respuesta.",
        "password_too_short": "Esta contraseña es demasiado corta. Use al menos 8 caracteres.",
        "password_too_long": "Esta contraseña es demasiado larga. Use como máximo 256 caracteres.",
        "password_too_common": "Esta contraseña es fácil de adivinar. Elija otra.",
        "password_breached": "Esta contraseña ha aparecido en una filtración de datos. Elija otra.",
        "password_unchanged": "Es su contraseña actual. Elija una nueva.",
        "access_denied": """
        Este inicio de sesión se ha rechazado. Si no sabe por qué, póngase en contacto con el servicio de atención.
        """,
        "invalid_grant": "Este inicio de sesión ya no es válido. Inicie sesión de nuevo.",
        "invalid_token": "Para esto tiene que iniciar sesión de nuevo.",
        "insufficient_scope": "No ha permitido que esta aplicación lo haga. Inicie sesión de nuevo y permítalo.",
        "idempotency_mismatch": "Esto se había empezado de otra manera. Empiece de nuevo.",
        "outcome.signed_out": "Inicie sesión para continuar.",
        "outcome.signed_out.session_ended": "Su sesión ha terminado. Inicie sesión de nuevo.",
        "outcome.signed_out.token_expired": "Su sesión ha terminado. Inicie sesión de nuevo.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Entretanto ha entrado otra persona y por eso no se ha hecho. Compruebe quién ha iniciado sesión e \
        inténtelo de nuevo.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "Ha dejado de usar su cuenta de Apple con esta app. Vuelva a iniciar sesión.",
        "outcome.temporarily_unavailable": "Ahora no es posible. Inténtelo de nuevo en un momento.",
        "outcome.temporarily_unavailable.minutes": "Ahora no es posible. Inténtelo de nuevo en {minutes} minutos.",
        "outcome.offline": "No hay conexión. Compruebe su red e inténtelo de nuevo.",
        "outcome.key_lost": "Hay que configurar de nuevo este dispositivo. Inicie sesión de nuevo.",
        "outcome.key_lost.enroll_again":
            "Hay que configurar de nuevo este dispositivo. Inicie sesión y añádalo después otra vez.",
        "outcome.key_lost.set_pin_again":
            "Tiene que establecer de nuevo su PIN en este dispositivo. Entre primero con un segundo paso.",
        "outcome.key_lost.enable_biometrics_again":
            "La cara o la huella de este dispositivo ha cambiado. Entre de otra manera y actívela después de nuevo.",
        "outcome.store_unavailable":
            "El almacén seguro del dispositivo no se puede usar ahora. Inténtelo de nuevo.",
        "outcome.store_unavailable.locked": "Desbloquee su dispositivo e inténtelo de nuevo.",
        "outcome.store_unavailable.full": "No queda espacio en este dispositivo. Libere algo e inténtelo de nuevo.",
        "outcome.refused": "No ha sido posible. Empiece de nuevo.",
        "outcome.misconfigured":
            "La aplicación no puede hacerlo por ahora. Actualícela o póngase en contacto con el servicio de atención.",
    ]
}

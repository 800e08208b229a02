extension UserErrorMessages {
    /// The texts about transactions, by language.
    static let transactions: [String: [Key: String]] = [
        "en": [
            "invalid_qr_data": "This code isn’t for signing. Scan the code that the shop shows.",
            "no_account_for_server": "This code belongs to another wallet. Open it in that wallet’s app.",
            "flow_active": "First finish or cancel what you are signing.",
            "transaction_not_found": "This code isn’t for your account, or it’s no longer valid. Ask for a new one.",
            "already_claimed": "Another device has already scanned this code. Ask for a new one.",
            "transaction_over": "This can no longer be signed. Ask for a new code.",
            "transaction_over.signed": "You’ve already signed this.",
            "transaction_over.rejected": "You’ve already rejected this.",
            "transaction_over.expired": "Time ran out. Ask for a new code.",
            "transaction_over.cancelled": "This was cancelled. Ask the shop.",
            "transaction_over.failed": "Your PIN was locked, so this can no longer be signed.",
            "transaction_not_confirmed": "Something went wrong along the way. Scan the code again.",
            "payload_mismatch": "This isn’t what you were shown, so nothing was signed. Contact support.",
            "payload_refused":
                "The app can’t show this safely, so nothing was signed. Update the app, or ask the shop.",
            "second_factor_unavailable": "To sign on this device, set a PIN or turn on face or fingerprint.",
            "second_factor_unavailable.pin": "Set a PIN to sign on this device.",
            "second_factor_unavailable.biometric": """
            This can only be signed with your face or fingerprint. Turn that on in the app, or scan the code with a \
            device where it’s on.
            """,
            "draft_used": "You’ve already signed this.",
            "invalid_draft": "That took too long. Start again.",
            "device_cooling":
                "This device is new to your account and can’t sign yet. Use another one, or try again later.",
            "too_many_transactions": "You’ve signed too many times today. Try again later.",
            "sign_transaction.pin_exhausted": """
            There were too many wrong attempts on this device in recent weeks, so you can’t sign with a PIN here for \
            now. To use a PIN here sooner, sign in with your password and link this device again.
            """,
            "sign_transaction.pin_locked":
                "Your PIN is locked after too many wrong attempts. Sign in with your password and set a new PIN.",
        ],
        "de": [
            "invalid_qr_data":
                "Mit diesem Code können Sie nichts signieren. Scannen Sie den Code, den der Händler zeigt.",
            "no_account_for_server": "Dieser Code gehört zu einer anderen Wallet. Öffnen Sie ihn in deren App.",
            "flow_active": "Schließen Sie zuerst ab, was Sie gerade signieren, oder brechen Sie es ab.",
            "transaction_not_found":
                "Dieser Code ist nicht für Ihr Konto bestimmt oder gilt nicht mehr. Bitten Sie um einen neuen.",
            "already_claimed": "Ein anderes Gerät hat diesen Code bereits gescannt. Bitten Sie um einen neuen.",
            "transaction_over": "Das kann nicht mehr signiert werden. Bitten Sie um einen neuen Code.",
            "transaction_over.signed": "Das haben Sie bereits signiert.",
            "transaction_over.rejected": "Das haben Sie bereits abgelehnt.",
            "transaction_over.expired": "Die Zeit ist abgelaufen. Bitten Sie um einen neuen Code.",
            "transaction_over.cancelled": "Der Vorgang wurde abgebrochen. Fragen Sie den Händler.",
            "transaction_over.failed": "Ihre PIN wurde gesperrt, deshalb kann das nicht mehr signiert werden.",
            "transaction_not_confirmed": "Dabei ist etwas schiefgegangen. Scannen Sie den Code noch einmal.",
            "payload_mismatch": """
            Das entspricht nicht dem, was Ihnen angezeigt wurde. Es wurde nichts signiert. Wenden Sie sich an den \
            Support.
            """,
            "payload_refused": """
            Die App kann das nicht sicher anzeigen, deshalb wurde nichts signiert. Aktualisieren Sie die App oder \
            fragen Sie den Händler.
            """,
            "second_factor_unavailable": """
            Um auf diesem Gerät zu signieren, legen Sie eine PIN fest oder schalten Sie Gesicht oder Fingerabdruck \
            ein.
            """,
            "second_factor_unavailable.pin": "Legen Sie eine PIN fest, um auf diesem Gerät zu signieren.",
            "second_factor_unavailable.biometric": """
            Das können Sie nur mit Gesicht oder Fingerabdruck signieren. Schalten Sie die Funktion in der App ein \
            oder scannen Sie den Code mit einem Gerät, auf dem sie eingeschaltet ist.
            """,
            "draft_used": "Das haben Sie bereits signiert.",
            "invalid_draft": "Das hat zu lange gedauert. Beginnen Sie von vorn.",
            "device_cooling": """
            Dieses Gerät ist neu in Ihrem Konto und kann noch nicht signieren. Verwenden Sie ein anderes oder \
            versuchen Sie es später erneut.
            """,
            "too_many_transactions": "Sie haben heute sehr oft signiert. Versuchen Sie es später erneut.",
            "sign_transaction.pin_exhausted": """
            Auf diesem Gerät gab es in den letzten Wochen zu viele Fehlversuche, deshalb können Sie hier vorerst \
            nicht mit PIN signieren. Wenn Sie hier früher wieder eine PIN verwenden möchten, melden Sie sich mit \
            Ihrem Passwort an und verknüpfen Sie dieses Gerät erneut.
            """,
            "sign_transaction.pin_locked": """
            Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Melden Sie sich mit Ihrem Passwort an und legen Sie \
            eine neue PIN fest.
            """,
        ],
        "fr": [
            "invalid_qr_data": "Ce code ne sert pas à signer. Scannez celui que le commerçant affiche.",
            "no_account_for_server":
                "Ce code correspond à un autre portefeuille. Ouvrez-le dans l’application de celui-ci.",
            "flow_active": "Terminez ou annulez d’abord la signature en cours.",
            "transaction_not_found":
                "Ce code n’est pas destiné à votre compte ou n’est plus valable. Demandez-en un nouveau.",
            "already_claimed": "Un autre appareil a déjà scanné ce code. Demandez-en un nouveau.",
            "transaction_over": "La signature n’est plus possible. Demandez un nouveau code.",
            "transaction_over.signed": "Vous avez déjà signé.",
            "transaction_over.rejected": "Vous avez déjà refusé.",
            "transaction_over.expired": "Le délai est dépassé. Demandez un nouveau code.",
            "transaction_over.cancelled": "L’opération a été annulée. Adressez-vous au commerçant.",
            "transaction_over.failed": "Votre code PIN a été bloqué\u{A0}: la signature n’est plus possible.",
            "transaction_not_confirmed": "Un problème est survenu en cours de route. Scannez de nouveau le code.",
            "payload_mismatch":
                "Cela ne correspond pas à ce qui vous a été montré\u{A0}: rien n’a été signé. Contactez l’assistance.",
            "payload_refused": """
            L’application ne peut pas afficher cela en toute sécurité\u{A0}: rien n’a été signé. Mettez-la à jour ou \
            adressez-vous au commerçant.
            """,
            "second_factor_unavailable": """
            Pour signer sur cet appareil, choisissez un code PIN ou activez la reconnaissance faciale ou \
            l’empreinte.
            """,
            "second_factor_unavailable.pin": "Choisissez un code PIN pour signer sur cet appareil.",
            "second_factor_unavailable.biometric": """
            Cette signature exige la reconnaissance faciale ou l’empreinte. Activez cette option dans l’application, \
            ou scannez le code avec un appareil où elle est activée.
            """,
            "draft_used": "Vous avez déjà signé.",
            "invalid_draft": "Le délai est dépassé. Recommencez.",
            "device_cooling": """
            Cet appareil vient d’être ajouté à votre compte et ne peut pas encore signer. Utilisez-en un autre ou \
            réessayez plus tard.
            """,
            "too_many_transactions": "Vous avez signé de nombreuses fois aujourd’hui. Réessayez plus tard.",
            "sign_transaction.pin_exhausted": """
            Il y a eu trop d’essais infructueux sur cet appareil ces dernières semaines. Vous ne pouvez pas y signer \
            avec un code PIN pour le moment. Pour retrouver un code PIN plus tôt, connectez-vous avec votre mot de \
            passe et liez de nouveau cet appareil.
            """,
            "sign_transaction.pin_locked": """
            Votre code PIN est bloqué après trop d’essais infructueux. Connectez-vous avec votre mot de passe et \
            choisissez un nouveau code PIN.
            """,
        ],
        "es": [
            "invalid_qr_data": "Este código no sirve para firmar. Escanee el que muestra el comercio.",
            "no_account_for_server": "Este código es de otro monedero. Ábralo en la aplicación correspondiente.",
            "flow_active": "Termine o cancele primero la firma en curso.",
            "transaction_not_found": "Este código no es para su cuenta o ya no es válido. Pida uno nuevo.",
            "already_claimed": "Otro dispositivo ya ha escaneado este código. Pida uno nuevo.",
            "transaction_over": "Ya no se puede firmar. Pida un código nuevo.",
            "transaction_over.signed": "Ya lo ha firmado.",
            "transaction_over.rejected": "Ya lo ha rechazado.",
            "transaction_over.expired": "Se ha agotado el tiempo. Pida un código nuevo.",
            "transaction_over.cancelled": "La operación se ha cancelado. Consulte al comercio.",
            "transaction_over.failed": "Su PIN se ha bloqueado, así que ya no se puede firmar.",
            "transaction_not_confirmed": "Algo ha fallado durante el proceso. Escanee el código otra vez.",
            "payload_mismatch":
                "No es lo que se le mostró, así que no se ha firmado nada. Contacte con el servicio de asistencia.",
            "payload_refused": """
            La aplicación no puede mostrarlo con seguridad, así que no se ha firmado nada. Actualícela o consulte al \
            comercio.
            """,
            "second_factor_unavailable": "Para firmar en este dispositivo, elija un PIN o active la cara o la huella.",
            "second_factor_unavailable.pin": "Elija un PIN para firmar en este dispositivo.",
            "second_factor_unavailable.biometric": """
            Solo se puede firmar con la cara o la huella. Active esa opción en la aplicación o escanee el código con \
            un dispositivo que la tenga activada.
            """,
            "draft_used": "Ya lo ha firmado.",
            "invalid_draft": "Se ha agotado el tiempo. Empiece de nuevo.",
            "device_cooling":
                "Este dispositivo es nuevo en su cuenta y todavía no puede firmar. Use otro o inténtelo más tarde.",
            "too_many_transactions": "Hoy ha firmado muchas veces. Inténtelo más tarde.",
            "sign_transaction.pin_exhausted": """
            En las últimas semanas ha habido demasiados intentos fallidos en este dispositivo, así que por ahora no \
            puede firmar aquí con PIN. Para volver a usar un PIN antes, inicie sesión con su contraseña y vincule de \
            nuevo este dispositivo.
            """,
            "sign_transaction.pin_locked": """
            Su PIN está bloqueado tras demasiados intentos fallidos. Inicie sesión con su contraseña y elija un PIN \
            nuevo.
            """,
        ],
        "bg": [
            "invalid_qr_data": "Този код не е за подписване. Сканирайте кода, който показва търговецът.",
            "no_account_for_server": "Този код е за друг портфейл. Отворете го в неговото приложение.",
            "flow_active": "Първо завършете или откажете това, което подписвате.",
            "transaction_not_found": "Този код не е за вашия профил или вече не е валиден. Поискайте нов.",
            "already_claimed": "Друго устройство вече е сканирало този код. Поискайте нов.",
            "transaction_over": "Това вече не може да се подпише. Поискайте нов код.",
            "transaction_over.signed": "Вече сте подписали това.",
            "transaction_over.rejected": "Вече сте отказали това.",
            "transaction_over.expired": "Времето изтече. Поискайте нов код.",
            "transaction_over.cancelled": "Това беше отменено. Обърнете се към търговеца.",
            "transaction_over.failed": "ПИН кодът ви беше заключен, затова това вече не може да се подпише.",
            "transaction_not_confirmed": "Нещо се обърка по пътя. Сканирайте кода отново.",
            "payload_mismatch":
                "Това не е каквото ви беше показано, затова нищо не е подписано. Свържете се с поддръжката.",
            "payload_refused": """
            Приложението не може да покаже това безопасно, затова нищо не е подписано. Обновете го или се обърнете \
            към търговеца.
            """,
            "second_factor_unavailable":
                "За да подписвате на това устройство, задайте ПИН код или включете лице или пръстов отпечатък.",
            "second_factor_unavailable.pin": "Задайте ПИН код, за да подписвате на това устройство.",
            "second_factor_unavailable.biometric": """
            Това може да се подпише само с лице или пръстов отпечатък. Включете ги в приложението или сканирайте \
            кода с устройство, на което са включени.
            """,
            "draft_used": "Вече сте подписали това.",
            "invalid_draft": "Времето изтече. Започнете отначало.",
            "device_cooling": """
            Това устройство е ново в профила ви и още не може да подписва. Използвайте друго или опитайте по-късно.
            """,
            "too_many_transactions": "Днес сте подписвали много пъти. Опитайте по-късно.",
            "sign_transaction.pin_exhausted": """
            През последните седмици на това устройство имаше твърде много грешни опити, затова засега не можете да \
            подписвате тук с ПИН. За да използвате отново ПИН код по-рано, влезте с паролата си и свържете \
            устройството наново.
            """,
            "sign_transaction.pin_locked":
                "ПИН кодът ви е заключен след твърде много грешни опити. Влезте с паролата си и задайте нов ПИН код.",
        ],
    ]
}

extension UserErrorMessages {
    /// The texts about transactions, by language.
    static let transactions: [String: [Key: String]] = [
        "en": [
            "invalid_qr_data": "This code isn’t for signing. Scan the code that the shop shows.",
            "no_account_for_server": "This code belongs to another wallet. Open it in that wallet’s app.",
            "flow_active": "Finish or cancel what you are signing first.",
            "transaction_not_found": "This code isn’t for your account, or it’s no longer valid. Ask for a new one.",
            "already_claimed": "Another device has scanned this code. Ask for a new one.",
            "transaction_over": "This can’t be signed any more. Ask for a new code.",
            "transaction_over.signed": "You’ve already signed this.",
            "transaction_over.rejected": "You’ve already rejected this.",
            "transaction_over.expired": "Time ran out. Ask for a new code.",
            "transaction_over.cancelled": "This was cancelled. Ask the shop.",
            "transaction_over.failed": "Your PIN was locked, so this can’t be signed any more.",
            "transaction_not_confirmed": "Something got out of step. Scan the code again.",
            "payload_mismatch": "This isn’t what you were shown, so nothing was signed. Contact support.",
            "payload_refused":
                "The app can’t show this safely, so nothing was signed. Update the app, or ask the shop.",
            "second_factor_unavailable": "Set a PIN, or turn on face or fingerprint, to sign on this device.",
            "second_factor_unavailable.pin": "Set a PIN to sign on this device.",
            "second_factor_unavailable.biometric": """
            This can only be signed with face or fingerprint. Turn that on in the app, or scan the code with a device where it’s on.
            """,
            "draft_used": "You’ve already signed this.",
            "invalid_draft": "That took too long. Start again.",
            "device_cooling":
                "This device is new to your account and can’t sign yet. Use another one, or try again later.",
            "too_many_transactions": "You’ve signed very often today. Try again later.",
            "sign_transaction.pin_exhausted": """
            There were too many wrong tries on this device in the last weeks, so you can’t sign with a PIN here for now. To use a PIN \
            here again, sign in with your password and link this device again.
            """,
            "sign_transaction.pin_locked":
                "The PIN is locked after too many wrong tries. Sign in with your password and set a new PIN.",
        ],
        "de": [
            "invalid_qr_data": "Mit diesem Code lässt sich nichts unterschreiben. Scannen Sie den Code des Händlers.",
            "no_account_for_server": "Dieser Code gehört zu einer anderen Wallet. Öffnen Sie ihn in deren App.",
            "flow_active": "Schließen Sie zuerst ab, was Sie gerade unterschreiben, oder brechen Sie es ab.",
            "transaction_not_found":
                "Dieser Code ist nicht für Ihr Konto oder gilt nicht mehr. Lassen Sie sich einen neuen zeigen.",
            "already_claimed": "Ein anderes Gerät hat diesen Code gescannt. Lassen Sie sich einen neuen zeigen.",
            "transaction_over": "Das lässt sich nicht mehr unterschreiben. Lassen Sie sich einen neuen Code zeigen.",
            "transaction_over.signed": "Das haben Sie schon unterschrieben.",
            "transaction_over.rejected": "Das haben Sie schon abgelehnt.",
            "transaction_over.expired": "Die Zeit ist abgelaufen. Lassen Sie sich einen neuen Code zeigen.",
            "transaction_over.cancelled": "Das wurde zurückgezogen. Fragen Sie den Händler.",
            "transaction_over.failed": "Ihre PIN wurde gesperrt: Das lässt sich nicht mehr unterschreiben.",
            "transaction_not_confirmed": "Etwas ist durcheinandergeraten. Scannen Sie den Code noch einmal.",
            "payload_mismatch":
                "Das ist nicht, was Ihnen gezeigt wurde. Es wurde nichts unterschrieben. Wenden Sie sich an den Kundendienst.",
            "payload_refused": """
            Die App kann das nicht sicher anzeigen. Es wurde nichts unterschrieben. Aktualisieren Sie die App oder \
            fragen Sie den Händler.
            """,
            "second_factor_unavailable":
                "Legen Sie eine PIN fest oder schalten Sie Gesicht oder Finger ein, um hier zu unterschreiben.",
            "second_factor_unavailable.pin": "Legen Sie eine PIN fest, um auf diesem Gerät zu unterschreiben.",
            "second_factor_unavailable.biometric": """
            Das lässt sich nur mit Gesicht oder Finger unterschreiben. Schalten Sie das in der App ein oder scannen Sie den Code \
            mit einem Gerät, auf dem es eingeschaltet ist.
            """,
            "draft_used": "Das haben Sie schon unterschrieben.",
            "invalid_draft": "Das hat zu lange gedauert. Beginnen Sie noch einmal.",
            "device_cooling": """
            Dieses Gerät ist neu in Ihrem Konto und kann noch nicht unterschreiben. Nehmen Sie ein anderes oder \
            versuchen Sie es später.
            """,
            "too_many_transactions": "Sie haben heute sehr oft unterschrieben. Versuchen Sie es später noch einmal.",
            "sign_transaction.pin_exhausted": """
            Auf diesem Gerät gab es in den letzten Wochen zu viele falsche Eingaben, deshalb können Sie hier vorübergehend nicht mit \
            PIN unterschreiben. Um hier wieder eine PIN zu verwenden, melden Sie sich mit Ihrem Passwort an und verknüpfen Sie \
            dieses Gerät neu.
            """,
            "sign_transaction.pin_locked": """
            Die PIN ist nach zu vielen falschen Eingaben gesperrt. Melden Sie sich mit Ihrem Passwort an und legen \
            Sie eine neue PIN fest.
            """,
        ],
        "fr": [
            "invalid_qr_data": "Ce code ne sert pas à signer. Scannez celui que le commerçant affiche.",
            "no_account_for_server": "Ce code est celui d’un autre portefeuille. Ouvrez-le dans son application.",
            "flow_active": "Terminez ou annulez d’abord la signature en cours.",
            "transaction_not_found":
                "Ce code n’est pas pour votre compte ou n’est plus valable. Demandez-en un nouveau.",
            "already_claimed": "Un autre appareil a scanné ce code. Demandez-en un nouveau.",
            "transaction_over": "Il n’est plus possible de signer. Demandez un nouveau code.",
            "transaction_over.signed": "Vous avez déjà signé.",
            "transaction_over.rejected": "Vous avez déjà refusé.",
            "transaction_over.expired": "Le délai est écoulé. Demandez un nouveau code.",
            "transaction_over.cancelled": "La demande a été annulée. Adressez-vous au commerçant.",
            "transaction_over.failed": "Votre PIN a été bloqué : il n’est plus possible de signer.",
            "transaction_not_confirmed": "Les étapes ne se suivent plus. Scannez le code de nouveau.",
            "payload_mismatch":
                "Ce n’est pas ce qui vous a été montré : rien n’a été signé. Contactez l’assistance.",
            "payload_refused": """
            L’application ne peut pas afficher cela en toute sécurité : rien n’a été signé. Mettez-la à jour ou \
            adressez-vous au commerçant.
            """,
            "second_factor_unavailable":
                "Choisissez un PIN ou activez le visage ou l’empreinte pour signer sur cet appareil.",
            "second_factor_unavailable.pin": "Choisissez un PIN pour signer sur cet appareil.",
            "second_factor_unavailable.biometric": """
            Cette signature exige le visage ou l’empreinte. Activez cette option dans l’application, ou scannez le code avec un \
            appareil où elle est activée.
            """,
            "draft_used": "Vous avez déjà signé.",
            "invalid_draft": "Cela a pris trop de temps. Recommencez.",
            "device_cooling":
                "Cet appareil vient d’être ajouté et ne peut pas encore signer. Utilisez-en un autre ou réessayez plus tard.",
            "too_many_transactions": "Vous avez signé très souvent aujourd’hui. Réessayez plus tard.",
            "sign_transaction.pin_exhausted": """
            Il y a eu trop d’essais erronés sur cet appareil ces dernières semaines : vous ne pouvez pas y signer avec un code \
            PIN pour le moment. Pour y utiliser à nouveau un code PIN, connectez-vous avec votre mot de passe et associez de \
            nouveau cet appareil.
            """,
            "sign_transaction.pin_locked": """
            Le PIN est bloqué après trop d’essais erronés. Connectez-vous avec votre mot de passe et choisissez un \
            nouveau PIN.
            """,
        ],
        "es": [
            "invalid_qr_data": "Este código no sirve para firmar. Escanee el que muestra el comercio.",
            "no_account_for_server": "Este código es de otra cartera. Ábralo en su aplicación.",
            "flow_active": "Termine o cancele primero lo que está firmando.",
            "transaction_not_found": "Este código no es para su cuenta o ya no vale. Pida uno nuevo.",
            "already_claimed": "Otro dispositivo ha escaneado este código. Pida uno nuevo.",
            "transaction_over": "Esto ya no se puede firmar. Pida un código nuevo.",
            "transaction_over.signed": "Ya lo ha firmado.",
            "transaction_over.rejected": "Ya lo ha rechazado.",
            "transaction_over.expired": "Se ha agotado el tiempo. Pida un código nuevo.",
            "transaction_over.cancelled": "Se ha cancelado. Consulte al comercio.",
            "transaction_over.failed": "Su PIN se ha bloqueado: esto ya no se puede firmar.",
            "transaction_not_confirmed": "Los pasos se han desordenado. Escanee el código otra vez.",
            "payload_mismatch":
                "No es lo que se le mostró, así que no se ha firmado nada. Contacte con el servicio de asistencia.",
            "payload_refused": """
            La aplicación no puede mostrarlo con seguridad, así que no se ha firmado nada. Actualícela o consulte al \
            comercio.
            """,
            "second_factor_unavailable":
                "Elija un PIN o active la cara o la huella para firmar en este dispositivo.",
            "second_factor_unavailable.pin": "Elija un PIN para firmar en este dispositivo.",
            "second_factor_unavailable.biometric": """
            Esto solo se puede firmar con la cara o la huella. Active esa opción en la aplicación o escanee el código con un \
            dispositivo que la tenga activada.
            """,
            "draft_used": "Ya lo ha firmado.",
            "invalid_draft": "Ha tardado demasiado. Empiece de nuevo.",
            "device_cooling":
                "Este dispositivo es nuevo en su cuenta y todavía no puede firmar. Use otro o inténtelo más tarde.",
            "too_many_transactions": "Hoy ha firmado muchas veces. Inténtelo más tarde.",
            "sign_transaction.pin_exhausted": """
            En las últimas semanas ha habido demasiados intentos erróneos en este dispositivo, así que por ahora no puede firmar \
            aquí con PIN. Para volver a usar un PIN aquí, entre con su contraseña y vincule de nuevo este dispositivo.
            """,
            "sign_transaction.pin_locked":
                "El PIN está bloqueado tras demasiados intentos erróneos. Entre con su contraseña y elija un PIN nuevo.",
        ],
        "bg": [
            "invalid_qr_data": "Този код не е за подписване. Сканирайте кода, който показва търговецът.",
            "no_account_for_server": "Този код е за друг портфейл. Отворете го в неговото приложение.",
            "flow_active": "Първо завършете или откажете това, което подписвате.",
            "transaction_not_found": "Този код не е за вашия профил или вече не е валиден. Поискайте нов.",
            "already_claimed": "Друго устройство е сканирало този код. Поискайте нов.",
            "transaction_over": "Това вече не може да се подпише. Поискайте нов код.",
            "transaction_over.signed": "Вече сте подписали това.",
            "transaction_over.rejected": "Вече сте отказали това.",
            "transaction_over.expired": "Времето изтече. Поискайте нов код.",
            "transaction_over.cancelled": "Това беше отменено. Обърнете се към търговеца.",
            "transaction_over.failed": "ПИН кодът ви беше заключен: това вече не може да се подпише.",
            "transaction_not_confirmed": "Стъпките се разминаха. Сканирайте кода отново.",
            "payload_mismatch":
                "Това не е каквото ви беше показано, затова нищо не е подписано. Свържете се с поддръжката.",
            "payload_refused": """
            Приложението не може да покаже това безопасно, затова нищо не е подписано. Обновете го или се обърнете \
            към търговеца.
            """,
            "second_factor_unavailable":
                "Задайте ПИН или включете лице или пръстов отпечатък, за да подписвате на това устройство.",
            "second_factor_unavailable.pin": "Задайте ПИН, за да подписвате на това устройство.",
            "second_factor_unavailable.biometric": """
            Това може да се подпише само с лице или пръстов отпечатък. Включете ги в приложението или сканирайте кода с \
            устройство, на което са включени.
            """,
            "draft_used": "Вече сте подписали това.",
            "invalid_draft": "Това отне твърде много време. Започнете отново.",
            "device_cooling":
                "Това устройство е ново в профила ви и още не може да подписва. Използвайте друго или опитайте по-късно.",
            "too_many_transactions": "Днес сте подписвали много често. Опитайте по-късно.",
            "sign_transaction.pin_exhausted": """
            През последните седмици на това устройство имаше твърде много грешни опити, затова засега не можете да подписвате \
            тук с ПИН. За да използвате отново ПИН тук, влезте с паролата си и свържете устройството наново.
            """,
            "sign_transaction.pin_locked":
                "ПИН кодът е заключен след твърде много грешни опити. Влезте с паролата си и задайте нов ПИН.",
        ],
    ]
}

import AuthCore

/// The texts about the account PIN in one language. A translation with a missing text does not compile.
struct AccountPINText: PageTranslation, AlternativeText {
    // On the sign-in and consent pages.
    let label: String
    let useLabel: String
    let wrong: String
    let forgotLabel: String
    /// Contains the address of the account page, `{address}`.
    let forgotten: String

    // On the account page.
    let lead: String
    let setLabel: String
    let changeLabel: String
    let isLocked: String

    // On the PIN page.
    let heading: String
    let pageLead: String
    let lockedLead: String
    /// After a restored backup locked the PIN.
    let restoredLead: String
    let offLead: String
    let newLabel: String
    let newHint: String
    let repeatLabel: String
    let saveLabel: String
    let removeLabel: String

    // Notices.
    let wasSet: String
    /// Contains the time, `{time}`.
    let cooling: String
    let wasRemoved: String
    let malformed: String
    let tooShort: String
    let tooLong: String
    let mistyped: String
    let tooCommon: String
}

extension Language {
    var accountPINText: AccountPINText { translation() }
}

extension AccountPINText {
    static let english = AccountPINText(
        label: "PIN",
        useLabel: "Use your PIN instead",
        wrong: """
            The user name or PIN is incorrect, or the PIN can’t be used right now. Check both, or use your password.
            """,
        forgotLabel: "Forgot your PIN?",
        forgotten:
            "Sign in with your password. You can then set a new PIN on your account page, {address}.",
        lead: """
            With a PIN, you can sign in here to apps that ask for one. After five wrong attempts, only your password \
            works.
            """,
        setLabel: "Set a PIN",
        changeLabel: "Change your PIN",
        isLocked: "Locked",
        heading: "Your account PIN",
        pageLead: "Choose a PIN that you don’t use anywhere else. If you change your password, the PIN is removed.",
        lockedLead: "Your PIN is locked after too many wrong attempts. Choose a new one to unlock it.",
        restoredLead: """
            For your security, we locked your PIN when this service was restored from a backup. It wasn’t because of \
            wrong attempts. Choose a new one.
            """,
        offLead: "PINs are no longer offered here. You can still remove yours.",
        newLabel: "New PIN",
        newHint: "6 to 12 digits. Sequences such as 123456 and repetitions such as 121212 are not allowed.",
        repeatLabel: "Repeat the new PIN",
        saveLabel: "Save PIN",
        removeLabel: "Remove PIN",
        wasSet: "The PIN was saved. You can now sign in with it.",
        cooling: "Your PIN can’t be used to approve payments until {time}.",
        wasRemoved: "The PIN was removed. Sessions elsewhere that used it were signed out.",
        malformed: "A PIN can have only digits. Nothing was changed.",
        tooShort: "That PIN is too short. Use at least 6 digits. Nothing was changed.",
        tooLong: "That PIN is too long. Use at most 12 digits. Nothing was changed.",
        mistyped: "The two PINs don’t match. Enter the new PIN twice. Nothing was changed.",
        tooCommon: "That PIN is too easy to guess. Choose another one. Nothing was changed.")

    static let german = AccountPINText(
        label: "PIN",
        useLabel: "Stattdessen die PIN verwenden",
        wrong: """
            Benutzername oder PIN ist falsch, oder die PIN kann gerade nicht verwendet werden. Prüfen Sie beides oder \
            verwenden Sie Ihr Passwort.
            """,
        forgotLabel: "PIN vergessen?",
        forgotten:
            "Melden Sie sich mit Ihrem Passwort an. Eine neue PIN legen Sie dann auf Ihrer Kontoseite fest: {address}.",
        lead: """
            Mit einer PIN melden Sie sich hier bei Apps an, die danach fragen. Nach fünf Fehlversuchen gilt nur noch \
            Ihr Passwort.
            """,
        setLabel: "PIN festlegen",
        changeLabel: "PIN ändern",
        isLocked: "Gesperrt",
        heading: "Die PIN Ihres Kontos",
        pageLead: """
            Wählen Sie eine PIN, die Sie sonst nirgends verwenden. Wenn Sie Ihr Passwort ändern, wird die PIN entfernt.
            """,
        lockedLead: """
            Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Legen Sie eine neue fest, um sie zu entsperren.
            """,
        restoredLead: """
            Zu Ihrer Sicherheit haben wir Ihre PIN gesperrt, als dieser Dienst aus einer Sicherung wiederhergestellt \
            wurde. Es lag nicht an Fehlversuchen. Legen Sie eine neue fest.
            """,
        offLead: "PINs werden hier nicht mehr angeboten. Ihre können Sie noch entfernen.",
        newLabel: "Neue PIN",
        newHint: "6 bis 12 Ziffern, keine Folgen wie 123456 und keine Wiederholungen.",
        repeatLabel: "PIN wiederholen",
        saveLabel: "PIN speichern",
        removeLabel: "PIN entfernen",
        wasSet: "Die PIN wurde gespeichert. Sie können sich jetzt damit anmelden.",
        cooling: "Bis {time} können Sie mit Ihrer PIN keine Zahlungen freigeben.",
        wasRemoved: "Die PIN wurde entfernt. Sitzungen, die anderswo damit angemeldet waren, wurden beendet.",
        malformed: "Eine PIN darf nur Ziffern enthalten. Es wurde nichts geändert.",
        tooShort: "Diese PIN ist zu kurz. Verwenden Sie mindestens 6 Ziffern. Es wurde nichts geändert.",
        tooLong: "Diese PIN ist zu lang. Verwenden Sie höchstens 12 Ziffern. Es wurde nichts geändert.",
        mistyped: """
            Die beiden PINs stimmen nicht überein. Geben Sie die neue PIN zweimal ein. Es wurde nichts geändert.
            """,
        tooCommon: "Diese PIN ist zu leicht zu erraten. Wählen Sie eine andere. Es wurde nichts geändert.")

    static let french = AccountPINText(
        label: "Code PIN",
        useLabel: "Utiliser plutôt votre code PIN",
        wrong: """
            Le nom d’utilisateur ou le code PIN est incorrect, ou le code PIN ne peut pas être utilisé pour l’instant. \
            Vérifiez les deux ou utilisez votre mot de passe.
            """,
        forgotLabel: "Code PIN oublié ?",
        forgotten: """
            Connectez-vous avec votre mot de passe. Vous pourrez ensuite choisir un nouveau code PIN sur la page de \
            votre compte : {address}.
            """,
        lead: """
            Avec un code PIN, vous vous connectez ici aux applications qui le demandent. Après cinq essais \
            infructueux, seul votre mot de passe fonctionne.
            """,
        setLabel: "Définir un code PIN",
        changeLabel: "Changer le code PIN",
        isLocked: "Bloqué",
        heading: "Le code PIN de votre compte",
        pageLead: """
            Choisissez un code que vous n’utilisez nulle part ailleurs. Si vous changez de mot de passe, le code PIN \
            est retiré.
            """,
        lockedLead: """
            Votre code PIN est bloqué après trop d’essais infructueux. Choisissez-en un nouveau pour le débloquer.
            """,
        restoredLead: """
            Pour votre sécurité, nous avons bloqué votre code PIN lors de la restauration de ce service à partir d’une \
            sauvegarde. Ce n’est pas dû à des essais infructueux. Choisissez-en un nouveau.
            """,
        offLead: "Les codes PIN ne sont plus proposés ici. Vous pouvez encore retirer le vôtre.",
        newLabel: "Nouveau code PIN",
        newHint: "De 6 à 12 chiffres, sans suites comme 123456 ni répétitions.",
        repeatLabel: "Répétez le code PIN",
        saveLabel: "Enregistrer le code PIN",
        removeLabel: "Retirer le code PIN",
        wasSet: "Le code PIN a été enregistré. Vous pouvez maintenant l’utiliser pour vous connecter.",
        cooling: "Votre code PIN ne permettra de valider aucun paiement avant le {time}.",
        wasRemoved: "Le code PIN a été retiré. Les sessions ouvertes ailleurs avec ce code ont été fermées.",
        malformed: "Un code PIN ne contient que des chiffres. Rien n’a été modifié.",
        tooShort: "Ce code PIN est trop court. Utilisez au moins 6 chiffres. Rien n’a été modifié.",
        tooLong: "Ce code PIN est trop long. Utilisez 12 chiffres au maximum. Rien n’a été modifié.",
        mistyped: """
            Les deux codes PIN ne sont pas identiques. Saisissez deux fois le nouveau code. Rien n’a été modifié.
            """,
        tooCommon: "Ce code PIN est trop facile à deviner. Choisissez-en un autre. Rien n’a été modifié.")

    static let spanish = AccountPINText(
        label: "PIN",
        useLabel: "Usar el PIN",
        wrong: """
            El nombre de usuario o el PIN no es correcto, o el PIN no se puede usar ahora. Compruebe ambos o use \
            su contraseña.
            """,
        forgotLabel: "¿Ha olvidado su PIN?",
        forgotten:
            "Inicie sesión con su contraseña. Después podrá elegir un PIN nuevo en la página de su cuenta: {address}.",
        lead: """
            Con un PIN puede iniciar sesión aquí en las aplicaciones que lo piden. Tras cinco intentos fallidos, solo \
            sirve su contraseña.
            """,
        setLabel: "Definir un PIN",
        changeLabel: "Cambiar el PIN",
        isLocked: "Bloqueado",
        heading: "El PIN de su cuenta",
        pageLead: "Elija un PIN que no use en ningún otro sitio. Si cambia su contraseña, el PIN se elimina.",
        lockedLead: "Su PIN está bloqueado tras demasiados intentos fallidos. Elija uno nuevo para desbloquearlo.",
        restoredLead: """
            Por su seguridad, bloqueamos su PIN al restaurar este servicio desde una copia de seguridad. No se debe a \
            intentos fallidos. Elija uno nuevo.
            """,
        offLead: "Aquí ya no se ofrece el uso de PIN. Todavía puede quitar el suyo.",
        newLabel: "PIN nuevo",
        newHint: "De 6 a 12 cifras, sin series como 123456 ni repeticiones.",
        repeatLabel: "Repita el PIN",
        saveLabel: "Guardar el PIN",
        removeLabel: "Quitar el PIN",
        wasSet: "El PIN se ha guardado. Ya puede iniciar sesión con él.",
        cooling: "Su PIN no servirá para autorizar pagos hasta el {time}.",
        wasRemoved: "El PIN se ha quitado. Se han cerrado las sesiones iniciadas con él en otros lugares.",
        malformed: "Un PIN solo puede tener cifras. No se ha cambiado nada.",
        tooShort: "Ese PIN es demasiado corto. Use al menos 6 cifras. No se ha cambiado nada.",
        tooLong: "Ese PIN es demasiado largo. Use 12 cifras como máximo. No se ha cambiado nada.",
        mistyped: "Los dos PIN no coinciden. Escriba dos veces el PIN nuevo. No se ha cambiado nada.",
        tooCommon: "Ese PIN es demasiado fácil de adivinar. Elija otro. No se ha cambiado nada.")

    static let bulgarian = AccountPINText(
        label: "ПИН",
        useLabel: "Вход с ПИН",
        wrong: """
            Потребителското име или ПИН кодът е грешен, или ПИН кодът не може да се използва сега. Проверете ги или \
            използвайте паролата си.
            """,
        forgotLabel: "Забравен ПИН код?",
        forgotten: """
            Влезте с паролата си. След това можете да зададете нов ПИН код на страницата на профила си: {address}.
            """,
        lead: """
            С ПИН код можете да влизате тук в приложенията, които го искат. След пет грешни опита важи само паролата \
            ви.
            """,
        setLabel: "Задаване на ПИН",
        changeLabel: "Смяна на ПИН кода",
        isLocked: "Заключен",
        heading: "ПИН кодът на профила ви",
        pageLead: "Изберете ПИН код, който не използвате другаде. Ако смените паролата си, ПИН кодът се премахва.",
        lockedLead: "ПИН кодът ви е заключен след твърде много грешни опити. Задайте нов, за да го отключите.",
        restoredLead: """
            За ваша сигурност заключихме ПИН кода ви, когато тази услуга беше възстановена от резервно копие. \
            Причината не са грешни опити. Задайте нов.
            """,
        offLead: "Тук вече не се предлагат ПИН кодове. Все още можете да премахнете своя.",
        newLabel: "Нов ПИН",
        newHint: "От 6 до 12 цифри, без редици като 123456 и без повторения.",
        repeatLabel: "Повторете ПИН кода",
        saveLabel: "Запазване на ПИН кода",
        removeLabel: "Премахване на ПИН кода",
        wasSet: "ПИН кодът беше запазен. Вече можете да влизате с него.",
        cooling: "До {time} с вашия ПИН не могат да се одобряват плащания.",
        wasRemoved: "ПИН кодът беше премахнат. Сесиите, започнати с него другаде, бяха прекратени.",
        malformed: "ПИН кодът може да съдържа само цифри. Нищо не беше променено.",
        tooShort: "Този ПИН е твърде къс. Използвайте поне 6 цифри. Нищо не беше променено.",
        tooLong: "Този ПИН е твърде дълъг. Използвайте най-много 12 цифри. Нищо не беше променено.",
        mistyped: "Двата ПИН кода не съвпадат. Въведете новия ПИН код два пъти. Нищо не беше променено.",
        tooCommon: "Този ПИН се отгатва твърде лесно. Изберете друг. Нищо не беше променено.")
}

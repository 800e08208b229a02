import AuthCore

/// The texts about passkeys in one language. A translation with a missing text does not compile.
///
/// `{date}` and `{count}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct PasskeyText: PageTranslation {
    // On the sign-in page.
    let signInLabel: String
    let signInFailed: String
    let refused: String

    // On the consent page.
    let agreeLabel: String
    let agreeFailed: String
    let wrongForConsent: String

    // On the account page.
    let label: String
    let lead: String
    let manageLabel: String

    // On the passkey page.
    let heading: String
    let pageLead: String
    let none: String
    let nameLabel: String
    let renameLabel: String
    let removeLabel: String
    let added: String
    let used: String
    let neverUsed: String
    let synced: String
    let formerDomain: String
    let addHeading: String
    let addLead: String
    let addLabel: String
    let addFailed: String
    let known: String
    let unsupported: String
    let tooMany: String

    // Notices.
    let wasAdded: String
    let wasRenamed: String
    let wasRemoved: String
    let notTaken: String
    let unusableName: String
    let lastWayIn: String
    let unknown: String
}

extension Language {
    var passkeyText: PasskeyText { translation() }
}

extension PasskeyText {
    static let english = PasskeyText(
        signInLabel: "Sign in with a passkey",
        signInFailed: "No passkey was used. Try again, or sign in with your password.",
        refused: "That passkey was not accepted. Try again, or sign in with your password.",
        agreeLabel: "Approve with a passkey",
        agreeFailed: "No passkey was used, and nothing was approved. Try again.",
        wrongForConsent: "That passkey was not accepted. Attempts left: {count}.",
        label: "Passkeys",
        lead: "A passkey lets you sign in with your fingerprint, your face or your screen lock, without a password.",
        manageLabel: "Manage passkeys",
        heading: "Your passkeys",
        pageLead: "You can sign in to your account with each of these. Remove any that you don’t recognize.",
        none: "You don’t have any passkeys yet.",
        nameLabel: "Name",
        renameLabel: "Save name",
        removeLabel: "Remove this passkey",
        added: "Added on {date}.",
        used: "Last used on {date}.",
        neverUsed: "Not used yet.",
        synced: "on several devices",
        formerDomain: "for a previous address of this service, no longer usable",
        addHeading: "Add a passkey",
        addLead: """
            Your device asks for your fingerprint, your face or your screen lock. After a day, the passkey can also \
            replace the second step when you sign in.
            """,
        addLabel: "Add a passkey",
        addFailed: "No passkey was created. Try again.",
        known: "This device already has a passkey for your account.",
        unsupported: "This browser does not support passkeys, or JavaScript is turned off.",
        tooMany: "You have {count} passkeys, which is the limit. Remove one first.",
        wasAdded: "The passkey was added.",
        wasRenamed: "The name was saved.",
        wasRemoved: "The passkey was removed. Sessions elsewhere that used a passkey were signed out.",
        notTaken: "That passkey was not accepted, and nothing was changed. Try again.",
        unusableName: "A name must have 1 to 64 characters. Nothing was changed.",
        lastWayIn: "This passkey is the only way to sign in to your account, so it can’t be removed.",
        unknown: "Your account no longer has this passkey.")

    static let german = PasskeyText(
        signInLabel: "Mit einem Passkey anmelden",
        signInFailed: """
            Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem Passwort an.
            """,
        refused: """
            Dieser Passkey wurde nicht akzeptiert. Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem \
            Passwort an.
            """,
        agreeLabel: "Mit einem Passkey freigeben",
        agreeFailed: "Es wurde kein Passkey verwendet und nichts freigegeben. Versuchen Sie es noch einmal.",
        wrongForConsent: "Dieser Passkey wurde nicht akzeptiert. Verbleibende Versuche: {count}.",
        label: "Passkeys",
        lead: "Mit einem Passkey melden Sie sich ohne Passwort an: per Fingerabdruck, Gesicht oder Displaysperre.",
        manageLabel: "Passkeys verwalten",
        heading: "Ihre Passkeys",
        pageLead: """
            Mit jedem dieser Passkeys können Sie sich bei Ihrem Konto anmelden. Entfernen Sie alle, die Sie nicht \
            kennen.
            """,
        none: "Sie haben noch keine Passkeys.",
        nameLabel: "Name",
        renameLabel: "Namen speichern",
        removeLabel: "Diesen Passkey entfernen",
        added: "Hinzugefügt am {date}.",
        used: "Zuletzt verwendet am {date}.",
        neverUsed: "Noch nicht verwendet.",
        synced: "auf mehreren Geräten",
        formerDomain: "für eine frühere Adresse dieses Dienstes, nicht mehr verwendbar",
        addHeading: "Passkey hinzufügen",
        addLead: """
            Ihr Gerät fragt nach Fingerabdruck, Gesicht oder Displaysperre. Ein neuer Passkey ersetzt den zweiten \
            Schritt der Anmeldung erst nach einem Tag.
            """,
        addLabel: "Passkey hinzufügen",
        addFailed: "Es wurde kein Passkey erstellt. Versuchen Sie es noch einmal.",
        known: "Dieses Gerät hat schon einen Passkey für Ihr Konto.",
        unsupported: "Dieser Browser unterstützt keine Passkeys, oder JavaScript ist ausgeschaltet.",
        tooMany: "Sie haben {count} Passkeys und damit das Maximum erreicht. Entfernen Sie zuerst einen.",
        wasAdded: "Der Passkey wurde hinzugefügt.",
        wasRenamed: "Der Name wurde gespeichert.",
        wasRemoved: """
            Der Passkey wurde entfernt. Sitzungen, die anderswo mit einem Passkey angemeldet waren, wurden beendet.
            """,
        notTaken: "Dieser Passkey wurde nicht akzeptiert. Es wurde nichts geändert. Versuchen Sie es noch einmal.",
        unusableName: "Ein Name muss 1 bis 64 Zeichen haben. Es wurde nichts geändert.",
        lastWayIn: """
            Dieser Passkey ist die einzige Möglichkeit, sich bei Ihrem Konto anzumelden. Deshalb kann er nicht \
            entfernt werden.
            """,
        unknown: "Dieser Passkey gehört nicht mehr zu Ihrem Konto.")

    static let french = PasskeyText(
        signInLabel: "Se connecter avec une clé d’accès",
        signInFailed: "Aucune clé d’accès n’a été utilisée. Réessayez, ou connectez-vous avec votre mot de passe.",
        refused: "Cette clé d’accès n’a pas été acceptée. Réessayez, ou connectez-vous avec votre mot de passe.",
        agreeLabel: "Valider avec une clé d’accès",
        agreeFailed: "Aucune clé d’accès n’a été utilisée et rien n’a été validé. Réessayez.",
        wrongForConsent: "Cette clé d’accès n’a pas été acceptée. Essais restants : {count}.",
        label: "Clés d’accès",
        lead: """
            Une clé d’accès vous permet de vous connecter sans mot de passe, avec votre empreinte, votre visage ou le \
            verrouillage de l’écran.
            """,
        manageLabel: "Gérer les clés d’accès",
        heading: "Vos clés d’accès",
        pageLead: "Chacune permet de se connecter à votre compte. Retirez celles que vous ne reconnaissez pas.",
        none: "Vous n’en avez pas encore.",
        nameLabel: "Nom",
        renameLabel: "Enregistrer le nom",
        removeLabel: "Retirer cette clé d’accès",
        added: "Ajoutée le {date}.",
        used: "Utilisée pour la dernière fois le {date}.",
        neverUsed: "Pas encore utilisée.",
        synced: "sur plusieurs appareils",
        formerDomain: "pour une ancienne adresse de ce service, n’est plus utilisable",
        addHeading: "Ajouter une clé d’accès",
        addLead: """
            Votre appareil demande votre empreinte, votre visage ou le verrouillage de l’écran. Une nouvelle clé \
            d’accès ne remplace la seconde étape de la connexion qu’après un jour.
            """,
        addLabel: "Ajouter une clé d’accès",
        addFailed: "Aucune clé d’accès n’a été créée. Réessayez.",
        known: "Cet appareil a déjà une clé d’accès pour votre compte.",
        unsupported: "Ce navigateur ne prend pas en charge les clés d’accès, ou JavaScript est désactivé.",
        tooMany: "Vous avez {count} clés d’accès, le maximum autorisé. Retirez-en d’abord une.",
        wasAdded: "La clé d’accès a été ajoutée.",
        wasRenamed: "Le nom a été enregistré.",
        wasRemoved: """
            La clé d’accès a été retirée. Les sessions ouvertes ailleurs avec une clé d’accès ont été fermées.
            """,
        notTaken: "Cette clé d’accès n’a pas été acceptée, et rien n’a été modifié. Réessayez.",
        unusableName: "Un nom doit compter de 1 à 64 caractères. Rien n’a été modifié.",
        lastWayIn: """
            Cette clé d’accès est le seul moyen de vous connecter à votre compte. Elle ne peut donc pas être retirée.
            """,
        unknown: "Cette clé d’accès ne fait plus partie de votre compte.")

    static let spanish = PasskeyText(
        signInLabel: "Iniciar sesión con una llave de acceso",
        signInFailed: "No se ha usado ninguna llave de acceso. Inténtelo de nuevo o inicie sesión con su contraseña.",
        refused: "Esa llave de acceso no se ha aceptado. Inténtelo de nuevo o inicie sesión con su contraseña.",
        agreeLabel: "Autorizar con una llave de acceso",
        agreeFailed: "No se ha usado ninguna llave de acceso y no se ha autorizado nada. Inténtelo de nuevo.",
        wrongForConsent: "Esa llave de acceso no se ha aceptado. Intentos restantes: {count}.",
        label: "Llaves de acceso",
        lead: "Con una llave de acceso inicia sesión sin contraseña, con su huella, su cara o el bloqueo de pantalla.",
        manageLabel: "Gestionar las llaves de acceso",
        heading: "Sus llaves de acceso",
        pageLead: "Con cada una de ellas se puede iniciar sesión en su cuenta. Quite las que no reconozca.",
        none: "Todavía no tiene ninguna.",
        nameLabel: "Nombre",
        renameLabel: "Guardar el nombre",
        removeLabel: "Quitar esta llave de acceso",
        added: "Añadida el {date}.",
        used: "Usada por última vez el {date}.",
        neverUsed: "Todavía no se ha usado.",
        synced: "en varios dispositivos",
        formerDomain: "para una dirección anterior de este servicio, ya no se puede usar",
        addHeading: "Añadir una llave de acceso",
        addLead: """
            Su dispositivo le pide la huella, la cara o el bloqueo de pantalla. Una llave nueva solo sustituye al \
            segundo paso del inicio de sesión después de un día.
            """,
        addLabel: "Añadir una llave de acceso",
        addFailed: "No se ha creado ninguna llave de acceso. Inténtelo de nuevo.",
        known: "Este dispositivo ya tiene una llave de acceso para su cuenta.",
        unsupported: "Este navegador no admite llaves de acceso o JavaScript está desactivado.",
        tooMany: "Tiene {count} llaves de acceso, que es el máximo. Quite primero una.",
        wasAdded: "La llave de acceso se ha añadido.",
        wasRenamed: "El nombre se ha guardado.",
        wasRemoved: """
            La llave de acceso se ha quitado. Se han cerrado las sesiones iniciadas con una llave de acceso en otros \
            lugares.
            """,
        notTaken: "Esa llave de acceso no se ha aceptado y no se ha cambiado nada. Inténtelo de nuevo.",
        unusableName: "Un nombre debe tener de 1 a 64 caracteres. No se ha cambiado nada.",
        lastWayIn: "Esta llave de acceso es la única forma de iniciar sesión en su cuenta, así que no se puede quitar.",
        unknown: "Su cuenta ya no tiene esa llave de acceso.")

    static let bulgarian = PasskeyText(
        signInLabel: "Вход с ключ за достъп",
        signInFailed: "Не беше използван ключ за достъп. Опитайте отново или влезте с паролата си.",
        refused: "Този ключ за достъп не беше приет. Опитайте отново или влезте с паролата си.",
        agreeLabel: "Одобряване с ключ за достъп",
        agreeFailed: "Не беше използван ключ за достъп и нищо не беше одобрено. Опитайте отново.",
        wrongForConsent: "Този ключ за достъп не беше приет. Оставащи опити: {count}.",
        label: "Ключове за достъп",
        lead: "С ключ за достъп влизате без парола – с пръстов отпечатък, лице или заключването на екрана.",
        manageLabel: "Управление на ключовете за достъп",
        heading: "Вашите ключове за достъп",
        pageLead: "С всеки от тях може да се влезе в профила ви. Премахнете тези, които не разпознавате.",
        none: "Все още нямате ключове за достъп.",
        nameLabel: "Име",
        renameLabel: "Запазване на името",
        removeLabel: "Премахване на този ключ за достъп",
        added: "Добавен на {date}",
        used: "Последно използван на {date}",
        neverUsed: "Все още не е използван.",
        synced: "на няколко устройства",
        formerDomain: "за предишен адрес на тази услуга, вече не може да се използва",
        addHeading: "Добавяне на ключ за достъп",
        addLead: """
            Устройството ви ще поиска пръстов отпечатък, лице или заключването на екрана. Нов ключ замества втората \
            стъпка на входа едва след един ден.
            """,
        addLabel: "Добавяне на ключ за достъп",
        addFailed: "Не беше създаден ключ за достъп. Опитайте отново.",
        known: "Това устройство вече има ключ за достъп за профила ви.",
        unsupported: "Този браузър не поддържа ключове за достъп или JavaScript е изключен.",
        tooMany: "Имате {count} ключа за достъп, което е максимумът. Първо премахнете един.",
        wasAdded: "Ключът за достъп беше добавен.",
        wasRenamed: "Името беше запазено.",
        wasRemoved: "Ключът за достъп беше премахнат. Сесиите, започнати с ключ за достъп другаде, бяха прекратени.",
        notTaken: "Този ключ за достъп не беше приет и нищо не беше променено. Опитайте отново.",
        unusableName: "Името трябва да има от 1 до 64 знака. Нищо не беше променено.",
        lastWayIn: """
            Този ключ за достъп е единственият начин да влизате в профила си, затова не може да бъде премахнат.
            """,
        unknown: "Този ключ за достъп вече не е в профила ви.")
}

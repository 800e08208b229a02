import AuthCore

/// The texts about third-party apps in one language: the consent page, and "Apps with access" on the account page.
/// Texts shared with other pages are in ``PageText``.
///
/// `{client}`, `{user}`, `{scope}`, `{address}` and `{date}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ClientConsentText: PageTranslation {
    // The consent page.
    let heading: String
    let moreHeading: String
    let againHeading: String
    let lead: String
    let newHeading: String
    let grantedHeading: String
    /// Above the scopes that are requested again, and above the app's other scopes.
    let askedHeading: String
    let alsoHeading: String
    let destinationLabel: String
    let deviceDestination: String
    let warning: String
    let allowLabel: String

    // What a scope lets an app do.
    let openID: String
    let profile: String
    let email: String
    let phone: String
    let address: String
    let offlineAccess: String
    /// Names one of the operator's own scopes.
    let ownScope: String

    // The account page.
    let appsHeading: String
    let appsLead: String
    let manageLabel: String
    let pageLead: String
    let none: String
    let since: String
    let removeLabel: String
    let wasRemoved: String
    let unknown: String
}

extension Language {
    var clientConsentText: ClientConsentText { translation() }
}

extension ClientConsentText {
    static let english = ClientConsentText(
        heading: "Give {client} access to your account?",
        moreHeading: "Give {client} more access?",
        againHeading: "{client} is asking for your permission again",
        lead: "You are signed in as {user}.",
        newHeading: "If you allow it, {client} can:",
        grantedHeading: "It can already:",
        askedHeading: "It is asking to:",
        alsoHeading: "It can also:",
        destinationLabel: "You will return to",
        deviceDestination: "An app on this device ({address})",
        warning: """
            Allow this only if you trust {client}. It stays signed in until you sign out there or remove its access on \
            your account page.
            """,
        allowLabel: "Allow",
        openID: "Recognize your account when you sign in",
        profile: "See your name, user name and language",
        email: "See your e-mail address",
        phone: "See your phone number",
        address: "See your postal address",
        offlineAccess: "Stay signed in when you are not using the app",
        ownScope: "Use “{scope}”",
        appsHeading: "Apps with access",
        appsLead: "You gave these apps access to your account.",
        manageLabel: "Remove an app’s access",
        pageLead: "Remove access for apps that you no longer use or trust. They are signed out at once.",
        none: "No app has access to your account.",
        since: "Since {date}",
        removeLabel: "Remove access for {client}",
        wasRemoved: "Access removed. The app was signed out and must ask you again.",
        unknown: "This app no longer has access. Nothing was changed.")

    static let german = ClientConsentText(
        heading: "{client} Zugriff auf Ihr Konto erlauben?",
        moreHeading: "{client} weiteren Zugriff erlauben?",
        againHeading: "{client} bittet erneut um Ihre Erlaubnis",
        lead: "Sie sind als {user} angemeldet.",
        newHeading: "Wenn Sie es erlauben, kann {client}:",
        grantedHeading: "Die App kann bereits:",
        askedHeading: "Die App möchte:",
        alsoHeading: "Außerdem kann sie:",
        destinationLabel: "Sie kehren zurück zu",
        deviceDestination: "Eine App auf diesem Gerät ({address})",
        warning: """
            Erlauben Sie das nur, wenn Sie {client} vertrauen. Die App bleibt angemeldet, bis Sie sich dort abmelden \
            oder ihr auf Ihrer Kontoseite den Zugriff entziehen.
            """,
        allowLabel: "Erlauben",
        openID: "Ihr Konto bei der Anmeldung wiedererkennen",
        profile: "Ihren Namen, Ihren Benutzernamen und Ihre Sprache sehen",
        email: "Ihre E-Mail-Adresse sehen",
        phone: "Ihre Telefonnummer sehen",
        address: "Ihre Postanschrift sehen",
        offlineAccess: "Angemeldet bleiben, auch wenn Sie die App nicht verwenden",
        ownScope: "„{scope}“ verwenden",
        appsHeading: "Apps mit Zugriff",
        appsLead: "Diesen Apps haben Sie Zugriff auf Ihr Konto gegeben.",
        manageLabel: "Einer App den Zugriff entziehen",
        pageLead: """
            Entziehen Sie Apps, die Sie nicht mehr verwenden oder denen Sie nicht mehr vertrauen, den Zugriff. Sie \
            werden dann sofort abgemeldet.
            """,
        none: "Keine App hat Zugriff auf Ihr Konto.",
        since: "Seit dem {date}",
        removeLabel: "Zugriff entziehen: {client}",
        wasRemoved: "Der Zugriff wurde entzogen. Die App wurde abgemeldet und muss Sie erneut fragen.",
        unknown: "Diese App hat keinen Zugriff mehr. Es wurde nichts geändert.")

    static let french = ClientConsentText(
        heading: "Autoriser {client} à accéder à votre compte ?",
        moreHeading: "Accorder un accès plus large à {client} ?",
        againHeading: "{client} vous demande à nouveau votre autorisation",
        lead: "Vous êtes connecté en tant que {user}.",
        newHeading: "Si vous l’autorisez, {client} pourra :",
        grantedHeading: "L’application peut déjà :",
        askedHeading: "L’application demande à :",
        alsoHeading: "Elle peut aussi :",
        destinationLabel: "Vous reviendrez vers",
        deviceDestination: "Une application sur cet appareil ({address})",
        warning: """
            N’autorisez {client} que si vous lui faites confiance. L’application reste connectée jusqu’à ce que vous vous y \
            déconnectiez ou que vous retiriez son accès sur la page de votre compte.
            """,
        allowLabel: "Autoriser",
        openID: "Reconnaître votre compte quand vous vous connectez",
        profile: "Voir votre nom, votre nom d’utilisateur et votre langue",
        email: "Voir votre adresse e-mail",
        phone: "Voir votre numéro de téléphone",
        address: "Voir votre adresse postale",
        offlineAccess: "Rester connectée quand vous n’utilisez pas l’application",
        ownScope: "Utiliser « {scope} »",
        appsHeading: "Applications autorisées",
        appsLead: "Vous avez donné à ces applications l’accès à votre compte.",
        manageLabel: "Retirer l’accès d’une application",
        pageLead: """
            Retirez l’accès des applications que vous n’utilisez plus ou auxquelles vous ne faites plus confiance. \
            Elles sont déconnectées immédiatement.
            """,
        none: "Aucune application n’a accès à votre compte.",
        since: "Depuis le {date}",
        removeLabel: "Retirer l’accès de {client}",
        wasRemoved: """
            L’accès a été retiré. L’application a été déconnectée et devra vous redemander votre autorisation.
            """,
        unknown: "Cette application n’a plus accès à votre compte. Rien n’a été modifié.")

    static let spanish = ClientConsentText(
        heading: "¿Dar a {client} acceso a su cuenta?",
        moreHeading: "¿Dar más acceso a {client}?",
        againHeading: "{client} le pide permiso de nuevo",
        lead: "Ha iniciado sesión como {user}.",
        newHeading: "Si lo permite, {client} podrá:",
        grantedHeading: "La aplicación ya puede:",
        askedHeading: "La aplicación solicita:",
        alsoHeading: "También puede:",
        destinationLabel: "Volverá a",
        deviceDestination: "Una aplicación de este dispositivo ({address})",
        warning: """
            Permítalo solo si confía en {client}. La aplicación mantendrá la sesión abierta hasta que la cierre allí o le \
            quite el acceso en la página de su cuenta.
            """,
        allowLabel: "Permitir",
        openID: "Reconocer su cuenta cuando inicie sesión",
        profile: "Ver su nombre, su nombre de usuario y su idioma",
        email: "Ver su dirección de correo electrónico",
        phone: "Ver su número de teléfono",
        address: "Ver su dirección postal",
        offlineAccess: "Mantener la sesión abierta cuando no use la aplicación",
        ownScope: "Usar «{scope}»",
        appsHeading: "Aplicaciones con acceso",
        appsLead: "Ha dado a estas aplicaciones acceso a su cuenta.",
        manageLabel: "Quitar el acceso a una aplicación",
        pageLead: """
            Quite el acceso a las aplicaciones que ya no use o en las que ya no confíe. Su sesión se cerrará de \
            inmediato.
            """,
        none: "Ninguna aplicación tiene acceso a su cuenta.",
        since: "Desde el {date}",
        removeLabel: "Quitar el acceso a {client}",
        wasRemoved:
            "Se ha quitado el acceso. La sesión de la aplicación se ha cerrado y tendrá que pedirle permiso de nuevo.",
        unknown: "Esta aplicación ya no tiene acceso. No se ha cambiado nada.")

    static let bulgarian = ClientConsentText(
        heading: "Разрешавате ли на {client} достъп до профила си?",
        moreHeading: "Разрешавате ли на {client} допълнителен достъп?",
        againHeading: "{client} отново иска вашето разрешение",
        lead: "Влезли сте като {user}.",
        newHeading: "Ако разрешите, {client} ще може:",
        grantedHeading: "Приложението вече може:",
        askedHeading: "Приложението иска:",
        alsoHeading: "Освен това може:",
        destinationLabel: "Ще се върнете към",
        deviceDestination: "Приложение на това устройство ({address})",
        warning: """
            Разрешете само ако имате доверие на {client}. Приложението остава свързано с профила ви, докато не излезете \
            от него или не отнемете достъпа му от страницата на профила си.
            """,
        allowLabel: "Разрешавам",
        openID: "Да разпознава профила ви, когато влизате",
        profile: "Да вижда името, потребителското име и езика ви",
        email: "Да вижда имейл адреса ви",
        phone: "Да вижда телефонния ви номер",
        address: "Да вижда пощенския ви адрес",
        offlineAccess: "Да остава свързано с профила ви, когато не го използвате",
        ownScope: "Да използва „{scope}“",
        appsHeading: "Приложения с достъп",
        appsLead: "Дали сте на тези приложения достъп до профила си.",
        manageLabel: "Отнемане на достъпа на приложение",
        pageLead: """
            Отнемете достъпа на приложенията, които вече не използвате или на които нямате доверие. Сесиите им се \
            прекратяват веднага.
            """,
        none: "Няма приложения с достъп до профила ви.",
        since: "От {date}",
        removeLabel: "Отнемане на достъпа на {client}",
        wasRemoved: """
            Достъпът е отнет. Сесията на приложението е прекратена и то трябва отново да поиска разрешението ви.
            """,
        unknown: "Това приложение вече няма достъп. Нищо не беше променено.")
}

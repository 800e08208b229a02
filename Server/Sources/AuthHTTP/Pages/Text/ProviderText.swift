import AuthCore

/// The texts about identity providers in one language. A translation with a missing text does not compile.
///
/// `{provider}`, `{brand}` and `{email}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ProviderText: PageTranslation {
    // On the sign-in page.
    let divider: String
    /// The wording a vendor prescribes for its service.
    let signInLabel: String
    let continueLabel: String

    // On the page that offers an account.
    let newAccountHeading: String
    let newAccountLead: String
    let emailLine: String
    let termsLine: String
    let termsLabel: String
    let createLabel: String

    // On the way to a provider.
    let leaving: String

    // Notices about the provider's answer.
    let declined: String
    let failed: String
    let sessionOld: String
    let unavailable: String
    let gone: String
    let answerUsed: String
    let nameTaken: String
}

extension Language {
    var providerText: ProviderText { translation() }
}

extension ProviderText {
    static let english = ProviderText(
        divider: "or",
        signInLabel: "Sign in with {provider}",
        continueLabel: "Continue with {provider}",
        newAccountHeading: "You don’t have an account yet",
        newAccountLead: """
            You signed in with {provider}, but {brand} has no account for that sign-in yet. Choose a user name to \
            create one.
            """,
        emailLine: "{provider} shared your e-mail address, {email}. We’ll add it to your account.",
        termsLine: "By creating an account, you accept the terms of {brand}.",
        termsLabel: "Read the terms",
        createLabel: "Create account",
        leaving: "Taking you to {provider}.",
        declined: "You did not sign in with {provider}. Try again, or sign in another way.",
        failed: "Signing in with {provider} did not work. Try again, or sign in another way.",
        sessionOld: """
            This step needs a new sign-in with {provider}, but {provider} did not confirm one. Sign in another way, \
            such as with a password or a passkey. If you have neither, reset your password first.
            """,
        unavailable: "We can’t reach {provider} right now. Try again in a moment, or sign in another way.",
        gone: "This way of signing in is no longer available. Choose another one.",
        answerUsed: "This sign-in has already been used, or it took too long. Sign in again.",
        nameTaken: "This user name is taken. Choose another one.")

    static let german = ProviderText(
        divider: "oder",
        signInLabel: "Mit {provider} anmelden",
        continueLabel: "Weiter mit {provider}",
        newAccountHeading: "Sie haben noch kein Konto",
        newAccountLead: """
            Sie haben sich mit {provider} angemeldet, aber {brand} hat dazu noch kein Konto. Wählen Sie einen \
            Benutzernamen, um eines anzulegen.
            """,
        emailLine: "{provider} hat uns Ihre E-Mail-Adresse {email} mitgeteilt. Sie wird in Ihr Konto übernommen.",
        termsLine: "Mit dem Anlegen des Kontos akzeptieren Sie die Nutzungsbedingungen von {brand}.",
        termsLabel: "Nutzungsbedingungen lesen",
        createLabel: "Konto anlegen",
        leaving: "Sie werden zu {provider} weitergeleitet.",
        declined: """
            Sie haben sich nicht mit {provider} angemeldet. Versuchen Sie es noch einmal oder melden Sie sich anders \
            an.
            """,
        failed: """
            Die Anmeldung mit {provider} hat nicht funktioniert. Versuchen Sie es noch einmal oder melden Sie sich \
            anders an.
            """,
        sessionOld: """
            Dieser Schritt erfordert eine neue Anmeldung bei {provider}, und {provider} hat keine bestätigt. Melden \
            Sie sich anders an, zum Beispiel mit Passwort oder Passkey. Wenn Sie beides nicht haben, setzen Sie zuerst \
            Ihr Passwort zurück.
            """,
        unavailable: """
            {provider} ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal oder melden Sie sich anders an.
            """,
        gone: "Diese Anmeldeart gibt es nicht mehr. Wählen Sie eine andere.",
        answerUsed: "Dieser Schritt wurde schon verwendet oder hat zu lange gedauert. Melden Sie sich erneut an.",
        nameTaken: "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.")

    static let french = ProviderText(
        divider: "ou",
        signInLabel: "Se connecter avec {provider}",
        continueLabel: "Continuer avec {provider}",
        newAccountHeading: "Vous n’avez pas encore de compte",
        newAccountLead: """
            Vous vous êtes connecté avec {provider}, mais {brand} n’a pas encore de compte pour cette connexion. \
            Choisissez un nom d’utilisateur pour en créer un.
            """,
        emailLine: "{provider} nous a communiqué votre adresse e-mail, {email}. Elle sera ajoutée à votre compte.",
        termsLine: "En créant le compte, vous acceptez les conditions d’utilisation de {brand}.",
        termsLabel: "Lire les conditions",
        createLabel: "Créer le compte",
        leaving: "Vous allez être redirigé vers {provider}.",
        declined: "Vous ne vous êtes pas connecté avec {provider}. Réessayez ou connectez-vous autrement.",
        failed: "La connexion avec {provider} n’a pas abouti. Réessayez ou connectez-vous autrement.",
        sessionOld: """
            Cette étape exige une nouvelle connexion avec {provider}, que {provider} n’a pas confirmée. Connectez-vous \
            autrement, par exemple avec un mot de passe ou une clé d’accès. Si vous n’avez ni l’un ni l’autre, \
            réinitialisez d’abord votre mot de passe.
            """,
        unavailable: """
            {provider} est injoignable pour le moment. Réessayez dans un instant ou connectez-vous autrement.
            """,
        gone: "Ce mode de connexion n’est plus proposé. Choisissez-en un autre.",
        answerUsed: "Cette étape a déjà été utilisée ou le délai est dépassé. Connectez-vous à nouveau.",
        nameTaken: "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.")

    static let spanish = ProviderText(
        divider: "o",
        signInLabel: "Iniciar sesión con {provider}",
        continueLabel: "Continuar con {provider}",
        newAccountHeading: "Aún no tiene una cuenta",
        newAccountLead: """
            Ha iniciado sesión con {provider}, pero {brand} todavía no tiene una cuenta para ese acceso. Elija un \
            nombre de usuario para crearla.
            """,
        emailLine: "{provider} nos ha comunicado su dirección de correo, {email}. Se añadirá a su cuenta.",
        termsLine: "Al crear la cuenta, acepta las condiciones de {brand}.",
        termsLabel: "Leer las condiciones",
        createLabel: "Crear cuenta",
        leaving: "Le llevamos a {provider}.",
        declined: "No ha iniciado sesión con {provider}. Inténtelo de nuevo o acceda de otra manera.",
        failed: "El inicio de sesión con {provider} no ha funcionado. Inténtelo de nuevo o acceda de otra manera.",
        sessionOld: """
            Este paso requiere un nuevo inicio de sesión con {provider}, y {provider} no lo ha confirmado. Acceda de \
            otra manera, por ejemplo con una contraseña o una llave de acceso. Si no tiene ninguna de las dos, \
            restablezca primero su contraseña.
            """,
        unavailable: """
            No podemos contactar con {provider} en este momento. Inténtelo de nuevo enseguida o acceda de otra manera.
            """,
        gone: "Esta forma de acceso ya no está disponible. Elija otra.",
        answerUsed: "Este paso ya se ha utilizado o se agotó el tiempo. Inicie sesión de nuevo.",
        nameTaken: "Este nombre de usuario ya está en uso. Elija otro.")

    static let bulgarian = ProviderText(
        divider: "или",
        signInLabel: "Вход с {provider}",
        continueLabel: "Продължаване с {provider}",
        newAccountHeading: "Все още нямате профил",
        newAccountLead: """
            Влязохте с {provider}, но {brand} още няма профил за този вход. Изберете потребителско име, за да го \
            създадете.
            """,
        emailLine: "{provider} ни предостави имейл адреса ви – {email}. Той ще бъде добавен към профила ви.",
        termsLine: "Като създавате профила, приемате условията на {brand}.",
        termsLabel: "Прочетете условията",
        createLabel: "Създаване на профил",
        leaving: "Пренасочваме ви към {provider}.",
        declined: "Не влязохте с {provider}. Опитайте отново или влезте по друг начин.",
        failed: "Входът с {provider} не беше успешен. Опитайте отново или влезте по друг начин.",
        sessionOld: """
            За тази стъпка е нужен нов вход с {provider}, а {provider} не го потвърди. Влезте по друг начин, например \
            с парола или ключ за достъп. Ако нямате нито едното, нито другото, първо задайте нова парола.
            """,
        unavailable: """
            В момента не можем да се свържем с {provider}. Опитайте отново след малко или влезте по друг начин.
            """,
        gone: "Този начин за вход вече не се предлага. Изберете друг.",
        answerUsed: "Тази стъпка вече е използвана или времето изтече. Влезте отново.",
        nameTaken: "Това потребителско име е заето. Изберете друго.")
}

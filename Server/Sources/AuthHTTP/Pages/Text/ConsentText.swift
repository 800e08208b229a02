import AuthCore

/// The texts of the consent page in one language. Texts shared with other pages are in ``PageText``.
///
/// `{client}` and `{count}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ConsentText: PageTranslation {
    // The operation.
    let paymentHeading: String
    let trustHeading: String
    let distrustHeading: String
    let seriesHeading: String
    let otherHeading: String
    let lead: String
    let amountLabel: String
    let payeeLabel: String
    let payeeAccountLabel: String
    let kindLabel: String
    let requesterLabel: String
    let accountLabel: String
    /// Before the name of a detail, `{name}`. The backend chooses the name, so it must not look like a label of the
    /// page.
    let detailLabel: String
    let trustConsequence: String
    let seriesConsequence: String
    let warning: String
    let agreeLabel: String
    let refuseLabel: String

    // Notices.
    let noticeHeading: String
    let wrong: String

    // The final states.
    let agreedHeading: String
    let agreed: String
    let refusedHeading: String
    let refused: String
    let lockedHeading: String
    let locked: String
    let overHeading: String
    let over: String
    let superseded: String
    let backLabel: String
}

extension Language {
    var consentText: ConsentText { translation() }
}

extension ConsentText {
    static let english = ConsentText(
        paymentHeading: "Approve this payment",
        trustHeading: "Trust this payee from now on",
        distrustHeading: "Stop trusting this payee",
        seriesHeading: "Start a series of payments",
        otherHeading: "Approve this",
        lead: "{client} is asking for your approval. Check that this is what you want to do.",
        amountLabel: "Amount",
        payeeLabel: "To",
        payeeAccountLabel: "Payee’s account",
        kindLabel: "Type",
        requesterLabel: "Requested by",
        accountLabel: "Your user name",
        detailLabel: "Additional detail “{name}”",
        trustConsequence: "After that, payments to this payee may go through without your approval.",
        seriesConsequence: """
            After that, further payments of this amount to this payee may go through without your approval.
            """,
        warning: """
            Continue only if you started this yourself in {client}, just now. Never approve it at the request of \
            someone who called or wrote to you.
            """,
        agreeLabel: "Approve",
        refuseLabel: "I did not ask for this",
        noticeHeading: "You haven’t approved this yet",
        wrong: "That is not correct. Attempts left: {count}.",
        agreedHeading: "Approved",
        agreed: "You’re done here. Go back to {client}.",
        refusedHeading: "Refused",
        refused: """
            This can no longer be approved. If you didn’t start it, someone else may be signed in as you: change your \
            password and check your devices in {client}.
            """,
        lockedHeading: "Too many wrong attempts",
        locked: "Nothing was approved. Start again in {client}.",
        overHeading: "This page is no longer valid",
        over: """
            The request was refused or withdrawn, or it took too long. Nothing was approved here. Go back to {client}.
            """,
        superseded: "{client} switched to another way to approve this. Go back there.",
        backLabel: "Back to {client}")

    static let german = ConsentText(
        paymentHeading: "Diese Zahlung bestätigen",
        trustHeading: "Diesem Empfänger künftig vertrauen",
        distrustHeading: "Diesem Empfänger nicht mehr vertrauen",
        seriesHeading: "Eine Reihe von Zahlungen starten",
        otherHeading: "Dies bestätigen",
        lead: "{client} bittet um Ihre Freigabe. Prüfen Sie, ob es das ist, was Sie tun möchten.",
        amountLabel: "Betrag",
        payeeLabel: "An",
        payeeAccountLabel: "Konto des Empfängers",
        kindLabel: "Art",
        requesterLabel: "Angefragt von",
        accountLabel: "Ihr Benutzername",
        detailLabel: "Zusätzliche Angabe „{name}“",
        trustConsequence: "Danach können Zahlungen an diesen Empfänger ohne Ihre Freigabe ausgeführt werden.",
        seriesConsequence: """
            Danach können weitere Zahlungen dieses Betrags an diesen Empfänger ohne Ihre Freigabe ausgeführt werden.
            """,
        warning: """
            Fahren Sie nur fort, wenn Sie dies gerade selbst in {client} gestartet haben. Bestätigen Sie es nicht, \
            weil jemand Sie angerufen oder Ihnen geschrieben hat.
            """,
        agreeLabel: "Freigeben",
        refuseLabel: "Das habe ich nicht veranlasst",
        noticeHeading: "Noch nicht freigegeben",
        wrong: "Das ist nicht richtig. Verbleibende Versuche: {count}.",
        agreedHeading: "Freigegeben",
        agreed: "Sie sind hier fertig. Kehren Sie zu {client} zurück.",
        refusedHeading: "Abgelehnt",
        refused: """
            Es kann nicht mehr freigegeben werden. Wenn Sie es nicht gestartet haben, ist möglicherweise jemand \
            anderes in Ihrem Namen angemeldet: Ändern Sie Ihr Passwort und prüfen Sie Ihre Geräte in {client}.
            """,
        lockedHeading: "Zu viele Fehlversuche",
        locked: "Es wurde nichts freigegeben. Beginnen Sie in {client} von vorn.",
        overHeading: "Diese Seite ist nicht mehr gültig",
        over: """
            Die Anfrage wurde abgelehnt oder zurückgezogen, oder es hat zu lange gedauert. Hier wurde nichts \
            freigegeben. Kehren Sie zu {client} zurück.
            """,
        superseded: "{client} ist auf anderem Weg fortgefahren. Kehren Sie dorthin zurück.",
        backLabel: "Zurück zu {client}")

    static let french = ConsentText(
        paymentHeading: "Confirmez ce paiement",
        trustHeading: "Faire désormais confiance à ce bénéficiaire",
        distrustHeading: "Ne plus faire confiance à ce bénéficiaire",
        seriesHeading: "Commencer une série de paiements",
        otherHeading: "Confirmez ceci",
        lead: "{client} vous demande votre accord. Vérifiez que c’est bien ce que vous voulez faire.",
        amountLabel: "Montant",
        payeeLabel: "Bénéficiaire",
        payeeAccountLabel: "Compte du bénéficiaire",
        kindLabel: "Type d’opération",
        requesterLabel: "Demandé par",
        accountLabel: "Votre nom d’utilisateur",
        detailLabel: "Information complémentaire « {name} »",
        trustConsequence: "Ensuite, les paiements à ce bénéficiaire pourront être effectués sans votre accord.",
        seriesConsequence: """
            Ensuite, d’autres paiements de ce montant à ce bénéficiaire pourront être effectués sans votre accord.
            """,
        warning: """
            Ne continuez que si vous venez de lancer ceci vous-même dans {client}. Ne confirmez pas parce que \
            quelqu’un vous a appelé ou vous a écrit.
            """,
        agreeLabel: "Valider",
        refuseLabel: "Je n’ai pas demandé cela",
        noticeHeading: "Vous n’avez pas encore validé",
        wrong: "Ce n’est pas correct. Essais restants : {count}.",
        agreedHeading: "Validé",
        agreed: "C’est terminé. Revenez à {client}.",
        refusedHeading: "Refusé",
        refused: """
            L’opération ne peut plus être validée. Si vous ne l’avez pas lancée, quelqu’un d’autre est peut-être \
            connecté à votre place : changez votre mot de passe et vérifiez vos appareils dans {client}.
            """,
        lockedHeading: "Trop d’essais infructueux",
        locked: "Rien n’a été validé. Recommencez dans {client}.",
        overHeading: "Cette page n’est plus valable",
        over: """
            L’opération a été refusée ou annulée, ou le délai est dépassé. Rien n’a été validé ici. Revenez à {client}.
            """,
        superseded: "{client} a poursuivi d’une autre façon. Revenez-y.",
        backLabel: "Retour à {client}")

    static let spanish = ConsentText(
        paymentHeading: "Confirme este pago",
        trustHeading: "Confiar en este beneficiario desde ahora",
        distrustHeading: "Dejar de confiar en este beneficiario",
        seriesHeading: "Iniciar una serie de pagos",
        otherHeading: "Confirme esto",
        lead: "{client} solicita su autorización. Compruebe que esto es lo que quiere hacer.",
        amountLabel: "Importe",
        payeeLabel: "Para",
        payeeAccountLabel: "Cuenta del beneficiario",
        kindLabel: "Tipo",
        requesterLabel: "Solicitado por",
        accountLabel: "Su nombre de usuario",
        detailLabel: "Dato adicional «{name}»",
        trustConsequence: "Después, los pagos a este beneficiario podrán hacerse sin su autorización.",
        seriesConsequence: """
            Después, otros pagos de este importe a este beneficiario podrán hacerse sin su autorización.
            """,
        warning: """
            Continúe solo si acaba de iniciar esto usted mismo en {client}. No lo confirme porque alguien le haya \
            llamado o escrito.
            """,
        agreeLabel: "Autorizar",
        refuseLabel: "Yo no he pedido esto",
        noticeHeading: "Todavía no lo ha autorizado",
        wrong: "No es correcto. Intentos restantes: {count}.",
        agreedHeading: "Autorizado",
        agreed: "Ya ha terminado aquí. Vuelva a {client}.",
        refusedHeading: "Rechazado",
        refused: """
            La operación ya no se puede autorizar. Si no la inició usted, es posible que otra persona haya iniciado \
            sesión en su nombre: cambie su contraseña y revise sus dispositivos en {client}.
            """,
        lockedHeading: "Demasiados intentos fallidos",
        locked: "No se ha autorizado nada. Empiece de nuevo en {client}.",
        overHeading: "Esta página ya no es válida",
        over: """
            La solicitud se rechazó o se retiró, o se agotó el tiempo. Aquí no se ha autorizado nada. Vuelva a \
            {client}.
            """,
        superseded: "{client} ha continuado de otra manera. Vuelva allí.",
        backLabel: "Volver a {client}")

    static let bulgarian = ConsentText(
        paymentHeading: "Потвърдете това плащане",
        trustHeading: "Доверяване на този получател занапред",
        distrustHeading: "Прекратяване на доверието към този получател",
        seriesHeading: "Начало на поредица от плащания",
        otherHeading: "Потвърдете това",
        lead: "{client} иска вашето одобрение. Проверете дали това е, което искате да направите.",
        amountLabel: "Сума",
        payeeLabel: "Получател",
        payeeAccountLabel: "Сметка на получателя",
        kindLabel: "Вид",
        requesterLabel: "Поискано от",
        accountLabel: "Вашето потребителско име",
        detailLabel: "Допълнителни данни „{name}“",
        trustConsequence: "След това плащания към този получател може да се извършват без вашето одобрение.",
        seriesConsequence: """
            След това следващите плащания на тази сума към този получател може да се извършват без вашето одобрение.
            """,
        warning: """
            Продължете само ако току-що сами сте започнали това в {client}. Не го потвърждавайте, защото някой ви се е \
            обадил или ви е писал.
            """,
        agreeLabel: "Одобрявам",
        refuseLabel: "Това не е по мое искане",
        noticeHeading: "Още не сте одобрили",
        wrong: "Това не е вярно. Оставащи опити: {count}.",
        agreedHeading: "Одобрено",
        agreed: "Готово. Върнете се в {client}.",
        refusedHeading: "Отказано",
        refused: """
            Операцията вече не може да бъде одобрена. Ако не сте я започнали вие, може би някой друг е влязъл от ваше \
            име: сменете паролата си и прегледайте устройствата си в {client}.
            """,
        lockedHeading: "Твърде много грешни опити",
        locked: "Нищо не беше одобрено. Започнете отначало в {client}.",
        overHeading: "Тази страница вече не е валидна",
        over: """
            Заявката беше отказана или оттеглена, или времето изтече. Тук нищо не беше одобрено. Върнете се в {client}.
            """,
        superseded: "{client} продължи по друг начин. Върнете се там.",
        backLabel: "Обратно в {client}")
}

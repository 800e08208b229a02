extension ConsentText {
    static let spanish = ConsentText(
        paymentHeading: "Confirme este pago",
        trustHeading: "Confiar en este beneficiario desde ahora",
        distrustHeading: "Dejar de confiar en este beneficiario",
        seriesHeading: "Iniciar una serie de pagos",
        otherHeading: "Confirme esto",
        lead: "{client} pregunta si está de acuerdo. Compare esto con lo que quiere hacer.",
        amountLabel: "Importe",
        payeeLabel: "Para",
        payeeAccountLabel: "Cuenta del beneficiario",
        kindLabel: "Tipo",
        requesterLabel: "Solicitado por",
        accountLabel: "Su nombre de usuario",
        detailLabel: "Otro dato «{name}»",
        trustConsequence: "Los pagos a este beneficiario podrán hacerse entonces sin preguntarle.",
        seriesConsequence: "Otros pagos de este importe a este beneficiario podrán hacerse entonces sin preguntarle.",
        warning: """
            Continúe solo si usted mismo ha empezado esto en {client} ahora mismo. Nadie que le llame o le escriba necesita \
            que lo confirme.
            """,
        agreeLabel: "Aceptar",
        refuseLabel: "Yo no he pedido esto",
        noticeHeading: "Todavía no ha aceptado",
        wrong: "No es correcto. Intentos restantes: {count}.",
        agreedHeading: "Ha aceptado",
        agreed: "No hay nada más que hacer aquí. Vuelva a {client}.",
        refusedHeading: "Rechazado",
        refused: """
            Ya nadie puede aceptarlo. Si no lo empezó usted, puede que otra persona tenga una sesión a su nombre: cambie su \
            contraseña y revise sus dispositivos en {client}.
            """,
        lockedHeading: "Demasiados intentos incorrectos",
        locked: "No se ha aceptado nada. Empiece de nuevo en {client}.",
        overHeading: "Esta página ya no es válida",
        over: """
            Se rechazó o se retiró, o tardó demasiado. Aquí no se ha aceptado nada. Vuelva a {client}.
            """,
        superseded: "{client} ha continuado de otra manera. Vuelva allí.",
        backLabel: "Volver a {client}")
}

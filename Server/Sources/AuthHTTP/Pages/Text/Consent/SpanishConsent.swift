extension ConsentText {
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
}

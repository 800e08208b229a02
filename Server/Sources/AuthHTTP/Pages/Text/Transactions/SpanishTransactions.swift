extension TransactionText {
    static let spanish = TransactionText(
        heading: "Abra este enlace en su aplicación",
        lead: "Este enlace corresponde a un pago u otra operación que se firma en su aplicación de monedero.",
        nextStep: """
            Use el teléfono en el que tiene la aplicación: toque allí el enlace o escanee el código QR con la \
            aplicación. No se puede firmar en el navegador.
            """)
}

extension TransactionText {
    static let spanish = TransactionText(
        heading: "Abre este enlace en tu aplicación",
        lead: "Este enlace corresponde a un pago u otra operación que firmas en tu aplicación de monedero.",
        nextStep: """
            Usa el teléfono en el que tienes la aplicación: toca allí el enlace o escanea el código QR con la aplicación. No se puede firmar en el navegador.
            """)
}

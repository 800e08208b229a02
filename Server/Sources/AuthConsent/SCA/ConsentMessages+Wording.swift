package import AuthFoundation

extension ConsentMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code:
            MessageTemplate(
                advice: .code, smsNamesPurpose: true, completing: { ConsentMessage.complete($0, in: $1) },
                english: MessageText("Your code for a payment or approval", "To approve with {brand}: {operation}."),
                german: MessageText(
                    "Ihr Code für eine Zahlung oder Freigabe", "Zur Freigabe bei {brand}: {operation}."),
                french: MessageText(
                    "Votre code pour un paiement ou une validation", "À valider auprès de {brand} : {operation}."),
                spanish: MessageText(
                    "Su código para un pago o una autorización", "Para autorizar en {brand}: {operation}."),
                bulgarian: MessageText("Вашият код за плащане или одобрение", "За одобрение в {brand}: {operation}."))
        case .locked:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "An operation was stopped",
                    "We stopped an operation with {brand} after too many wrong codes or PINs were entered."
                ),
                german: MessageText(
                    "Ein Vorgang wurde gestoppt",
                    """
                    Wir haben einen Vorgang bei {brand} gestoppt, weil für die Freigabe zu viele falsche Codes oder PINs \
                    eingegeben wurden.
                    """),
                french: MessageText(
                    "Une opération a été arrêtée",
                    """
                    Nous avons arrêté une opération auprès de {brand}, car trop de codes ou de codes PIN erronés ont été \
                    saisis pour la valider.
                    """),
                spanish: MessageText(
                    "Se ha detenido una operación",
                    """
                    Hemos detenido una operación en {brand} porque se han introducido demasiados códigos o PIN incorrectos \
                    para autorizarla.
                    """),
                bulgarian: MessageText(
                    "Операция беше спряна",
                    """
                    Спряхме операция в {brand}, защото за одобряването ѝ бяха въведени твърде много грешни кодове или ПИН \
                    кодове.
                    """))
        case .refused:
            MessageTemplate(
                advice: .refusal, completing: { ConsentMessage.complete($0, in: $1) },
                english: MessageText(
                    "An operation was refused",
                    """
                    Someone chose “I did not ask for this” for an operation with {brand}. We stopped it, and nothing \
                    was carried out: {operation}.
                    """),
                german: MessageText(
                    "Ein Vorgang wurde abgelehnt",
                    """
                    Bei einem Vorgang von {brand} wurde angegeben, dass Sie ihn nicht veranlasst haben. Er wurde gestoppt \
                    und nicht ausgeführt: {operation}.
                    """),
                french: MessageText(
                    "Une opération a été refusée",
                    """
                    « Je n’ai pas demandé cela » a été choisi pour une opération auprès de {brand}. Elle a été arrêtée et \
                    n’a pas été exécutée : {operation}.
                    """),
                spanish: MessageText(
                    "Se ha rechazado una operación",
                    """
                    Se ha elegido «Yo no he pedido esto» en una operación de {brand}. Se ha detenido y no se ha realizado: \
                    {operation}.
                    """),
                bulgarian: MessageText(
                    "Операция беше отказана",
                    """
                    За операция в {brand} беше избрано „Това не е по мое искане“. Тя беше спряна и не е изпълнена: \
                    {operation}.
                    """))
        }
    }
}

internal import ArgumentParser
internal import WalletAuthWire

/// Of every command that gives an account an address or a number.
struct DeliveryOptions: ParsableArguments {
    @Flag(
        help: """
            Accept an address or number to which this server sends nothing yet. Until it does, it keeps the person out of new \
            devices.
            """)
    var evenUndeliverable = false
}

extension AccountAdministration {
    /// Refuses an address or a number that a sign-in would ask a code from which nothing delivers.
    func requireDelivery(email: Bool = false, phone: Bool = false, unless options: DeliveryOptions) throws {
        guard !options.evenUndeliverable else { return }
        for (kind, isGiven) in [(FactorKind.email, email), (.sms, phone)] where isGiven && undeliverable.contains(kind)
        {
            throw AdministrationRefusal(
                "\(UndeliverableContact.consequence(of: kind)) Nothing was changed.",
                hint: "\(UndeliverableContact.remedy(of: kind)) first, or add --even-undeliverable.",
                code: "undeliverable")
        }
    }
}

/// What operators read where this server sends nothing to an address or a number.
enum UndeliverableContact {
    static func consequence(of kind: FactorKind) -> String {
        kind == .sms
            ? "This server sends no SMS: the number would be a second factor whose codes never arrive, and keep the person out "
                + "of new devices."
            : "This server sends no e-mail: a sign-in would ask for a code that never arrives, and keep the person out."
    }

    /// The settings, as an order.
    static func remedy(of kind: FactorKind) -> String {
        kind == .sms
            ? "Configure sms.webhook.url or sms.twilio.account" : "Configure email.smtp.host and email.from"
    }
}

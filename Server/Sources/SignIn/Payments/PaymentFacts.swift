import Core
import WalletAuthWire
import Web

extension PageTemplate {
    /// The payment that an app asks the person to authorize, on every page of its sign-in: it is known before anything is proved.
    static let payment = PageTemplate(
        "payment",
        """
        {{#payment}}
        <div class="access">
        {{#line}}
        <p class="summary{{#summarySize}} {{summarySize}}{{/summarySize}}">{{summary}}</p>
        {{/line}}
        <dl class="facts">
        {{#rows}}
        <div><dt>{{label}}</dt><dd>{{value}}</dd></div>
        {{/rows}}
        </dl>
        </div>
        {{/payment}}

        """)
}

/// The values of the piece `payment`, under that name: the same words as on the page that asks for consent to a wallet's payment.
struct PaymentFacts: Encodable {
    let line: SummaryValues?
    let rows: [Row]

    struct Row: Encodable {
        let label: String
        let value: String
    }

    init(_ payment: PaymentInitiation, in language: BrandLanguage) {
        let (operation, text) = (payment.operation, language.consentText)
        line = PaymentLine.text(operation.amount, to: operation.payee, in: language.language, text)
            .map { SummaryValues($0, size: LongName.size(of: $0)) }
        let account = Row(label: text[.payeeAccountLabel], value: AccountNumber.text(payment.creditorAccount.rawValue))
        rows = [account] + (payment.reference.map { [Row(label: text[.referenceLabel], value: $0)] } ?? [])
    }
}

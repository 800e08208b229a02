import Testing
import WalletAuthWire

@Suite("Authorization details", .covers("payments in authorization_details"))
struct AuthorizationDetailsTests {
    private static let creditor = #""creditorName":"Bakery","creditorAccount":{"iban":"DE89370400440532013000"}"#

    private static func payment(_ more: String = "", amount: String = "12.50", currency: String = "EUR") -> String {
        #"{"type":"payment_initiation","instructedAmount":{"currency":"\#(currency)","amount":"\#(amount)"},"#
            + creditor + more + "}"
    }

    private func fault(_ text: String) -> String? {
        do throws(MalformedValue) {
            _ = try AuthorizationDetails(text)
            return nil
        } catch { return error.description }
    }

    @Test func `A payment is read, and comes back in its one form`() throws {
        let text =
            "["
            + Self.payment(
                #","actions":["initiate"],"remittanceInformationUnstructured":"May""#, amount: "12.5")
            + "]"
        let details = try AuthorizationDetails(text)
        let payment = try #require(details.payment)
        #expect(payment.amount.minorUnits == 1250)
        #expect(payment.creditorAccount.rawValue == "DE89370400440532013000")
        #expect(payment.reference == "May")
        #expect(payment.actions == [.initiate])
        #expect(payment.operation.payee?.name == "Bakery")
        #expect(details.rawValue.contains(#""amount":"12.50""#))
        #expect(try AuthorizationDetails(details.rawValue) == details)
        #expect(try AuthorizationDetails(details.json) == details)
    }

    @Test(arguments: [
        ("0.05", "EUR", 5 as Int64), ("7", "EUR", 700), ("1250", "JPY", 1250), ("1.234", "KWD", 1234),
    ])
    func `An amount counts the minor unit of its currency`(text: String, currency: String, units: Int64) throws {
        let details = try AuthorizationDetails("[\(Self.payment(amount: text, currency: currency))]")
        #expect(details.payment?.amount.minorUnits == units)
    }

    @Test(arguments: [
        "-1", "+1", "1,50", "1.", ".5", "1.505", "1e3", "01", "1 000", "", "0", "0.00", "99999999999999999999",
    ])
    func `An amount in another spelling, or of nothing, is refused`(text: String) {
        #expect(
            fault("[\(Self.payment(amount: text))]")?.hasPrefix("authorization_details.instructedAmount.amount ")
                == true)
    }

    @Test func `A fraction of a currency without one is refused`() {
        #expect(fault("[\(Self.payment(amount: "12.5", currency: "JPY"))]") != nil)
    }

    @Test(arguments: [
        (#"{"type":"payment_initiation"}"#, "authorization_details.instructedAmount is missing"),
        (payment(#","debtor":"x""#), "authorization_details.debtor is a member that is not known here"),
        (payment(#","actions":["initiate","initiate"]"#), "authorization_details.actions has an element twice"),
        (payment(currency: "XXX"), "authorization_details.instructedAmount.currency"),
        (#"{"type":"account_deletion"}"#, "authorization_details.type is not one of payment_initiation"),
        (#"{"type":7}"#, "authorization_details.type is a number"),
        ("{}", "authorization_details.type is missing"),
        ("7", "authorization_details has an element that is a number"),
    ])
    func `An unknown type and an unknown, missing or malformed member are named`(element: String, fault: String) {
        #expect(self.fault("[\(element)]")?.hasPrefix(fault) == true)
    }

    @Test(arguments: ["status", "cancel", "steal", "Initiate"])
    func `A payment whose actions the page does not show is refused`(action: String) {
        for actions in ["[\"\(action)\"]", "[\"initiate\",\"\(action)\"]"] {
            #expect(
                fault("[\(Self.payment(",\"actions\":\(actions)"))]")?
                    .hasPrefix("authorization_details.actions is not one of initiate") == true)
        }
        #expect(fault("[\(Self.payment(#","actions":["initiate"]"#))]") == nil)
    }

    @Test func `What was granted stays readable when a request for it would be refused`() throws {
        let granted = "[\(Self.payment(currency: "HRK"))]"
        #expect(fault(granted)?.hasPrefix("authorization_details.instructedAmount.currency") == true)
        let details = try AuthorizationDetails(recorded: granted)
        #expect(details.payment?.amount.minorUnits == 1250)
        #expect(try AuthorizationDetails(recorded: details.rawValue) == details)
        #expect(try AuthorizationDetails(recorded: details.json).rawValue == details.rawValue)
        // Its form counts still: a member that is not understood could be a limit.
        #expect(throws: MalformedValue.self) {
            try AuthorizationDetails(recorded: "[\(Self.payment(#","debtor":"x""#))]")
        }
    }

    @Test func `Two spellings that Unicode considers equivalent are two payments`() throws {
        func details(_ name: String, _ reference: String) throws -> AuthorizationDetails {
            let payment = try PaymentInitiation(
                amount: Money(minorUnits: 1250, currency: .euro), creditorName: name,
                creditorAccount: IBAN("DE89370400440532013000"), reference: reference)
            return try AuthorizationDetails([.paymentInitiation(payment)])
        }
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        #expect(try details(composed, "May") == details(composed, "May"))
        #expect(try details(composed, "May") != details(decomposed, "May"))
        #expect(try details("Bakery", composed) != details("Bakery", decomposed))
    }

    @Test func `A payment is authorized alone`() {
        #expect(fault("[\(Self.payment()),\(Self.payment())]")?.contains("authorized alone") == true)
    }

    @Test func `Neither huge nor deep nor doubled JSON is read`() {
        #expect(fault("[]") != nil)
        #expect(fault("{}") != nil)
        #expect(fault("[" + String(repeating: " ", count: 4096) + "]") != nil)
        #expect(fault(String(repeating: "[", count: 5) + String(repeating: "]", count: 5)) != nil)
        #expect(fault("[" + Array(repeating: #"{"type":"a"}"#, count: 5).joined(separator: ",") + "]") != nil)
        #expect(fault("[\(Self.payment(#","creditorName":"Other""#))]") != nil)
    }
}

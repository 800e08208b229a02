import Testing
import WalletAuthWire

@Suite("Names of payees")
struct PayeeNameTests {
    @Test(
        "A name is a payee's where a person takes it for the same, however it is written",
        arguments: [
            ("Bäckerei Huber", true), ("BÄCKEREI HUBER", true), ("Ba\u{308}ckerei Huber", true),
            ("Bäckerei\u{A0}Huber", true), ("Bäckerei  Huber", true), (" Bäckerei Huber", true),
            ("Bäckerei Hu\u{200D}ber", true), ("Bäckerei Huber\u{FE0F}", true),
            ("Backerei Huber", false), ("Bäckerei", false), ("BäckereiHuber", false), ("", false),
            // The letter е of Cyrillic.
            ("Bäck\u{435}rei Huber", false),
        ])
    func isCalled(name: String, isSame: Bool) throws {
        let payee = try Payee(name: "Bäckerei Huber", account: "DE02120300000000202051")
        #expect(payee.isCalled(name) == isSame)
    }
}

import Foundation
import Testing

@Suite("The search for secrets in logs", .onceForAllEngines)
struct SecretLedgerTests {
    @Test("A code of six digits is found with its name, and not where the digits are another number")
    func shortCode() {
        let ledger = SecretLedger()
        ledger.enter(fields: ["email_code": "123456"])
        for line in [
            "POST /x?email_code=123456", "email_code=\"123456\"", #"{"email_code":"123456"}"#,
            #"{"email_code": "123456"}"#, "next=%2Fx%3Femail%5Fcode%3D123456",
        ] {
            let found = ledger.found(in: Data(line.utf8))
            #expect(!found.isEmpty, "\(line)")
        }
        let other = ledger.found(in: Data("email_code=654321 duration=123456".utf8))
        #expect(other.isEmpty)
    }
}

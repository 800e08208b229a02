import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("What a restored database asks consent for again")
struct RestoredConsentTests {
    @Test("attack: a payee who was taken off the list after the backup is paid 900 EUR without consent")
    func distrustedPayee() async throws {
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        let payee = try Payee(name: "Anna Verna", account: "DE02120300000000202051")
        try await before.carryOut(WalletOperation(type: .trustPayee, payee: payee), "trust")
        let copy = try await before.server.backup()
        try await before.carryOut(WalletOperation(type: .distrustPayee, payee: payee), "distrust")
        let restored = try await before.signedInAgain(at: before.server.restarted(epoch: 1, from: copy))
        let response = try await restored.ask(TestShop.transfer(900_00), id: "after").get()
        #expect(response.status == .scaRequired)
        #expect(response.exemption == nil)
    }

    @Test("attack: a series that was ended after the backup goes on in the restored database")
    func endedSeries() async throws {
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.recurringPayments = true
        }
        try await before.carryOut(TestShop.transfer(800_00, type: "BEGIN_SERIES"), "rent")
        let copy = try await before.server.backup()
        let end = try WalletOperation(endingSeries: WalletOperationID("rent"))
        _ = try await before.ask(end, id: "end").get()
        _ = try await before.consume(end, event: nil, id: "end").get()
        let restored = try await before.signedInAgain(at: before.server.restarted(epoch: 1, from: copy))
        let grounds = ExemptionGrounds(series: try WalletOperationID("rent"))
        let response = try await restored.ask(TestShop.transfer(800_00), id: "next", grounds: grounds).get()
        #expect(response.status == .scaRequired)
        let evidence = try await restored.verifiedEvidence("rent")
        #expect(evidence.status == .authorized, "what was agreed to stays proved")
    }

    @Test(
        "attack: ten small payments in a row, five before a restore and five after it, also of who had none counted yet",
        arguments: [true, false])
    func lowValue(isCounted: Bool) async throws {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        let before = try await TestShop.open(tokensLast: .minutes(30)) { $0.sca.policy.exemptions.lowValue = limits }
        if isCounted { try await before.carryOut(TestShop.transfer(), "large") }
        let copy = try await before.server.backup()
        for number in 1...5 {
            let passed = try await before.ask(TestShop.transfer(1_00), id: "small-\(number)").get()
            try #require(passed.exemption == .lowValue)
        }
        let restored = try await before.signedInAgain(at: before.server.restarted(epoch: 1, from: copy))
        let sixth = try await restored.ask(TestShop.transfer(1_00), id: "sixth").get()
        #expect(sixth.status == .scaRequired)
        // A consent begins the counts again.
        try await restored.carryOut(TestShop.transfer(), "consent")
        let next = try await restored.ask(TestShop.transfer(1_00), id: "next").get()
        #expect(next.exemption == .lowValue)
        let other = try await restored.server.account("bob")
        let bobs = TestShop(
            server: restored.server, client: restored.client, account: other,
            device: try await TestDevice.signedIn(other, restored.device.app.client))
        let first = try await bobs.ask(TestShop.transfer(1_00), id: "bobs").get()
        #expect(first.exemption == .lowValue, "of who came after the restore nothing was lost")
    }

    @Test("attack: a consent to show account information from before the backup shows it after a restore")
    func informationConsent() async throws {
        let balance = try WalletOperation(type: WalletOperationType("BALANCE"))
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.accountInformation = [balance.type]
        }
        try await before.carryOut(balance, "first")
        let restored = try await before.signedInAgain(at: before.server.restarted(epoch: 1))
        let response = try await restored.ask(balance, id: "second").get()
        #expect(response.status == .scaRequired)
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// The person's own account by the SDK against the running program.
@Suite("The person's own account, against the server", .covers("wallet.account"))
struct OwnAccountAgainstServerTests {
    @Test("A person changes the address, reads what happened, takes the data out, closes the account and keeps it")
    func wholeWay() async throws {
        try await LinkedPhone.use { linked in
            let account = linked.wallet.account
            let pending = try await account.changeEmail(to: "grace.new@example.com")
            #expect(pending.destination == "g…@example.com")
            let code = try await linked.server.newestCode()
            linked.server.ledger.enter(code)
            try await account.confirmEmail(code: code)
            // As after a lost response.
            try await account.confirmEmail(code: code)

            let activity = try await account.activity()
            #expect(activity.entries.first?.text == "The e-mail address was changed.")

            let missing = await #expect(throws: WalletError.self) { try await account.removePhone() }
            #expect(missing?.code == .factorNotFound)

            let document = try JSONValue.object(parsing: Array(try await account.export()))
            #expect(document["email"]?.string == "grace.new@example.com")

            // The keep code would go to the new address alone.
            let early = await #expect(throws: WalletError.self) { try await account.close() }
            #expect(early?.code == .contactCooling)
            // As a day later.
            try await linked.server.write(
                "UPDATE attempts SET expires_at = 1 WHERE next_allowed_at > expires_at - 1000")

            let closing = try await account.close()
            linked.server.ledger.enter(closing.keepCode.reveal())
            #expect(!linked.wallet.isLoggedIn)
            let refused = await #expect(throws: WalletError.self) { try await linked.signIn(linked.person) }
            #expect(refused?.code == .walletDeactivated)
            try await account.keep(code: closing.keepCode.reveal())
            _ = try await linked.signIn(linked.person)
        }
    }
}

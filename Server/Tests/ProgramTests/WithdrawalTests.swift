import Foundation
import Programs
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What became of the approval of a stopped transfer", .covers("the terminal wallet pays a transfer twice"))
struct WithdrawalTests {
    private static let end = Date(timeIntervalSince1970: 1_800_000_900)

    private func ended(by failure: WalletError? = nil) async -> Withdrawal {
        await Withdrawal.request(
            finding: { Self.end }, lasting: { $0 },
            ending: { _ in if let failure { throw failure } })
    }

    private func refusal(_ code: WalletError.Code, byPerson: Bool = false, attempts: Int? = nil) -> WalletError {
        WalletError(
            code, .refused, during: .perform, reachedServer: true, remainingAttempts: attempts,
            isRefusedByPerson: byPerson, reason: "r")
    }

    @Test("An approval that another terminal used may have paid, and so may one that is no longer stored")
    func used() async {
        #expect(await ended(by: refusal(.dataError)) == .over)
        #expect(await ended(by: refusal(.eventNotFound)) == .over)
        let absent = await Withdrawal.request(
            finding: { nil as Date? }, lasting: { $0 }, ending: { _ in Issue.record("there is nothing to end") })
        #expect(absent == .over)
        let said = absent.completing(.notAgreed, of: "k-1").line
        #expect(said.contains("may have been paid; repeat it with --idempotency-key k-1"), "\(said)")
        #expect(!said.contains("nothing was paid"), "\(said)")
    }

    @Test("Only the server's confirmation, a refusal and too many wrong attempts mean that nothing was paid")
    func unused() async {
        #expect(await ended() == .ended)
        #expect(await ended(by: refusal(.dataError, byPerson: true)) == .ended)
        #expect(await ended(by: refusal(.dataError, attempts: 0)) == .ended)
        #expect(await ended(by: refusal(.temporarilyUnavailable)) == .unconfirmed(until: Self.end))
    }

    @Test("If the store cannot be read, the transfer may still be approved elsewhere")
    func unreadable() async {
        let unreadable = await Withdrawal.request(
            finding: { () async throws -> Date? in throw refusal(.storeUnavailable) }, lasting: { $0 },
            ending: { _ in })
        #expect(unreadable == .unconfirmed(until: nil))
        let said = unreadable.completing(.notAgreed, of: "k-1").line
        #expect(said.contains("it may still be approved on your other device for up to 15 minutes"), "\(said)")
    }

    @Test("A transfer that may have been paid stays in the list, and its command says so")
    func kept() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
        defer {
            InterruptNotice.clear()
            try? FileManager.default.removeItem(at: folder)
        }
        let begun = BegunTransfers(folder: folder)
        let transfer = BegunTransfer(
            key: "k-1", backend: try #require(URL(string: "https://wallet.example.com/transfers")), subject: "ada",
            payee: "Dune Bakery", amount: try Money(minorUnits: 3100, currency: Currency("EUR")), begunAt: Date())
        #expect(try begun.begin(transfer, again: false))
        let progress = TransferProgress(transfer, in: begun, of: nil)
        progress.ask()
        #expect(try begun.all(of: "ada").isEmpty)
        let said = progress.stop(after: .over)
        #expect(said.contains("may have been paid: repeat it with --idempotency-key k-1"), "\(said)")
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"])
    }
}

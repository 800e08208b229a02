import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

/// The app's process ends when its requests were on their way: the flow is left where their answers would have come.
@Suite("The app killed while a step is on its way")
struct KilledAppTests {
    @Test(
        "Whichever step's response the app was killed before reading, scanning again signs, or reports that it is signed",
        .threat("Attacks on transactions")
    )
    func inFlight() async throws {
        for step in ["/claim", "/confirm", "/sign"] {
            let till = try await Till()
            let code = try till.code()
            let id = try #require(till.world.server.transactions.first).id
            let path = step == "/claim" ? Endpoints.transactionClaim.path : Endpoints.transaction.path(id) + step
            // More often than the app asks again: for its process there is no answer.
            for _ in 0..<10 { till.world.server.inject(.loseAnswer, at: path) }
            async let left = Person().follow(try till.wallet.flows.start(with: code))
            await till.passPauses(2)
            #expect(try await left.words.last == "failed", "\(step)")
            till.world.server.withdrawFaults()
            let again = try till.world.wallet()
            let story = await Person().follow(try again.flows.start(with: code))
            if step == "/sign" {
                #expect(story.error?.transactionStatus == .signed)
            } else {
                #expect(story.words.last == "done", "\(step)")
            }
            #expect(till.statuses == [.signed])
        }
    }

    @Test(
        "A transaction of the app's own ends with the process that asked for the second factor, and the server has stored nothing"
    )
    func ownAtQuestion() async throws {
        let till = try await Till()
        let own = ClientTransaction(clientAdditionalData: Data("terms".utf8))
        for await update in try till.wallet.transactions.create(own) {
            if case .waitForInput = update.state { break }
        }
        #expect(till.statuses.isEmpty)
        let again = try till.world.wallet()
        let story = await Person().follow(try again.transactions.create(own))
        #expect(story.words.last == "done")
        #expect(till.statuses == [.signed])
    }
}

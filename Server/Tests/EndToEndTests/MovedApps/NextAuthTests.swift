import Foundation
import NextAuthCompat
import NextAuthPage
import Testing
import WalletAuth
import WalletAuthVerifier
import WalletAuthWire

/// The code of nextAuth's page against the running program. It uses the one instance of the process, so the tests run in
/// turn.
@Suite(
    "An app that moved from nextAuth", .onceForAllEngines, .covers("the flows as each page prints them"), .serialized)
@MainActor
struct NextAuthTests {
    private let screen = SigningScreen()
    private let ends = FlowEnds()

    /// An app on a linked phone with a PIN, right after its launch, and a shop.
    private func use(_ body: @MainActor (TillWorld) async throws -> Void) async throws {
        try await TillWorld.use { @Sendable @MainActor world in
            try launch(on: world.linked.phone, await world.server.issuer, world.linked.client)
            NextAuth.default.addObserver(ends)
            try await body(world)
        }
    }

    /// The one line that is new, as an app's launch calls it.
    private func launch(on phone: Device, _ issuer: URL, _ client: RegisteredClient) throws {
        let redirectURI = try #require(URL(string: client.redirectURI))
        let configuration = WalletAuth.Wallet.Configuration(
            environment: .sandbox(issuer: issuer), clientID: client.id, signIn: .full(redirectURI: redirectURI),
            scopes: ["openid", "profile"], ports: phone.ports)
        func atLaunch() throws { try NextAuth.default.configure(configuration) }
        try atLaunch()
    }

    @Test("A scanned code is confirmed and signed with the PIN, in the page's order, and the shop has the signature")
    func serverInitiated() async throws {
        try await use { world in
            let observer = SigningObserver { _ in TillWorld.pin }
            NextAuth.default.delegate = observer
            let created = try await world.create(try TillWorld.coffee(.pin))
            screen.scanned(Data(created.link.reveal().utf8))
            await ends.next()
            #expect(screen.error == nil)
            #expect(
                observer.steps == [
                    "PROCESSING", "WAIT_FOR_INPUT CONFIRM_TRANSACTION", "PROCESSING",
                    "WAIT_FOR_INPUT VERIFY_SECOND_FACTOR", "PROCESSING", "DONE",
                ])
            let report = try await world.transactions.outcome(of: created.transactionID)
            #expect(report.status == .signed)
            #expect(report.secondFactor == .pin)
            #expect(observer.updates.last?.signedTransactionID == created.transactionID.rawValue)
            #expect(observer.updates[1].transaction?.payee?.name == "Café Zürich")
            #expect(observer.updates[3].currentUserInteraction?.allowedSecondFactors == [.pin])
        }
    }

    @Test("After a wrong PIN the tries that are left are known, and the right one signs")
    func wrongPIN() async throws {
        try await use { world in
            let observer = SigningObserver { _ in
                let result = NextAuth.default.flowService.currentFlow?.previousInteractionResult
                return result?.type == .pinFail ? TillWorld.pin : TillWorld.wrong
            }
            NextAuth.default.delegate = observer
            let created = try await world.create(try TillWorld.coffee(.pin))
            screen.scanned(Data(created.link.reveal().utf8))
            await ends.next()
            let asked = observer.updates.filter { $0.currentUserInteraction?.type == .verifySecondFactor }
            #expect(asked.map(\.secondFactorAccount?.remainingAttempts) == [nil, 4])
            #expect(asked.map(\.previousInteractionResult?.type) == [.success, .pinFail])
            let report = try await world.transactions.outcome(of: created.transactionID)
            #expect(report.status == .signed)
        }
    }

    @Test("A transaction of the app is signed without a confirmation, and the backend reads it once it is signed")
    func clientInitiated() async throws {
        try await use { world in
            let observer = SigningObserver { _ in TillWorld.pin }
            NextAuth.default.delegate = observer
            screen.signByPIN()
            await ends.next()
            #expect(screen.selected == NextAuth.default.accounts.first)
            #expect(observer.steps == ["PROCESSING", "WAIT_FOR_INPUT VERIFY_SECOND_FACTOR", "PROCESSING", "DONE"])
            screen.sign()
            await ends.next()
            #expect(screen.error == nil)
            let reports = try await world.transactions.list().transactions
            let signed = observer.updates.compactMap(\.signedTransactionID)
            #expect(Set(reports.map(\.transactionID.rawValue)) == Set(signed))
            #expect(signed.count == 2)
            #expect(reports.allSatisfy { $0.origin == .client && $0.status == .signed })
            #expect(reports.allSatisfy { $0.clientState == nil && $0.clientAdditionalData == nil })
        }
    }

    @Test("Without an observer the code is not claimed, and another start signs it")
    func withoutObserver() async throws {
        try await use { world in
            NextAuth.default.removeObserver(ends)
            NextAuth.default.delegate = nil
            let created = try await world.create(try TillWorld.coffee())
            screen.scanned(Data(created.link.reveal().utf8))
            #expect((screen.error as? NextAuthError)?.code == .noObserver)
            #expect(try await world.transactions.find(created.transactionID).status == .created)

            let observer = SigningObserver { _ in TillWorld.pin }
            NextAuth.default.delegate = observer
            NextAuth.default.addObserver(ends)
            screen.scanned(Data(created.link.reveal().utf8))
            await ends.next()
            #expect(observer.steps.last == "DONE")
            #expect(try await world.transactions.outcome(of: created.transactionID).status == .signed)
        }
    }

    @Test("A new app has an account as soon as its phone is linked, and keeps it after a sign-out and a restart")
    func firstAccount() async throws {
        try await withServer { @Sendable @MainActor server in
            let client = try await server.makePublicClient()
            let person = try await server.makeReachableAccount("grace")
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            try launch(on: phone, await server.issuer, client)
            #expect(NextAuth.default.accounts.isEmpty)
            screen.sign()
            #expect(screen.selected == nil)

            let wallet = try NextAuth.default.wallet
            try await LinkedPhone(server: server, client: client, person: person, phone: phone, wallet: wallet).link(
                person)
            #expect(NextAuth.default.accounts.map(\.username) == ["grace"])
            try await wallet.logout()
            #expect(NextAuth.default.accounts.map(\.username) == ["grace"])
            try launch(on: phone, await server.issuer, client)
            #expect(NextAuth.default.accounts.map(\.username) == ["grace"])
        }
    }
}

/// Waits for the ends of flows.
@MainActor
private final class FlowEnds: NextAuthObserver {
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)

    func flowUpdate(_ update: NextAuthCompat.FlowUpdate) {
        if update.state == .done || update.state == .error { end.yield() }
    }

    func next() async { for await _ in ends { return } }
}

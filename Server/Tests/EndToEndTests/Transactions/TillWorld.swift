import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthVerifier
import WalletAuthWire

/// A shop's till, and a linked phone with a PIN and a key behind presence, past its cooling period.
struct TillWorld: Sendable {
    /// Twelve digits, so that the search of the logs finds no other number by chance.
    static let pin = "804613972558"
    static let wrong = "170395826641"

    let linked: LinkedPhone
    let transactions: WalletTransactions

    var server: RunningServer { linked.server }
    var wallet: Wallet { linked.wallet }

    /// - Parameter arguments: further settings of the server, as flags.
    static func use(
        serving arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (TillWorld) async throws -> Void
    ) async throws {
        try await LinkedPhone.use(serving: arguments, sourceLocation: sourceLocation) { linked in
            for pin in [pin, wrong] { linked.server.ledger.enter(pin) }
            try await linked.wallet.pin.set(pin)
            try await linked.wallet.biometrics.enable(pin: pin)
            // A day passes.
            try await linked.server.write("UPDATE devices SET cooling_until = 0")
            try await body(TillWorld(linked: linked, transactions: try await linked.server.openTill()))
        }
    }

    /// 12.50 EUR to Café Zürich, for anyone who scans the code.
    static func coffee(_ factor: RequiredSecondFactor = .any) throws -> TransactionRequest {
        try TransactionRequest(
            account: nil, type: WalletOperationType("PURCHASE"), amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: "No. 42")], reference: "order-42",
            requiredSecondFactor: factor, expiresIn: TransactionRequest.lifetimes.upperBound)
    }

    func create(_ request: TransactionRequest) async throws -> TransactionCreated {
        try await transactions.create(request, idempotencyKey: IdempotencyKey(UUID().uuidString.lowercased()))
    }

    /// The server's audit keys, as its operator hands them out.
    func auditKeys() async throws -> JWKSet {
        try JWKSet(JSONValue.object(parsing: Array(try await server.require(["audit", "key"]).utf8)))
    }
}

extension RunningServer {
    /// A shop's backend, which may show codes that anybody scans.
    func openTill() async throws -> WalletTransactions {
        let client = try await makeConfidentialClient(
            "shop", scope: "transactions", options: ["--transactions-without-account"])
        return WalletTransactions(
            issuer: TrustedIssuer(try Issuer(issuer.absoluteString)),
            credential: .secret(try ClientID(client.id), try ClientSecret(client.secret ?? "")))
    }
}

/// A person at a phone: what they do at each question, and what they saw.
struct Signer: Sendable {
    var confirms: @Sendable (UserInteraction.Confirmation) async throws -> Void = { $0.confirm() }
    var proves: @Sendable (UserInteraction.SecondFactor) async throws -> Void = { $0.pin(TillWorld.pin) }

    struct Story: Sendable {
        var words: [String] = []
        var details: TransactionDetails?
        var questions: [UserInteraction.SecondFactor] = []
        var signed: SignedTransaction?
        var error: WalletError?
    }

    func follow(_ flow: Flow) async throws -> Story {
        var story = Story()
        for await update in flow {
            switch update.state {
            case .processing: story.words.append("processing")
            case .waitForInput(.chooseAccount(let choice)): choice.cancel()
            case .waitForInput(.confirmTransaction(let question)):
                story.words.append("confirm")
                story.details = question.details
                try await confirms(question)
            case .waitForInput(.verifySecondFactor(let question)):
                story.words.append("verify")
                story.questions.append(question)
                try await proves(question)
            case .done(let signed):
                story.words.append("done")
                story.signed = signed
            case .rejected: story.words.append("rejected")
            case .failed(let error):
                story.words.append("failed")
                story.error = error
            }
        }
        return story
    }
}

import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

/// A shop at the scripted server, and alice's phone: enrolled, with a key behind her presence.
struct Till: Sendable {
    let world = World()
    let wallet: Wallet

    init() async throws {
        world.server.addPerson("alice", password: "correct horse", subject: Shop.alice)
        world.server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
        wallet = try await world.signedIn()
        try await enroll("alice")
    }

    /// Enrolls this device for the account that is signed in. That the real server takes a key behind presence is shown against the
    /// running program: it takes a PIN.
    func enroll(_ username: String) async throws {
        try await wallet.devices.enroll(name: "Phone", username: username)
        let device = wallet.deviceAuthentication
        let enrollment = try await device.signedInEnrollment(during: .enableBiometrics)
        try await device.adoptPresenceKey(try await device.makePresenceKey(of: enrollment), of: enrollment)
    }

    /// 12.50 EUR to Café Zürich, for anyone who scans the code unless an account is named.
    static func coffee(
        _ factor: RequiredSecondFactor = .any, for account: AccountID? = nil,
        expiresIn: Int64 = TransactionRequest.defaultLifetime
    ) throws -> TransactionRequest {
        try TransactionRequest(
            account: account, type: WalletOperationType("PURCHASE"),
            amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: "No. 42")], requiredSecondFactor: factor,
            expiresIn: expiresIn)
    }

    func code(
        _ factor: RequiredSecondFactor = .any, expiresIn: Int64 = TransactionRequest.defaultLifetime,
        changing: (@Sendable ([UInt8]) -> [UInt8])? = nil
    ) throws -> String {
        try world.server.createTransaction(Self.coffee(factor, expiresIn: expiresIn), changing: changing)
    }

    /// Lets the pauses before so many repeated requests pass.
    func passPauses(_ count: Int) async {
        for _ in 0..<count {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(3))
        }
    }

    var statuses: [TransactionStatus] { world.server.transactions.map(\.status) }
}

/// The updates of a flow as words, and what its person answers.
struct Person: Sendable {
    var confirms: @Sendable (UserInteraction.Confirmation) -> Void = { $0.confirm() }
    var proves: @Sendable (UserInteraction.SecondFactor) -> Void = { $0.biometrics(reason: "Sign") }
    var chooses: @Sendable (UserInteraction.AccountChoice) -> Void = { $0.cancel() }

    /// The updates of a flow.
    struct Story: Sendable {
        var words: [String] = []
        var details: [TransactionDetails] = []
        var faults: [UserInteraction.SecondFactor.Fault?] = []
        var signed: SignedTransaction?
        var error: WalletError?
    }

    func follow(_ flow: Flow) async -> Story {
        var story = Story()
        for await update in flow {
            switch update.state {
            case .processing: story.words.append("processing")
            case .waitForInput(.chooseAccount(let choice)):
                story.words.append("choose account")
                chooses(choice)
            case .waitForInput(.confirmTransaction(let question)):
                story.words.append("confirm transaction")
                story.details.append(question.details)
                confirms(question)
            case .waitForInput(.verifySecondFactor(let question)):
                story.words.append("verify second factor")
                story.faults.append(question.fault)
                proves(question)
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

import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite("Signing in a browser on another device by scanning its page")
struct ElsewhereSignInTests {
    private func scan(_ till: Till, isOnSameNetwork: Bool = true) async throws -> ElsewhereSignIn {
        try await till.wallet.transactions.scanSignIn(
            try till.world.server.showSignInCode(isOnSameNetwork: isOnSameNetwork))
    }

    @Test("A scan shows who asks, the right number leads to the second factor, and face or fingerprint approves")
    func approves() async throws {
        let till = try await Till()
        let signIn = try await scan(till, isOnSameNetwork: false)
        #expect(signIn.service == "Shop")
        #expect(signIn.browser == "Firefox")
        #expect(signIn.system == "Windows")
        #expect(!signIn.isOnSameNetwork)
        #expect(signIn.numbers == [12, 47, 83])
        #expect(signIn.account.rawValue == Shop.alice)
        let approval = try await signIn.choose(47)
        #expect(approval.allowedSecondFactors == [.biometric])
        try await approval.approve(biometrics: "Sign in to Shop")
        #expect(till.statuses == [.signed])
    }

    @Test("A wrong number ends the sign-in")
    func wrongNumber() async throws {
        let till = try await Till()
        let signIn = try await scan(till)
        let wrong = await #expect(throws: WalletError.self) { _ = try await signIn.choose(83) }
        #expect(wrong?.code == .numberMismatch)
        let again = await #expect(throws: WalletError.self) { _ = try await signIn.choose(47) }
        #expect(again?.code == .numberMismatch)
        #expect(UserErrorMessages.builtIn.text(for: try #require(wrong), languages: ["de"])?.contains("Zahl") == true)
    }

    @Test("“This is not me” reaches the server before the approval, and by the sign-in's id after it")
    func rejects() async throws {
        let till = try await Till()
        try await scan(till).reject()
        #expect(till.statuses == [.rejected])
        let signIn = try await scan(till)
        try await signIn.choose(47).approve(biometrics: "Sign in")
        try await till.wallet.transactions.rejectSignIn(signIn.id)
        #expect(till.statuses == [.rejected, .rejected])
    }

    @Test("A shop's code, another server's and any other text are refused before anything is sent")
    func otherCodes() async throws {
        let till = try await Till()
        let shops = try till.code()
        let foreign = SignInCode(
            issuer: try Issuer("https://other.example.com"), transactionID: try TransactionID("0190b3f2"),
            secret: try TransactionSecret(String(repeating: "A", count: 22)))
        for (text, code) in [
            (shops, WalletError.Code.invalidQRData), ("", .invalidQRData), ("WALLET-LOGIN/1/", .invalidQRData),
            (foreign.reveal(), .noAccountForServer),
        ] {
            let error = await #expect(throws: WalletError.self) {
                _ = try await till.wallet.transactions.scanSignIn(text)
            }
            #expect(error?.code == code, "\(text)")
            #expect(error?.reachedServer == false)
        }
        // Nor does a link or a shop's scanner begin a sign-in.
        let own = try till.world.server.showSignInCode()
        let refused = #expect(throws: WalletError.self) { _ = try till.wallet.flows.start(with: own) }
        #expect(refused?.code == .invalidQRData)
    }

    @Test("The text of a code survives its parser, and no other spelling does")
    func spelling() throws {
        let code = SignInCode(
            issuer: try Issuer("https://auth.example.com"), transactionID: try TransactionID("0190b3f2"),
            secret: try TransactionSecret(String(repeating: "A", count: 22)))
        #expect(try SignInCode(code.reveal()) == code)
        #expect(!code.reveal().contains("://"))
        for text in [
            code.reveal().lowercased(), " " + code.reveal(), code.reveal() + "/", "x" + code.reveal(),
            code.reveal().replacing("/1/", with: "/2/"),
        ] {
            #expect(throws: MalformedValue.self, "\(text)") { try SignInCode(text) }
        }
    }
}

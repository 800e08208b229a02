import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import enum WalletAuthWire.ErrorCode

@MainActor
protocol AuthenticationDelegate: AnyObject {
    func authenticationDidSucceed(withAdditionalAttributes attributes: [String: JSONValue])
    func mfaQuestionDidPrompt(_ challenge: MFAChallenge)
    func authenticationDidFail(_ error: WalletError)
    func authenticationInvocationDidFail(_ error: WalletError)
    func finishedLogout()
    /// New: 418, 508, 511, or a merchant to choose. The sign-in continues with what the outcome carries.
    func authenticationNeeds(_ outcome: LoginOutcome)
}

@MainActor
final class AuthenticationCoordinator {
    weak var delegate: (any AuthenticationDelegate)?
    private let wallet: Wallet

    init(wallet: Wallet) { self.wallet = wallet }

    func loginByUsernamePassword(_ username: String, password: String) {
        begin { try await $0.login(username: username, password: password) }
    }

    func loginByPIN(_ pin: String) {
        begin { try await $0.login(pin: pin) }
    }

    func loginByNonce(_ nonce: String) {
        begin { try await $0.login(nonce: nonce) }
    }

    func loginByFederatedIdentity(_ identity: FederatedIdentity) {
        begin { try await $0.login(federatedIdentity: identity) }
    }

    func registerWithMFA(_ challenge: MFAChallenge, answer: String) {
        begin { try await $0.register(mfa: challenge, answer: answer).login }
    }

    func loginWithDeviceAuthenticationToken(pin: String) {
        begin { try await $0.loginWithDeviceAuthenticationToken(pin: pin) }
    }

    func logout() {
        Task { [wallet, weak delegate] in
            do {
                try await wallet.logout()
                delegate?.finishedLogout()
            } catch let error as WalletError {
                delegate?.authenticationDidFail(error)
            }
        }
    }

    private func begin(_ call: @escaping @Sendable (Wallet) async throws -> LoginOutcome) {
        Task { [wallet, weak delegate] in
            do {
                switch try await call(wallet) {
                case .authenticated(let attributes):
                    delegate?.authenticationDidSucceed(withAdditionalAttributes: attributes)
                case .mfaRequired(let challenge): delegate?.mfaQuestionDidPrompt(challenge)
                case let outcome: delegate?.authenticationNeeds(outcome)
                }
            } catch let error as WalletError {
                if error.reachedServer {
                    delegate?.authenticationDidFail(error)
                } else {
                    delegate?.authenticationInvocationDidFail(error)
                }
            }
        }
    }
}

@Suite("An app that comes from the Paydiant SDK")
struct ExampleMigrationTests {
    /// The delegate of an app, which notes what it receives.
    @MainActor
    private final class Screens: AuthenticationDelegate {
        private let told: AsyncStream<String>.Continuation
        private(set) var challenge: MFAChallenge?

        init(_ told: AsyncStream<String>.Continuation) { self.told = told }

        func authenticationDidSucceed(withAdditionalAttributes attributes: [String: JSONValue]) {
            told.yield("succeeded")
        }
        func mfaQuestionDidPrompt(_ challenge: MFAChallenge) {
            self.challenge = challenge
            told.yield("asked")
        }
        func authenticationDidFail(_ error: WalletError) { told.yield("failed \(error.statusCode ?? 0)") }
        func authenticationInvocationDidFail(_ error: WalletError) { told.yield("not reached") }
        func finishedLogout() { told.yield("signed out") }
        func authenticationNeeds(_ outcome: LoginOutcome) { told.yield("needs \(outcome.statusCode ?? 0)") }
    }

    @MainActor
    @Test("The shim tells the app's delegate what its coordinator told it, with the numbers of its tables")
    func shim() async throws {
        let world = ExampleWorld()
        let coordinator = AuthenticationCoordinator(wallet: try world.wallet(world.ports))
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let screens = Screens(continuation)
        coordinator.delegate = screens
        var told = stream.makeAsyncIterator()

        coordinator.loginByUsernamePassword("ada", password: "wrong")
        #expect(await told.next() == "failed 401")
        world.server.setState(of: "ada", .passwordChangeRequired)
        coordinator.loginByUsernamePassword("ada", password: "correct horse")
        #expect(await told.next() == "needs 508")
        world.server.setState(of: "ada", .secondFactor(answer: "42"))
        coordinator.loginByUsernamePassword("ada", password: "correct horse")
        #expect(await told.next() == "asked")
        coordinator.registerWithMFA(try #require(screens.challenge), answer: "42")
        #expect(await told.next() == "succeeded")
        coordinator.logout()
        #expect(await told.next() == "signed out")
        world.server.inject(.loseRequest, at: "/oauth2/authorize-challenge")
        coordinator.loginByUsernamePassword("ada", password: "correct horse")
        #expect(await told.next() == "not reached")
    }

    /// A row of the article's table of numbers.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let calls: String
        let code: String
        var testDescription: String { "\(number) \(code)" }
    }

    /// The rows, as the article has them.
    static let rows: [Row] = {
        let article = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/WalletAuth/WalletAuth.docc/MigratingFromOtherSDKs.md")
        let text = (try? String(contentsOf: article, encoding: .utf8)) ?? ""
        return text.matches(of: #/\| (\d+) \| ([^|]+) \| `(\w+)` \|/#).compactMap { match in
            Int(match.output.1).map { Row(number: $0, calls: String(match.output.2), code: String(match.output.3)) }
        }
    }()

    @Test(
        "Every number in the Paydiant tables has one row in the article, and is the SDK's number for its code",
        arguments: rows)
    func number(row: Row) throws {
        let operation: ErrorCode.Operation =
            row.calls.contains("generate") && !row.calls.contains(",")
            ? .generatingDeviceToken
            : row.calls == "`loginWithDeviceAuthenticationToken`" ? .usingDeviceToken : .other
        let code = try #require(ErrorCode(rawValue: row.code))
        #expect(code.statusCode(during: operation) == row.number)
    }

    @Test("The article has all the numbers of the Paydiant tables")
    func complete() {
        #expect(
            Set(Self.rows.map(\.number)) == [400, 401, 403, 412, 418, 419, 421, 423, 432, 500, 503, 508, 511, 1003])
    }

    @Test("A sign-in that goes on has the number of the article's row for it")
    func outcomes() async throws {
        let world = ExampleWorld()
        let wallet = try world.wallet(world.ports)
        func number(of code: String) throws -> Int {
            try #require(Self.rows.first { $0.code == code && $0.calls.contains("loginBy") }).number
        }
        for (state, code): (ScriptedServer.AccountState, String) in [
            (.secondFactor(answer: "42"), "mfa_required"), (.emailUnverified(code: "123456"), "email_unverified"),
            (.passwordChangeRequired, "password_change_required"),
        ] {
            world.server.setState(of: "ada", state)
            let outcome = try await wallet.login(username: "ada", password: "correct horse")
            #expect(try outcome.statusCode == number(of: code))
        }
        let unconfirmed =
            #"{"error":"insufficient_authorization","error_code":"app_instance_unverified","auth_session":"session-1"}"#
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: 403, headers: ["Content-Type": "application/json"], body: Data(unconfirmed.utf8))),
            at: "/oauth2/authorize-challenge")
        let outcome = try await wallet.login(username: "ada", password: "correct horse")
        #expect(try outcome.statusCode == number(of: "app_instance_unverified"))
        #expect(try await wallet.logout().statusCode == Self.rows.first { $0.code == "not_signed_in" }?.number)
    }
}

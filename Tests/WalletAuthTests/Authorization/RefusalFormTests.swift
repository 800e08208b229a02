import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "A refusal reaches the app in whichever form the server gives it", .covers("a refusal is lost because of its form"))
struct RefusalFormTests {
    /// How a server says no.
    enum Form: CaseIterable, Sendable {
        case problem
        case oauth

        func answer(_ code: String, status: Int = 400) -> HTTPResponse {
            switch self {
            case .problem:
                HTTPResponse(
                    status: status, headers: ["Content-Type": Problem.contentType],
                    body: Data(Problem(status: status, code: code, title: "Refused").json.bytes))
            case .oauth:
                HTTPResponse(
                    status: status, headers: ["Content-Type": "application/json"],
                    body: Data(#"{"error":"access_denied","error_code":"\#(code)"}"#.utf8))
            }
        }
    }

    /// Calls of the SDK that go different ways to the server.
    enum Call: CaseIterable, Sendable {
        case authenticationDetails
        case login
        case refresh
        case listDevices
        case sendSCAChallenge

        var path: String {
            switch self {
            case .authenticationDetails: "/v1/brands/default/authentication-details"
            case .login: Endpoints.authorizeChallenge.path
            case .refresh: Endpoints.token.path
            case .listDevices: Endpoints.devices.path
            case .sendSCAChallenge: Shop.challenges
            }
        }

        func run(_ wallet: Wallet) async throws {
            switch self {
            case .authenticationDetails:
                _ = try await wallet.authentication.getAuthenticationDetails(
                    brandIdentity: "default", request: RefusalFormTests.detailsRequest)
            case .login: _ = try await wallet.login(username: "alice", password: "correct horse")
            case .refresh: try await wallet.refresh()
            case .listDevices: _ = try await wallet.devices.list()
            case .sendSCAChallenge:
                _ = try await wallet.authentication.sendSCAChallenge(
                    eventID: Shop.event, request: .init(walletOperationID: "operation-1", verification: .sms))
            }
        }
    }

    static let detailsRequest = Wallet.AuthenticationDetailsRequest(
        clientIdentifier: "com.example.wallet", codeChallenge: OAuthCodeChallenge(),
        resetCredentialsURL: "https://app.example.com/reset", state: "state-0123456789",
        redirectURI: World.redirectURI.absoluteString)

    @Test(
        "Every call reports the code of a problem document and of an OAuth error, even one that the SDK does not know",
        arguments: Call.allCases, Form.allCases)
    func everyCall(call: Call, form: Form) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.answer(form.answer("a_code_of_tomorrow")), at: call.path)
        let error = await failure { try await call.run(wallet) }
        #expect(error?.code == "a_code_of_tomorrow")
        #expect(error?.outcome == .refused)
        #expect(wallet.isLoggedIn)
    }

    @Test(
        "Asking for the sign-in page tells what the app has to change, and does not call it temporary",
        arguments: [
            (404, WalletError.Code.brandNotFound), (400, .unregisteredURL), (400, .loginStrategyUnavailable),
            (400, "invalid_client"), (400, "unauthorized_client"),
        ])
    func authenticationDetails(status: Int, code: WalletError.Code) async throws {
        let world = World()
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let call = Call.authenticationDetails
        world.server.inject(.answer(Form.problem.answer(code.rawValue, status: status)), at: call.path)
        let error = await failure { try await call.run(wallet) }
        #expect(error?.code == code)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.reachedServer == true)
    }

    @Test(
        "Thirty wrong tries of a PIN in thirty days have a code of their own, with the time to wait, and are not sent again"
    )
    func exhaustedPIN() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        var answer = Form.problem.answer("pin_exhausted", status: 429)
        answer.headers["Retry-After"] = "2591999"
        world.server.inject(.answer(answer), at: Call.listDevices.path)
        let error = await failure { try await Call.listDevices.run(wallet) }
        #expect(error?.code == .pinExhausted)
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: .seconds(2_591_999)))
    }
}

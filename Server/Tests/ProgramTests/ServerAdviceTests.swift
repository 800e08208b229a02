import Foundation
import Testing
import WalletAuth

@testable import wallet

@Suite("What `wallet` advises about a server")
struct ServerAdviceTests {
    @Test(
        "At a server of another kind its own words are said with the URL that answered, and no command of this project's tools",
        arguments: [
            "invalid_client", "unauthorized_client", "invalid_scope", "invalid_request", .malformedAnswer,
            .unsupportedByServer,
        ] as [WalletError.Code])
    func anotherServer(code: WalletError.Code) throws {
        let place = try #require(URL(string: "https://id.example.org/token"))
        for operation in [WalletError.Operation.signIn, .refresh, .setUp] {
            let error = WalletError(
                code, .misconfigured, during: operation, reachedServer: true, answeredBy: place,
                reason: "Client is \u{1B}[31mnot known")
            let said = Failure(error, at: Failure.Place(server: "https://id.example.org", client: "wallet")).line
            #expect(!said.contains("walletauth"), "\(said)")
            #expect(said.contains("not known"), "\(said)")
            #expect(said.contains("https://id.example.org/token"), "\(said)")
            #expect(said.contains(code.rawValue), "\(said)")
        }
    }

    @Test("At this project's server the command that mends the registration is named")
    func ownServer() {
        let error = WalletError(
            "invalid_client", .misconfigured, during: .loginByUsernamePassword, reachedServer: true,
            isFromWalletAuth: true, reason: "the client is not known")
        let said = Failure(error, at: Failure.Place(server: "https://auth.example.com", client: "wallet")).line
        #expect(said.contains("walletauth client create wallet"), "\(said)")
        // Without scopes the next sign-in would be refused as well.
        #expect(said.contains("--scope \"openid profile offline_access\""), "\(said)")
    }

    @Test("At a server that calls itself otherwise the issuer is to be corrected, and the client is not looked at")
    func issuer() {
        let error = WalletError(
            .issuerMismatch, .misconfigured, during: .setUp, reachedServer: true, isFromWalletAuth: true,
            reason: "the server calls itself http://127.0.0.1:8700: configure that issuer")
        let said = Failure(error, at: Failure.Place(server: "http://localhost:8700", client: "wallet")).line
        #expect(
            said == "wallet: the server calls itself http://127.0.0.1:8700; use that URL: wallet sign-in --issuer "
                + "http://127.0.0.1:8700")
        let misread = WalletError(
            .issuerMismatch, .misconfigured, during: .setUp, reachedServer: true, isFromWalletAuth: true,
            reason: "the server calls itself https://a.example/$(x): configure that issuer")
        #expect(Failure(misread, at: Failure.Place()).advice.contains("--issuer URL"))
    }

    @Test("An issuer may be typed with its scheme in capitals; the rest of it is compared to the letter")
    func scheme() {
        #expect(ConnectionOptions.withUsualScheme("HTTP://127.0.0.1:8700/A") == "http://127.0.0.1:8700/A")
        #expect(ConnectionOptions.withUsualScheme("https://Auth.example.com") == "https://Auth.example.com")
        #expect(ConnectionOptions.withUsualScheme("localhost") == "localhost")
    }

    @Test("A web page in an answer's place: the network's sign-in is the way on, and the code is not one for good")
    func webPage() throws {
        func failure(
            _ code: WalletError.Code, _ outcome: WalletError.Outcome, during operation: WalletError.Operation,
            by url: String?, isFromWalletAuth: Bool = false
        ) -> Failure {
            Failure(
                WalletError(
                    code, outcome, during: operation, reachedServer: true, answeredBy: url.flatMap(URL.init(string:)),
                    isFromWalletAuth: isFromWalletAuth,
                    reason: "https://auth.example.com/x returned 200 with a web page instead of JSON"),
                at: Failure.Place(server: "https://auth.example.com", client: "wallet"))
        }
        let answeredBy = "https://auth.example.com/x"
        let failures = [
            failure(.unsupportedByServer, .misconfigured, during: .setUp, by: nil),
            failure(.malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: .listFactors, by: answeredBy),
            failure(.malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: .refresh, by: answeredBy),
            failure(.malformedAnswer, .misconfigured, during: .signIn, by: answeredBy),
            failure(.malformedAnswer, .misconfigured, during: .signIn, by: answeredBy, isFromWalletAuth: true),
        ]
        for failure in failures {
            #expect(failure.code == "malformed_answer")
            #expect(failure.advice.contains("if this network has a sign-in page"), "\(failure.line)")
        }
        // A standard server that has a page for every path.
        let other = failure(.unsupportedByServer, .misconfigured, during: .listFactors, by: answeredBy)
        #expect(other.code == "unsupported_by_server")
        #expect(other.message.contains("only a walletauth server does"), "\(other.line)")
    }
}

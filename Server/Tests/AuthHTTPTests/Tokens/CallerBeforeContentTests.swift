import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The caller is checked before the content")
struct CallerBeforeContentTests {
    /// What proves by its content who sent it, or is anybody's: no token is asked for.
    private static let withoutToken: Set = [
        Endpoints.authenticationDetails.path, Endpoints.accounts.path, Endpoints.appleNotifications.path,
        Endpoints.transactionSignature.path, Endpoints.scannedSignInSignature.path, Endpoints.accountKeeping.path,
        Endpoints.registrations.path, Endpoints.registrationConfirmation.path, Endpoints.registrationFinish.path,
        Endpoints.registrationPasskey.path, Endpoints.passkeyOptions.path,
    ]

    @Test("Every /v1 endpoint says who may call, or takes what proves it by its content")
    func table() async throws {
        try await TestServer.use { server in
            let open = try server.routes().filter { $0.path.hasPrefix("/v1/") && $0.callers.isEmpty }
            #expect(Set(open.map(\.path)) == Self.withoutToken)
        }
    }

    @Test(
        "Without a token or a signature every /v1 endpoint returns 401, however malformed path and body are",
        .threat("Account enumeration"),
        arguments: ["{", "{}"])
    func strangers(content: String) async throws {
        try await TestServer.serve { server, client in
            for route in try server.routes() {
                guard let caller = route.callers.first else { continue }
                let path = route.path.replacing(/\{[^}]+\}/, with: "x")
                var body: ByteBuffer?
                var headers = HTTPFields()
                if case .json = route.body {
                    body = ByteBuffer(string: content)
                    headers[.contentType] = "application/json"
                }
                let answer = try await client.execute(uri: path, method: route.method, headers: headers, body: body)
                #expect(answer.status == .unauthorized, "\(route.method) \(route.path): \(answer.text)")
                #expect(answer.headers[.wwwAuthenticate] != nil, "\(route.method) \(route.path)")
                guard case .device = caller else { continue }
                #expect(try answer.member("code") == "use_dpop_nonce", "\(route.path)")
                #expect(answer.headers[.dpopNonce] != nil, "\(route.path)")
            }
        }
    }

    @Test(
        "A token that is wrong, or lacks the scope, is refused before a malformed body; with a valid one the answer is about the body"
    )
    func tokens() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client, scopes: ["transactions"])
            for body in ["{", "[]", #"{"colour":"red"}"#] {
                let wrong = try await shop.call(.post, "/v1/transactions", body, token: "nonsense")
                #expect(wrong.status == .unauthorized)
                #expect(try wrong.member("error") == "invalid_token")
                let scope = try await shop.call(.post, "/v1/wallet-operations", body)
                #expect(scope.status == .forbidden)
                #expect(try scope.member("error") == "insufficient_scope")
                let right = try await shop.call(.post, "/v1/transactions", body, key: "0123456789abcdef")
                #expect(right.status == .badRequest)
                #expect(try right.member("code") == "bad_request")
            }
        }
    }

    @Test(
        "A backend reads which member is unknown, missing or of another type; a name that could steer a reader is left out"
    )
    func namedMembers() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client, scopes: ["transactions"])
            func detail(_ body: String) async throws -> String? {
                let refused = try await shop.call(.post, "/v1/transactions", body, key: "0123456789abcdef")
                #expect(refused.status == .badRequest)
                return try refused.member("detail")
            }
            let named = try await detail(#"{"type":"A","colour":"red"}"#)
            #expect(named == "colour is a member that is not known here")
            let hostile = try await detail(#"{"type":"A","\u001b[2Jcolour":"red"}"#)
            #expect(hostile == "request has a member that is not known here")
            let amount = try await detail(#"{"type":"A","amount":1250}"#)
            #expect(amount == "amount is a number, but an object is expected")
            let value = try await detail(#"{"type":"A","amount":{"value":1250,"currency":"EUR"}}"#)
            #expect(value == "amount.value is a number, but a string is expected")
            let payee = try await detail(#"{"type":"A","payee":{"name":"Anna"}}"#)
            #expect(payee == "payee.account is missing")
            let lines = try await detail(#"{"type":"A","lines":["Order 42"]}"#)
            #expect(lines == "lines has an element that is a string, but an object is expected")
        }
    }

    @Test(
        "An app's malformed cursor is 400, and a malformed draft is as well: the one has a token, the other needs none")
    func exceptions() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let path = Endpoints.transactions.path
            let proof = try phone.key.proof(
                path, method: "GET", nonce: server.server.context.proofs.currentNonce(), token: phone.token)
            let cursor = try await phone.send(.get, path + "?cursor=x", proof: proof)
            #expect(cursor.status == .badRequest, "\(cursor.text)")
            let draft = try await client.post("/v1/transactions", body: #"{"draft":"x"}"#, "application/json")
            #expect(draft.status == .badRequest, "\(draft.text)")
            #expect(try draft.member("code") == "bad_request")
        }
    }
}

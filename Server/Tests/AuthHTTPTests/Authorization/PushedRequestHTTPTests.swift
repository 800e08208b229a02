import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP

@Suite("Pushed authorization requests over HTTP", .covers("POST /oauth2/par"), .threat("a pushed request used twice"))
struct PushedRequestHTTPTests {
    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "A request is pushed with 201, its reference opens the page, and the way back is the pushed request's",
        .conformance("fapi2-security-profile-final-par-without-duplicate-parameters"))
    func pushes() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let answer = try await client.post("/oauth2/par", body: Journey.query(), Self.form)
            #expect(answer.status == .created, "\(answer.text)")
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try answer.json["expires_in"]?.integer == 590)
            var link = FormParameters()
            link.append("client_id", "wallet")
            link.append("request_uri", try answer.member("request_uri"))
            let page = try await client.get("/oauth2/authorize?" + link.encoded)
            #expect(page.status == .ok)
            let back = try await Journey.signIn(client, on: page)
            #expect(try back.redirectParameters["state"] == "state-1")
            let code = try #require(try back.redirectParameters["code"])
            #expect(try await Journey.redeem(client, code).status == .ok)
            let again = try await client.get("/oauth2/authorize?" + link.encoded)
            #expect(again.status == .badRequest)
            #expect(again.headers[.location] == nil)
        }
    }

    @Test(
        "attack: a doubled parameter, another method and a wrong secret push nothing, and errors are JSON",
        .conformance("fapi2-security-profile-final-par-attempt-invalid-http-method"))
    func faults() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            _ = try await server.makeBackend()
            for (body, status, error) in [
                (Journey.query() + "&state=other", 400, "invalid_request"),
                (Journey.query() + "&client_id=wallet", 400, "invalid_request"),
                (Journey.query(["client_id": "backend", "client_secret": "guess"]), 401, "invalid_client"),
                (Journey.query(["request_uri": PushedRequestURI.prefix + "x"]), 400, "invalid_request"),
                (Journey.query(["response_type": "token"]), 400, "unsupported_response_type"),
            ] {
                let answer = try await client.post("/oauth2/par", body: body, Self.form)
                #expect(answer.status.code == status, "\(answer.text)")
                #expect(try answer.member("error") == error)
            }
            #expect(try await client.get("/oauth2/par?" + Journey.query()).status == .methodNotAllowed)
        }
    }

    @Test("attack: past the limit of a network, a public client gets 429 with the time to wait")
    func flood() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            for _ in 0..<100 { _ = try await client.post("/oauth2/par", body: Journey.query(), Self.form) }
            let answer = try await client.post("/oauth2/par", body: Journey.query(), Self.form)
            #expect(answer.status == .tooManyRequests, "\(answer.text)")
            let seconds = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...300).contains(seconds))
        }
    }
}

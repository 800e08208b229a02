import HTTPTypes
import HummingbirdTesting
import Testing

@Suite("An account's identities over HTTP")
struct AccountIdentityHTTPTests {
    private static let path = "/v1/account/federated-identities"

    @Test("Listed as JSON, refused as problems: nothing without token and proof, no other member, no id that is none")
    func answers() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let list = try await phone.send(.get, Self.path)
            #expect(list.status == .ok)
            #expect(list.text == #"{"identities":[]}"#)
            #expect(list.headers[.cacheControl] == "no-store")
            let over = try await phone.send(.put, Self.path, #"{"authSession":"no-session"}"#)
            #expect(over.status == .badRequest)
            #expect(over.headers[.contentType] == "application/problem+json")
            #expect(try over.member("code") == "invalid_session")
            for body in [
                "{}", #"{"authSession":7}"#, #"{"authSession":"s","email":"ada@example.com"}"#,
                #"{"authSession":"s","accountId":"1"}"#,
            ] {
                let malformed = try await phone.send(.put, Self.path, body)
                #expect(malformed.status == .badRequest, "\(body)")
                #expect(try malformed.member("code") != "invalid_session", "\(body)")
            }
            let unknown = try await phone.send(.delete, Self.path + "/" + String(repeating: "A", count: 43))
            #expect(unknown.status == .notFound, "\(unknown.text)")
            #expect(try unknown.member("code") == "identity_not_found")
            let malformed = try await phone.send(.delete, Self.path + "/1")
            #expect(malformed.status == .badRequest || malformed.status == .notFound)
            for (method, path) in [
                (HTTPRequest.Method.get, Self.path), (.delete, Self.path + "/" + String(repeating: "A", count: 43)),
            ] {
                let anonymous = try await client.execute(uri: path, method: method)
                #expect(anonymous.status == .unauthorized)
            }
        }
    }
}

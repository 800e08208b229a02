import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Forgetting a PIN over HTTP")
struct PINForgettingHTTPTests {
    @Test("The device's own session: 204, also where there is none; another's id 404; nothing without token and proof")
    func answers() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let path = "/v1/devices/\(phone.id.rawValue)/pin"
            for _ in 0..<2 {
                let answer = try await phone.send(.delete, path)
                #expect(answer.status == .noContent, "\(answer.text)")
                #expect(answer.headers[.dpopNonce] != nil)
            }
            let unknown = try await phone.send(.delete, "/v1/devices/00000000-0000-4000-8000-000000000000/pin")
            #expect(unknown.status == .notFound)
            #expect(try unknown.member("code") == "device_not_found")
            let malformed = try await phone.send(.delete, "/v1/devices/1/pin")
            #expect(malformed.status == .notFound || malformed.status == .badRequest)
            let anonymous = try await client.execute(uri: path, method: .delete)
            #expect(anonymous.status == .unauthorized)
            let other = try await PhoneOverHTTP.another(server, client)
            let fromThere = try await other.send(.delete, path)
            #expect(fromThere.status == .noContent, "two factors, minutes ago: \(fromThere.text)")
        }
    }
}

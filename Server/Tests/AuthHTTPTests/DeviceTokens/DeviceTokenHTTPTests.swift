import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Device authentication tokens over HTTP")
struct DeviceTokenHTTPTests {
    private static let path = "/v1/device-authentication-tokens"
    private static let current = "/v1/device-authentication-tokens/current"

    private func withPhone(
        deviceTokens: Bool = true, _ body: @Sendable (PhoneOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await body(PhoneOverHTTP.enrolled(server, client) { $0.deviceTokens = deviceTokens })
        }
    }

    /// A request over a challenge, as an app makes it.
    private func body(
        _ phone: PhoneOverHTTP, _ challenge: ChallengeResponse, password: String = PhoneOverHTTP.password
    ) throws -> (text: String, key: IdempotencyKey) {
        let request = DeviceTokenRequest(
            deviceID: phone.id, challengeID: challenge.challengeID, username: try Username(PhoneOverHTTP.username),
            password: try Password(password))
        return (String(decoding: request.json.bytes, as: UTF8.self), try request.signatureKey)
    }

    private func issue(
        _ phone: PhoneOverHTTP, over challenge: ChallengeResponse, password: String = PhoneOverHTTP.password,
        more: HTTPFields = [:]
    ) async throws -> TestResponse {
        let (text, key) = try body(phone, challenge, password: password)
        var headers = more
        headers[.deviceSignature] = try await phone.signature(Self.path, text, nonce: challenge.nonce, key: key)
        return try await phone.send(.post, Self.path, text, more: headers)
    }

    @Test("201 with a token and its life, told as active, declined, and ended: 204, and 403 the second time")
    func answers() async throws {
        try await withPhone { phone in
            let none = try await phone.send(.get, Self.current)
            #expect(none.status == .ok, "\(none.text)")
            #expect(none.text == #"{"consent":"none"}"#)
            let issued = try await issue(phone, over: phone.challenge("device-token"))
            #expect(issued.status == .created, "\(issued.text)")
            #expect(issued.headers[.contentType] == "application/json")
            #expect(issued.headers[.cacheControl] == "no-store")
            #expect(issued.headers[.dpopNonce] != nil)
            let token = try #require(try issued.member("deviceToken"))
            #expect(token.count == 43)
            #expect(try issued.json["expiresIn"]?.integer == 90 * 24 * 3600)
            #expect(!phone.server.log.lines.contains { $0.contains(token) })
            let active = try await phone.send(.get, Self.current)
            #expect(try active.member("consent") == "active")
            #expect(try #require(try active.json["expiresIn"]?.integer) > 0)

            let ended = try await phone.send(.delete, Self.current)
            #expect(ended.status == .noContent, "\(ended.text)")
            let again = try await phone.send(.delete, Self.current)
            #expect(again.status == .forbidden)
            #expect(again.headers[.contentType] == "application/problem+json")
            #expect(try again.member("code") == "token_already_expired")
            #expect(try again.json["statusCode"]?.integer == 403)

            let declined = try await phone.send(.put, Self.current, #"{"consent":"declined"}"#)
            #expect(declined.text == #"{"consent":"declined"}"#)
            let shown = try await phone.send(.get, Self.current)
            #expect(try shown.member("consent") == "declined")
        }
    }

    @Test("The challenge makes the request serve once: its repetition is refused, and leaves the token that there is")
    func once() async throws {
        try await withPhone { phone in
            let challenge = try await phone.challenge("device-token")
            #expect(try await issue(phone, over: challenge).status == .created)
            let again = try await issue(phone, over: challenge)
            #expect(again.status == .badRequest, "\(again.text)")
            #expect(try again.member("code") == "invalid_challenge")
            let shown = try await phone.send(.get, Self.current)
            #expect(try shown.member("consent") == "active")
            // A challenge for something else is none for this.
            let other = try await issue(phone, over: phone.challenge("biometric"))
            #expect(try other.member("code") == "invalid_challenge")
        }
    }

    @Test("A wrong password, and a signature that is missing, another request's or doubled: 419, or 400")
    func signed() async throws {
        try await withPhone { phone in
            let wrong = try await issue(phone, over: phone.challenge("device-token"), password: "not the password")
            #expect(wrong.status == .unauthorized)
            #expect(try wrong.member("code") == "invalid_credentials")
            #expect(try wrong.json["statusCode"]?.integer == 419)
            #expect(wrong.headers[.wwwAuthenticate] == "DPoP")

            let challenge = try await phone.challenge("device-token")
            let (text, key) = try body(phone, challenge)
            let unsigned = try await phone.send(.post, Self.path, text)
            #expect(try unsigned.json["statusCode"]?.integer == 419)
            let spaced = text.replacingOccurrences(of: ",", with: ", ")
            let moved = try await phone.send(
                .post, Self.path, text,
                more: [
                    .deviceSignature: try await phone.signature(Self.path, spaced, nonce: challenge.nonce, key: key)
                ])
            #expect(try moved.json["statusCode"]?.integer == 419, "signed to the byte")
            let elsewhere = try await phone.send(
                .post, Self.path, text,
                more: [
                    .deviceSignature: try await phone.signature(
                        "/v1/pin/evaluate", text, nonce: challenge.nonce, key: key)
                ])
            #expect(try elsewhere.json["statusCode"]?.integer == 419)
            let good = try await phone.signature(Self.path, text, nonce: challenge.nonce, key: key)
            var doubled: HTTPFields = [:]
            doubled[values: .deviceSignature] = [good, good]
            let twice = try await phone.send(.post, Self.path, text, more: doubled)
            #expect(twice.status == .badRequest, "\(twice.text)")
            let consent = try await phone.send(.get, Self.current)
            #expect(try consent.member("consent") == "none")
        }
    }

    @Test("Bodies that are not what they must be are 400, another content type 415, another method 405")
    func malformed() async throws {
        try await withPhone { phone in
            let challenge = try await phone.challenge("device-token").challengeID.rawValue
            let id = phone.id.rawValue
            for body in [
                "", "[]", "{", #"{"deviceId":"\#(id)"}"#,
                #"{"deviceId":"\#(id)","challengeId":"\#(challenge)","username":"maria"}"#,
                #"{"deviceId":"\#(id)","challengeId":"\#(challenge)","username":"maria","password":7}"#,
                #"{"deviceId":"\#(id)","challengeId":"\#(challenge)","username":"maria","password":"phrase","accountId":"1"}"#,
                #"{"deviceId":"\#(id)","deviceId":"\#(id)","challengeId":"\#(challenge)","username":"maria","password":"phrase"}"#,
            ] {
                let answer = try await phone.send(.post, Self.path, body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
            }
            // The answer does not say whether a name could be one.
            let nobody = try await phone.send(
                .post, Self.path,
                #"{"deviceId":"\#(id)","challengeId":"\#(challenge)","username":"\u0000","password":"a long phrase"}"#)
            #expect(try nobody.json["statusCode"]?.integer == 419)
            for body in [
                #"{"consent":"active"}"#, #"{"consent":"declined","expiresIn":1}"#, #"{"consent":true}"#, "{}",
            ] {
                let answer = try await phone.send(.put, Self.current, body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
            }
            let form = try await phone.client.post(Self.path, ["deviceId": id])
            #expect(form.status == .unsupportedMediaType)
            let method = try await phone.send(.patch, Self.path)
            #expect(method.status == .methodNotAllowed)
        }
    }

    @Test("Nothing without the token's own key: no proof, another key's, path's or method's, a stale one, a bearer")
    func proofs() async throws {
        try await withPhone { phone in
            let nonce = phone.server.server.context.proofs.currentNonce()
            let none = try await phone.client.execute(
                uri: Self.current, method: .get, headers: [.authorization: "DPoP \(phone.token.reveal())"])
            #expect(none.status == .unauthorized)
            #expect(none.headers[.wwwAuthenticate]?.contains("DPoP") == true)
            let bearer = try await phone.client.execute(
                uri: Self.current, method: .get, headers: [.authorization: "Bearer \(phone.token.reveal())"])
            #expect(bearer.status == .unauthorized)
            for proof in [
                try ProofKey().proof(Self.current, method: "GET", nonce: nonce, token: phone.token),
                try phone.key.proof(Self.path, method: "GET", nonce: nonce, token: phone.token),
                try phone.key.proof(Self.current, method: "DELETE", nonce: nonce, token: phone.token),
                try phone.key.proof(Self.current, method: "GET", nonce: nonce),
            ] {
                let answer = try await phone.send(.get, Self.current, proof: proof)
                #expect(answer.status == .unauthorized, "\(answer.text)")
            }
            let stale = try await phone.send(
                .get, Self.current, proof: phone.key.proof(Self.current, method: "GET", token: phone.token))
            #expect(stale.status == .unauthorized)
            #expect(stale.headers[.wwwAuthenticate]?.contains("use_dpop_nonce") == true)
            #expect(stale.headers[.dpopNonce] != nil)
        }
    }

    @Test("An app that may not is 432 in an answer of 400; a session that no device opened has no token: 404")
    func unsupported() async throws {
        try await withPhone(deviceTokens: false) { phone in
            let issuing = try await issue(phone, over: phone.challenge("device-token"))
            // The same is known before a password is asked for.
            for answer in [issuing, try await phone.send(.get, Self.current)] {
                #expect(answer.status == .badRequest)
                #expect(try answer.member("code") == "device_authentication_unsupported")
                #expect(try answer.json["statusCode"]?.integer == 432)
            }
            let nobodys = try await PhoneOverHTTP.signedIn(phone.server, phone.client).send(.get, Self.current)
            #expect(nobodys.status == .notFound, "\(nobodys.text)")
            #expect(try nobodys.member("code") == "device_not_found")
        }
    }
}

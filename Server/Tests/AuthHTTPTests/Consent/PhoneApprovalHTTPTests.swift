import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP

@Suite("Approvals on another phone, over HTTP", .covers("GET /v1/approvals", "PUSH_NOTIFICATION"))
struct PhoneApprovalHTTPTests {
    /// A payment in Maria's app on one phone, and her other phone with a biometric key and a push address.
    private struct Setting: Sendable {
        let shop: ShopOverHTTP
        let other: PhoneOverHTTP
        let key = P256Signer(P256.Signing.PrivateKey())

        static func with(_ body: @Sendable (Setting) async throws -> Void) async throws {
            try await TestServer.serve { server, client in
                let shop = try await ShopOverHTTP.open(server, client, scopes: ["wallet_operations", "transactions"])
                let setting = Setting(shop: shop, other: try await PhoneOverHTTP.another(server, client))
                try await setting.register()
                try await body(setting)
            }
        }

        private func register() async throws {
            guard case .p256(let x, let y)? = key.publicJWK?.key, let device = UniqueID(uuid: other.id.rawValue)
            else { throw MalformedValue(field: "test", reason: "has no key") }
            try await other.server.server.context.database.write {
                _ = try $0.execute(
                    """
                    UPDATE devices SET biometric_key = $2, biometric_key_set_at = 0, biometric_key_storage = 'software',
                        biometric_key_voucher = NULL WHERE id = $1
                    """, [.id(device), .blob(x + y)])
                _ = try $0.execute("UPDATE devices SET cooling_until = 0", [])
            }
            let token = String(repeating: "ab", count: 32)
            let set = try await other.send(
                .put, Endpoints.devicePush.path(other.id), #"{"token":"\#(token)","environment":"sandbox"}"#)
            try #require(set.status == .noContent, "\(set.text)")
        }

        func challenge(_ event: String) async throws -> TestResponse {
            try await shop.phone.send(
                .post, "/v1/sca/events/\(event)/challenges",
                #"{"walletOperationId":"op-1","verification":\#(Self.way)}"#)
        }

        static let way = #"{"method":"PUSH_NOTIFICATION","channel":"PUSH_NOTIFICATION"}"#

        func outcome(_ event: String) async throws -> TestResponse {
            try await shop.phone.send(
                .post, "/v1/sca/events/\(event)/attempts",
                #"{"walletOperationId":"op-1","verification":\#(Self.way),"value":""}"#)
        }

        func list(_ query: String = "") async throws -> TestResponse {
            try await other.send(.get, "/v1/approvals\(query)")
        }

        /// What the other phone signs for an entry of its list.
        func approval(of entry: ApprovalEntry) async throws -> String {
            let challenge = try #require(entry.challenge)
            let assertion = try await DeviceAssertion(
                audience: Issuer(TestServer.issuer), account: AccountID(shop.account), deviceID: other.id,
                factor: .biometric, challengeID: challenge.challengeID, nonce: challenge.nonce,
                act: .sca(entry.id, .operation(try #require(entry.payload))), issuedAt: PhoneOverHTTP.now()
            ).signed(by: other.deviceKey, key)
            return String(
                decoding: ApprovalAttempt(operationID: try #require(entry.operationID), assertion: assertion).json
                    .bytes,
                as: UTF8.self)
        }
    }

    @Test("Challenged, listed, approved and carried out; a repeated approval is the same, and a body too much is 400")
    func wholeWay() async throws {
        try await Setting.with { setting in
            let asked = try await setting.shop.call(.post, "/v1/wallet-operations", setting.shop.request())
            #expect(asked.text.contains("PUSH_NOTIFICATION"), "\(asked.text)")
            let event = try #require(try asked.member("eventId"))
            let challenged = try await setting.challenge(event)
            #expect(challenged.status == .ok, "\(challenged.text)")
            #expect(try challenged.json["sent"]?.bool == true)
            let listed = try await setting.list()
            #expect(listed.status == .ok, "\(listed.text)")
            #expect(listed.headers[.cacheControl] == "no-store")
            let entry = try #require(try ApprovalPage(listed.json).approvals.first)
            #expect(entry.id.rawValue == event)
            #expect(try #require(entry.requester).service.isEmpty == false)
            let body = try await setting.approval(of: entry)
            let path = "/v1/approvals/\(event)/attempts"
            let more = try await setting.other.send(.post, path, String(body.dropLast()) + #","x":1}"#)
            #expect(more.status == .badRequest, "\(more.text)")
            for _ in 0..<2 {
                let approved = try await setting.other.send(.post, path, body)
                #expect(approved.status == .ok, "\(approved.text)")
                #expect(try approved.member("status") == "VERIFIED")
            }
            let outcome = try await setting.outcome(event)
            #expect(try outcome.member("status") == "VERIFIED")
            let used = try await setting.shop.call(
                .post, "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(event)",\#(ShopOverHTTP.operation)}"#)
            #expect(used.status == .ok, "\(used.text)")
        }
    }

    @Test("A refusal is 204, also repeated; then the waiting app gets 409 data_error")
    func refusal() async throws {
        try await Setting.with { setting in
            let event = try await setting.shop.ask()
            _ = try await setting.challenge(event)
            for _ in 0..<2 {
                let refused = try await setting.other.send(
                    .post, "/v1/approvals/\(event)/refusal", #"{"walletOperationId":"op-1"}"#)
                #expect(refused.status == .noContent, "\(refused.text)")
            }
            let outcome = try await setting.outcome(event)
            #expect(outcome.status == .conflict)
            #expect(try outcome.member("code") == "data_error")
        }
    }

    @Test("409 push_unavailable with the other ways, if no phone has a push address")
    func unavailable() async throws {
        try await Setting.with { setting in
            let removed = try await setting.other.send(.delete, Endpoints.devicePush.path(setting.other.id))
            #expect(removed.status == .noContent)
            let event = try await setting.shop.ask()
            let refused = try await setting.challenge(event)
            #expect(refused.status == .conflict)
            #expect(try refused.member("code") == "push_unavailable")
            let others = try refused.json["availableVerifications"]?.array ?? []
            #expect(!others.isEmpty)
        }
    }

    @Test("attack: a bearer token, a backend's token, and a session on no device list and approve nothing")
    func whoseToken() async throws {
        try await Setting.with { setting in
            let event = try await setting.shop.ask()
            _ = try await setting.challenge(event)
            let entry = try #require(try ApprovalPage(try await setting.list().json).approvals.first)
            let body = try await setting.approval(of: entry)
            let path = "/v1/approvals/\(event)/attempts"
            for token in [setting.shop.backend, setting.other.token.reveal()] {
                #expect(try await setting.shop.call(.get, "/v1/approvals", token: token).status == .unauthorized)
                #expect(try await setting.shop.call(.post, path, body, token: token).status == .unauthorized)
            }
            let browser = try await PhoneOverHTTP.signedIn(setting.other.server, setting.other.client)
            let list = try await browser.send(.get, "/v1/approvals")
            #expect(list.status == .notFound)
            #expect(try list.member("code") == "device_not_found")
            let approved = try await browser.send(.post, path, body)
            #expect(approved.status == .notFound)
            // The session that asked approves by its own ways.
            let own = try await setting.shop.phone.send(.post, path, body)
            #expect(own.status == .notFound)
            #expect(try own.member("code") == "event_not_found")
        }
    }

    @Test("An unknown parameter and a cursor that no page returned are 400")
    func query() async throws {
        try await Setting.with { setting in
            for query in ["?state=CREATED", "?cursor=7", "?limit=1000"] {
                let list = try await setting.list(query)
                #expect(list.status == .badRequest, "\(query)")
            }
        }
    }
}

import Foundation
import Testing

/// Apple's service in another author's implementation, with a merchant's integration of it at a server under test.
struct ApplePeer: Sendable {
    static let merchant = 10_101_010
    static let bundle = "com.example.wallet"
    /// The team that the app belongs to at first.
    static let team = "TEAM123456"
    private static let keyID = "ABCDE12345"

    let process: PeerProcess
    let server: RunningServer
    let web: WebClient
    private let keyFile: String
    private let clientIDs: [String]
    private let authorization: String

    /// The backend's own page, to which the hosted page returns.
    static let redirectURI = "https://shop.example.com/login"

    /// What the sheet of a phone hands to an app.
    struct Credential: Sendable {
        let code: String
        let idToken: String
        let user: String
    }

    /// Runs a test's body with the peer registered for the merchant, and a backend that may request guest tokens.
    /// - Parameters:
    ///   - clientIDs: the bundle ids that the operator names.
    ///   - options: what else the operator allows the backend.
    static func registered(
        at server: RunningServer, clientIDs: [String] = [bundle], options: [String] = [],
        _ body: (ApplePeer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = folder.url.appending(path: "AuthKey_\(keyID).p8")
        let process = try await PeerProcess.start(
            "apple_service.py", ["APPLE_TEAM": team, "APPLE_KEY_ID": keyID, "APPLE_KEY_FILE": key.path],
            in: folder.url)
        defer { process.stop() }
        let backend = try await server.makeConfidentialClient(
            "loyalty", scope: "user_read account_read",
            options: ["--guest-tokens", "--loyalty-merchant", String(merchant), "--redirect-uri", redirectURI]
                + options)
        let basic = Data("\(backend.id):\(backend.secret ?? "")".utf8).base64EncodedString()
        let apple = ApplePeer(
            process: process, server: server, web: WebClient(ledger: server.ledger, connections: 64),
            keyFile: key.path, clientIDs: clientIDs, authorization: "Basic \(basic)")
        try await apple.add(team: team)
        try await body(apple)
    }

    /// Adds the service to the server, as the operator of a team does.
    func add(team: String) async throws {
        try await server.require(
            [
                "provider", "add", "apple", "apple", "--loyalty-merchant", String(Self.merchant),
                "--loyalty-integration",
                "apple-loyalty", "--team-id", team, "--key-id", Self.keyID, "--private-key", keyFile,
                "--base-url", process.address, "--loyalty-card-template", "0", "--loyalty-activation-store", "pxweb",
            ] + clientIDs.flatMap { ["--client-id", $0] })
    }

    // MARK: - At Apple

    /// A person agrees on their phone.
    /// - Parameters:
    ///   - client: the app's bundle id.
    ///   - account: whose Apple account it is.
    ///   - claims: what the identity token says in place of the truth; `null` takes a claim away.
    func sheet(
        _ client: String = bundle, account: String = "ada", claims: [String: Any] = [:]
    ) async throws -> Credential {
        let answer = try await control([
            "do": "sheet", "client_id": client, "account": account, "claims": claims,
        ])
        let members = answer.members
        let credential = Credential(
            code: try #require(members["code"]), idToken: try #require(members["id_token"]),
            user: try #require(members["user"]))
        server.ledger.enter(credential.code)
        server.ledger.enter(credential.idToken)
        return credential
    }

    /// The body of a notification about a person's Apple account.
    func notification(_ type: String, account: String = "ada", claims: [String: Any] = [:]) async throws -> String {
        try await control([
            "do": "notify", "client_id": Self.bundle, "account": account, "type": type, "claims": claims,
        ]).text
    }

    /// Takes a new key into use, breaks down, or serves again.
    func have(_ happening: String) async throws { _ = try await control(["do": happening]) }

    /// Transfers the app to another team: from now on people have other identifiers, and their tokens name the transfer.
    func move(to team: String) async throws { _ = try await control(["do": "move", "team": team]) }

    /// Waits until the service was asked so often, or until what asks it has ended.
    func asked(_ count: Int, orEnded task: Task<WebAnswer?, Never>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await process.messages(count) }
            group.addTask { _ = await task.value }
            try await group.next()
            group.cancelAll()
        }
    }

    private func control(_ asked: [String: Any]) async throws -> WebAnswer {
        let url = try #require(URL(string: process.address + "/control"))
        let json = String(decoding: try JSONSerialization.data(withJSONObject: asked), as: UTF8.self)
        let answer = try await web.post(url, json: json)
        #expect(answer.status == 200)
        return answer
    }

    // MARK: - At the server

    func requestGuestToken(code: String, account: String) async throws -> WebAnswer {
        try await call(
            "/oauth/requestGuestToken.json",
            [
                "authentication": "b2b", "grant_type": "http://paytronix.com/oauth/fieldset",
                "merchantId": Self.merchant, "scope": "user_read account_read",
                "fields": [
                    "externalIdentifier": "apple-loyalty", "externalAccessToken": code, "externalAccountCode": account,
                ],
            ])
    }

    func requestGuestToken(_ credential: Credential) async throws -> WebAnswer {
        try await requestGuestToken(code: credential.code, account: credential.idToken)
    }

    /// The seed's own body, with a password that is not among the common ones.
    /// - Parameters:
    ///   - fields: what else the guest entered in the form.
    ///   - style: of the form.
    func enroll(
        _ credential: Credential, username: String = "testUsername", fields: [String: Any] = [:],
        style: String = "typed"
    ) async throws -> WebAnswer {
        try await call(
            "/enrollment/createAndRegister.json",
            [
                "authentication": "b2b", "merchantId": Self.merchant, "cardTemplateCode": 0,
                "activationStoreCode": "pxweb", "enforceUniqueFields": [String](),
                "setUserFields": ["style": style, "username": username, "password": "four grey herons"]
                    .merging(fields) { $1 },
                "setAccountFields": [
                    "style": "typed",
                    "externalAccounts": [
                        [
                            "accountCode": credential.idToken, "integration": "apple-loyalty",
                            "accessToken": credential.code,
                        ]
                    ],
                ],
            ])
    }

    /// Has a one-time password sent, by the parameters in the query.
    func sendOneTimePassword(to phone: String) async throws -> WebAnswer {
        let query = formEncoded([("merchantId", String(Self.merchant)), ("mobilePhone", phone)])
        return try await web.send(
            "POST", await server.url("/onetimepassword/generateAndSendSMSOTP.json?\(query)"),
            headers: ["Authorization": authorization], body: nil)
    }

    /// Has a one-time password sent with which a signed-in guest proves a number, by a form.
    func sendOneTimePassword(to phone: String, provedBy token: String) async throws -> WebAnswer {
        try await web.post(
            await server.url("/onetimepassword/generateAndSendSMSOTP.json"),
            form: ["merchantId": String(Self.merchant), "mobilePhone": phone, "access_token": token],
            headers: ["Authorization": authorization])
    }

    /// Requests a guest's tokens by a one-time password.
    /// - Parameter token: of the guest who also proves the number.
    func requestGuestToken(
        oneTimePassword code: String, sentTo phone: String, provedBy token: String? = nil
    ) async throws -> WebAnswer {
        var body: [String: Any] = [
            "authentication": "b2b", "grant_type": "one_time_password", "merchantId": Self.merchant,
            "mobilePhone": phone, "oneTimePassword": code,
        ]
        body["access_token"] = token
        return try await call("/oauth/requestGuestToken.json", body)
    }

    /// Requests a guest's tokens by the hosted page's code.
    func requestGuestToken(pageCode code: String, verifier: String) async throws -> WebAnswer {
        try await call(
            "/oauth/requestGuestToken.json",
            [
                "authentication": "b2b", "grant_type": "authorization_code", "merchantId": Self.merchant,
                "code": code, "redirect_uri": Self.redirectURI, "code_verifier": verifier,
            ])
    }

    /// Links or unlinks a guest's account at Apple, by the guest's access token.
    func editExternalAccounts(_ token: String, _ change: [String: Any]) async throws -> WebAnswer {
        try await call(
            "/enrollment/editExternalAccounts.json",
            ["authentication": "oauth", "access_token": token, "merchantId": Self.merchant].merging(change) { $1 })
    }

    /// Renews a guest's tokens.
    func renew(_ refreshToken: String) async throws -> WebAnswer {
        try await call(
            "/oauth/requestGuestToken.json",
            [
                "authentication": "b2b", "grant_type": "refresh_token", "merchantId": Self.merchant,
                "refresh_token": refreshToken,
            ])
    }

    func notify(_ body: String) async throws -> WebAnswer {
        try await web.post(await server.url("/v1/federation/apple/notifications"), json: body)
    }

    private func call(_ path: String, _ body: [String: Any]) async throws -> WebAnswer {
        let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let answer = try await web.post(
            await server.url(path), json: json, headers: ["Authorization": authorization])
        if let tokens = answer.object["oauthTokens"] as? [String: Any] {
            server.ledger.enter(tokens["access_token"] as? String)
            server.ledger.enter(tokens["refresh_token"] as? String)
        }
        return answer
    }
}

extension WebAnswer {
    /// The members of a JSON object.
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    /// The code of a failure of the loyalty API.
    var errorCode: String? { members["errorCode"] }
}

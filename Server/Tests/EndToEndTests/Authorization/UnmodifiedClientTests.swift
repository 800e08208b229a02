import Foundation
import TestSupport
import Testing

/// Unmodified clients of other authors: each signs in, calls, renews and signs out.
@Suite("Standard clients, unmodified", .covers("google-auth-oauthlib"), .onceForAllEngines)
struct UnmodifiedClientTests {
    private static let webRedirect = "https://partner.example.com/callback"

    /// Runs a script of Peers with the server's issuer in front of its arguments.
    /// - Returns: what it reports. Its secrets are in the ledger.
    private func report(
        of script: String, _ arguments: [String], input: [String], at server: RunningServer
    ) async throws -> [String: Any] {
        let result = try await ChildProcess.run(
            Programs.python,
            [Programs.peers.appending(path: script).path, await server.issuer.absoluteString] + arguments,
            folder: server.folder, input: input.map { $0 + "\n" }.joined())
        try #require(result.succeeded, "\(script) stopped: \(result.errors.suffix(3_000))")
        // A library may say something of its own before the report.
        let last = result.output.split(separator: "\n").last.map(String.init) ?? ""
        let object = try JSONSerialization.jsonObject(with: Data(last.utf8))
        let report = try #require(object as? [String: Any], "\(script) reported nothing")
        (report["secrets"] as? [String])?.forEach(server.ledger.enter)
        return report
    }

    private func makePublicClient(
        _ id: String, redirectURI: String, at server: RunningServer
    ) async throws {
        try await server.require([
            "client", "create", id, "--name", "Partner", "--public", "--redirect-uri", redirectURI, "--scope",
            "openid profile offline_access",
        ])
    }

    /// - Returns: the client's secret.
    private func makeConfidentialClient(
        _ id: String, redirectURI: String, options: [String] = [], at server: RunningServer
    ) async throws -> String {
        let client = try await server.makeConfidentialClient(
            id, scope: "openid profile email phone address offline_access",
            options: ["--redirect-uri", redirectURI] + options)
        return try #require(client.secret)
    }

    /// A folder for what a program keeps, apart from the logs that are searched for secrets.
    private func folder(_ name: String, of server: RunningServer) throws -> String {
        let folder = server.folder.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    @Test("google-auth-oauthlib signs in with an empty secret and a scope that only Google has, renews and calls")
    func google() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("google-person")
            try await makePublicClient("google-client", redirectURI: "http://127.0.0.1/", at: server)
            let seen = try await report(
                of: "google_client.py", ["google-client", person.username], input: [person.password], at: server)
            #expect(seen["granted"] as? [String] == ["openid", "profile"])
            #expect(seen["id_token"] as? Bool == true)
            #expect(seen["userinfo_status"] as? Int == 200)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["renewed_userinfo_status"] as? Int == 200)
            #expect(seen["preferred_username"] as? String == person.username)
            #expect(seen["revocation_status"] as? Int == 200)
            #expect(seen["refresh_after_revocation"] as? String == "invalid_grant")
        }
    }

    @Test("The MCP client signs in by an address for a resource that names this server, and renews")
    func mcp() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("mcp-person")
            let port = try FreePorts.next()
            let (address, resource) = ("https://localhost:\(port)/client.json", "http://127.0.0.1:\(port)/mcp")
            // No authority that this machine trusts signs for localhost, so the description is registered in place of fetched.
            for (id, option, value) in [
                ("mcp-host", "--metadata-host", "localhost:\(port)"),
                (address, "--redirect-uri", "http://127.0.0.1/callback"),
            ] {
                try await server.require([
                    "client", "create", id, "--name", "One", "--public", "--scope", "openid profile offline_access",
                    "--resource", resource, option, value,
                ])
            }
            let seen = try await report(
                of: "mcp_client.py", [address, person.username, String(port)], input: [person.password], at: server)
            #expect(seen["status"] as? Int == 200)
            #expect(seen["client_id"] as? String == address)
            #expect((seen["audience"] as? [String])?.contains(resource) == true)
            #expect(seen["renewed_status"] as? Int == 200)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["visits"] as? Int == 1)
        }
    }

    @Test(
        "requests-oauthlib with its defaults signs in, renews by itself, calls and revokes",
        .conformance("oidcc-userinfo-get"))
    func oauthlib() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("oauthlib-person")
            let redirectURI = "com.example.oauthlib:/callback"
            try await makePublicClient("oauthlib-client", redirectURI: redirectURI, at: server)
            let seen = try await report(
                of: "oauthlib_client.py", ["oauthlib-client", redirectURI, person.username], input: [person.password],
                at: server)
            #expect(seen["token_type"] as? String == "Bearer")
            #expect(seen["id_token"] as? Bool == true)
            #expect(seen["userinfo_status"] as? Int == 200)
            #expect(seen["renewals"] as? Int == 1)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["renewed_userinfo_status"] as? Int == 200)
            #expect(seen["preferred_username"] as? String == person.username)
            #expect(seen["revocation_status"] as? Int == 200)
            #expect(seen["refresh_after_revocation"] as? String == "invalid_grant")
        }
    }

    @Test("requests_oauth2client uses private_key_jwt and DPoP, pushes and signs requests, and exchanges a token")
    func oauth2client() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("oauth2client-person")
            let keys = try folder("oauth2client", of: server)
            let script = Programs.peers.appending(path: "oauth2client_client.py").path
            let made = try await ChildProcess.run(
                Programs.python, [script, "keys", keys + "/key.json"], folder: server.folder)
            try #require(made.succeeded, "\(made.errors.suffix(2_000))")
            try made.output.write(toFile: keys + "/keys.json", atomically: true, encoding: .utf8)
            try await server.require([
                "client", "create", "oauth2client", "--name", "Partner", "--confidential", "--auth-method",
                "private_key_jwt", "--jwks", keys + "/keys.json", "--redirect-uri", Self.webRedirect, "--scope",
                "openid profile offline_access wallet_operations", "--token-exchange", "--resource",
                "https://orders.example.com", "--resource", "https://stock.example.com",
            ])
            let seen = try await report(
                of: "oauth2client_client.py",
                ["oauth2client", Self.webRedirect, person.username, keys + "/key.json"], input: [person.password],
                at: server)
            #expect(seen["token_type"] as? String == "DPoP")
            #expect(seen["scope"] as? String == "openid profile offline_access")
            #expect(seen["userinfo_status"] as? Int == 200)
            #expect(seen["preferred_username"] as? String == person.username)
            #expect(seen["renewed_token_type"] as? String == "DPoP")
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["renewed_userinfo_status"] as? Int == 200)
            #expect(seen["refresh_without_proof"] as? String == "invalid_dpop_proof")
            #expect(seen["pushed_parameters"] as? [String] == ["client_id", "request_uri"])
            #expect(seen["pushed_token_type"] as? String == "DPoP")
            #expect(seen["pushed_scope"] as? String == "openid profile")
            #expect(seen["signed_parameters"] as? [String] == ["client_id", "request"])
            #expect(seen["signed_token_type"] as? String == "DPoP")
            #expect(seen["signed_scope"] as? String == "openid")
            #expect(seen["own_token_type"] as? String == "DPoP")
            let exchanged = try #require(seen["exchanged"] as? [Any])
            #expect(exchanged.prefix(3).map { $0 as? String } == ["DPoP", "profile", "https://stock.example.com"])
            #expect(exchanged.last as? [String: String] == ["sub": "oauth2client"])
            #expect(seen["exchanged_for_the_same_person"] as? Bool == true)
            #expect(seen["exchange_without_proof"] as? String == "invalid_dpop_proof")
            #expect(seen["revoked"] as? Bool == true)
            #expect(seen["refresh_after_revocation"] as? String == "invalid_grant")
        }
    }

    @Test("idpyoidc signs in as a relying party, reads the claims of its scopes, renews and revokes")
    func idpyoidc() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("idpyoidc-person")
            try await server.require([
                "account", "update", person.username, "--name", "Ada Lovelace", "--given-name", "Ada", "--family-name",
                "Lovelace", "--locale", "en-GB", "--address", "12 St James’s Square\nLondon",
            ])
            let secret = try await makeConfidentialClient(
                "idpyoidc-client", redirectURI: Self.webRedirect, at: server)
            let seen = try await report(
                of: "idpyoidc_client.py", ["idpyoidc-client", Self.webRedirect, person.username],
                input: [secret, person.password], at: server)
            let claims = try #require(seen["claims"] as? [String: Any])
            #expect(claims["name"] as? String == "Ada Lovelace")
            #expect(claims["given_name"] as? String == "Ada")
            #expect(claims["family_name"] as? String == "Lovelace")
            #expect(claims["locale"] as? String == "en-GB")
            #expect(claims["preferred_username"] as? String == person.username)
            #expect((claims["address"] as? [String: String])?["formatted"] == "12 St James’s Square\nLondon")
            let issuer = await server.issuer.absoluteString
            #expect(seen["id_token_issuer"] as? String == issuer)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["renewed_subject"] as? String == claims["sub"] as? String)
            #expect(seen["refresh_after_revocation"] as? String == "invalid_grant")
        }
    }

    @Test("oidc-agent signs in by its own listener, renews, and revokes when its account is deleted")
    func oidcAgent() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("agent-person")
            let redirectURI = "http://localhost:\(try FreePorts.next())"
            try await makePublicClient("agent-client", redirectURI: redirectURI, at: server)
            let seen = try await report(
                of: "oidc_agent.py",
                ["agent-client", redirectURI, person.username, try folder("oidc-agent", of: server)],
                input: [person.password], at: server)
            #expect(seen["userinfo_status"] as? Int == 200)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["renewed_userinfo_status"] as? Int == 200)
            #expect(seen["preferred_username"] as? String == person.username)
            #expect(seen["userinfo_after_sign_out"] as? Int == 401)
        }
    }

    @Test(
        "mod_auth_openidc protects a page of Apache: it signs in, renews, signs the browser out, and hears of an end")
    func apache() async throws {
        try await SharedServer.use { server, _ in
            let person = try await server.makeAccount("apache-person")
            let base = "http://127.0.0.1:\(try FreePorts.next())"
            let redirectURI = base + "/members/callback"
            let secret = try await makeConfidentialClient(
                "apache-client", redirectURI: redirectURI,
                options: [
                    "--post-logout-redirect-uri", base + "/", "--backchannel-logout-uri",
                    redirectURI + "?logout=backchannel",
                ], at: server)
            let seen = try await report(
                of: "mod_auth_openidc.py",
                ["apache-client", redirectURI, person.username, try folder("apache", of: server)],
                input: [secret, person.password], at: server)
            #expect(seen["name"] as? String == person.username)
            #expect(seen["userinfo_status"] as? Int == 200)
            #expect(seen["new_access_token"] as? Bool == true)
            #expect(seen["refresh_rotates"] as? Bool == true)
            #expect(seen["renewed_userinfo_status"] as? Int == 200)
            #expect(seen["userinfo_after_sign_out"] as? Int == 401)
            #expect(seen["asks_again"] as? Bool == true)
            #expect(seen["signs_out"] as? Bool == true)
            #expect(seen["led_back"] as? Bool == true)
            #expect(seen["asks_for_password"] as? Bool == true)
            #expect(seen["heard_of_the_end"] as? Bool == true)
        }
    }
}

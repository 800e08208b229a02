import Crypto
import Foundation
import Testing

@Suite("The proof of a payment consent, in an auditor's hands")
struct OperationEvidenceTests {
    /// A person's app and a backend, by the RFCs alone.
    private struct Parties {
        let app: StandardClient
        let access: String
        let backend: String

        static func meet(at server: RunningServer) async throws -> Parties {
            let person = try await server.makeReachableAccount("grace")
            let app = StandardClient(
                try await server.makePublicClient(), at: server, key: P256.Signing.PrivateKey())
            let access = try await app.signIn(person).access
            let backend = StandardClient(try await server.makeConfidentialClient(), at: server)
            let answer = try await backend.token([
                ("grant_type", "client_credentials"), ("scope", "wallet_operations"),
            ])
            return Parties(app: app, access: access, backend: try #require(answer.members["access_token"]))
        }

        /// The claims of the person's token.
        func claim(_ name: String) throws -> String { try TokenClaims.text(name, of: access) }

        func byBackend(_ method: String, _ path: String, _ json: String? = nil) async throws -> WebAnswer {
            var headers = ["Authorization": "Bearer \(backend)"]
            if json != nil { headers["Content-Type"] = "application/json" }
            return try await app.web.send(
                method, await app.server.url(path), headers: headers, body: json.map { Data($0.utf8) })
        }

        func byPerson(_ path: String, _ json: String) async throws -> WebAnswer {
            let url = await app.server.url(path)
            var nonce: String?
            while true {
                let proof = try app.proof(method: "POST", url: url, nonce: nonce, accessToken: access)
                let answer = try await app.web.post(
                    url, json: json, headers: ["Authorization": "DPoP \(access)", "DPoP": proof])
                guard answer.status == 401, nonce == nil, let asked = answer.header("dpop-nonce") else { return answer }
                nonce = asked
            }
        }

        /// A payment that the person agreed to by a code, and that was carried out.
        func pay() async throws {
            let operation =
                #""type":"TRANSFER","amount":{"value":"9000","currency":"EUR"},"payee":{"name":"Anna Verna","account":"DE02"}"#
            let asked = try await byBackend(
                "POST", "/v1/wallet-operations",
                #"{"walletOperationId":"op-1","accountId":"\#(try claim("sub"))","sessionId":"\#(try claim("sid"))",\#(operation)}"#
            )
            let event = try #require(asked.members["eventId"], "\(asked.text)")
            let way = #""walletOperationId":"op-1","verification":{"method":"OTP","channel":"EMAIL"}"#
            let challenged = try await byPerson("/v1/sca/events/\(event)/challenges", "{\(way)}")
            try #require(challenged.status == 200, "\(challenged.text)")
            let code = try await app.server.newestCode()
            let verified = try await byPerson("/v1/sca/events/\(event)/attempts", #"{\#(way),"value":"\#(code)"}"#)
            try #require(verified.members["status"] == "VERIFIED", "\(verified.text)")
            let consumed = try await byBackend(
                "POST", "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(event)",\#(operation)}"#)
            try #require(consumed.members["status"] == "AUTHORIZED", "\(consumed.text)")
        }
    }

    @Test(
        """
        Without server, database and network the program and an independent verifier agree that it holds; with one \
        character changed, or another server's keys, neither takes it
        """)
    func offline() async throws {
        let office = try TemporaryFolder()
        defer { office.remove() }
        let document = office.url.appending(path: "op-1.jws")
        let changed = office.url.appending(path: "changed.jws")
        try await withServer { server in
            let parties = try await Parties.meet(at: server)
            try await parties.pay()
            let answer = try await parties.byBackend("GET", "/v1/wallet-operations/op-1/evidence")
            try #require(answer.status == 200, "\(answer.text)")
            #expect(answer.header("content-type") == "application/wallet-operation-evidence+jwt")
            try answer.body.write(to: document)
            // A letter in the middle of what is signed.
            var bytes = Array(answer.body)
            bytes[bytes.count / 2] = bytes[bytes.count / 2] == 0x41 ? 0x42 : 0x41
            try Data(bytes).write(to: changed)
            try Data(try await server.require(["audit", "key"]).utf8)
                .write(to: office.url.appending(path: "keys.json"))
            let asked = try await server.require(["audit", "verify-evidence", document.path])
            #expect(asked.contains("The evidence holds"))
        }
        try await withServer { other in
            try Data(try await other.require(["audit", "key"]).utf8)
                .write(to: office.url.appending(path: "others.json"))
        }
        // Both servers are gone.
        let held = try await program(["op-1.jws", "--keys", "keys.json"], in: office.url)
        #expect(held.succeeded, "\(held.errors)")
        for said in [
            "90.00 EUR, to Anna Verna, account DE02", "by 2 categories", "pwd (knowledge)", "Status:  AUTHORIZED",
            "OTP/EMAIL",
        ] {
            #expect(held.output.contains(said), "\(said) is not in \(held.output)")
        }
        let agreed = try await independent(["op-1.jws", "keys.json"], in: office.url)
        #expect(agreed.succeeded && agreed.output.hasPrefix("HOLDS AUTHORIZED"), "\(agreed.output) \(agreed.errors)")
        for (file, keys) in [("changed.jws", "keys.json"), ("op-1.jws", "others.json")] {
            let refused = try await program([file, "--keys", keys], in: office.url)
            #expect(refused.ending == .exited(1), "\(file) with \(keys): \(refused.output)")
            #expect(refused.errors.contains("proves NOTHING"), "\(refused.errors)")
            let found = try await independent([file, keys], in: office.url)
            #expect(found.ending == .exited(1) && found.output.hasPrefix("FAULT"), "\(found.output) \(found.errors)")
        }
        let none = try await program(["missing.jws", "--keys", "keys.json"], in: office.url)
        #expect(none.errors.contains("missing.jws is not there"))
        let noKeys = try await program(["op-1.jws", "--keys", "op-1.jws"], in: office.url)
        #expect(noKeys.errors.contains("has no audit keys"))
    }

    private func program(_ arguments: [String], in folder: URL) async throws -> CommandResult {
        try await ChildProcess.run(Programs.walletauth, ["audit", "verify-evidence"] + arguments, folder: folder)
    }

    /// The independent verifier, which knows the format from the documentation alone.
    private func independent(_ arguments: [String], in folder: URL) async throws -> CommandResult {
        let script = Programs.repository.appending(path: "scripts/verify_evidence.py")
        return try await ChildProcess.run(Programs.python, [script.path] + arguments, folder: folder)
    }
}

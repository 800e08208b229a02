import Crypto
import Foundation
import TestSupport
import Testing

/// Two processes behind the proxies of Examples/Deployment.
@Suite(
    "Several processes behind a proxy", .threat("Guessing or stealing a device PIN"),
    .covers("behind HAProxy and nginx, without sticky sessions"), .onceForAllEngines)
struct ProxiedClusterTests {
    @Test(
        """
        A client signs in and refreshes, and both processes respond; a nonce of one is accepted by the other, and a \
        proof used at one is refused by the other
        """, arguments: ReverseProxy.Kind.allCases)
    func alternating(kind: ReverseProxy.Kind) async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        try await Cluster.use(kind, database: database.url) { cluster in
            let client = StandardClient(
                try await cluster.server.makePublicClient(), at: cluster.server, key: P256.Signing.PrivateKey())
            var tokens = try await client.signIn(try await cluster.server.makeAccount())
            for _ in 0..<8 {
                tokens = try client.tokens(await client.refresh(tokens.refresh, attempt: randomText(16)))
            }
            #expect(try await client.userInfo(tokens.access).status == 200)
            for server in cluster.servers {
                #expect(server.logText().contains("route=/oauth2/token"), "both have answered")
            }

            let (address, access) = (await cluster.server.url("/oauth2/userinfo"), tokens.access)
            func ask(_ server: RunningServer, _ proof: String) async throws -> WebAnswer {
                try await client.web.get(
                    await server.ownURL("/oauth2/userinfo"),
                    headers: ["Authorization": "DPoP \(access)", "DPoP": proof])
            }
            let asked = try await ask(
                cluster.servers[0],
                try client.proof(method: "GET", url: address, nonce: nil, accessToken: access))
            #expect(asked.status == 401)
            let nonce = try #require(asked.header("dpop-nonce"), "\(asked.text)")
            let proof = try client.proof(method: "GET", url: address, nonce: nonce, accessToken: access)
            #expect(try await ask(cluster.servers[1], proof).status == 200)
            for server in cluster.servers {
                #expect(try await ask(server, proof).status == 401, "attack: a proof that was seen at one of them")
            }
        }
    }

    @Test("A client that a command removes is refused by every process, as a rule within a second")
    func removedClient() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        try await Cluster.use(database: database.url) { cluster in
            let web = WebClient(ledger: cluster.server.ledger)
            @Sendable func status(_ backend: RegisteredClient, at server: RunningServer) async throws -> Int {
                let basic = "Basic " + Data("\(backend.id):\(backend.secret ?? "")".utf8).base64EncodedString()
                return try await web.post(
                    await server.ownURL("/oauth2/token"), form: ["grant_type": "client_credentials"],
                    headers: ["Authorization": basic]
                ).status
            }
            // A busy machine delays all of it, so one round within a second is the proof.
            var delays: [Duration] = []
            while delays.count < 20, delays.allSatisfy({ $0 >= .seconds(1) }) {
                let backend = try await cluster.server.makeConfidentialClient("backend-\(delays.count)")
                // From now on each knows it.
                for server in cluster.servers { #expect(try await status(backend, at: server) == 200) }
                try await cluster.server.require(["client", "delete", backend.id, "--yes"])
                let delay = try await runningTime {
                    for server in cluster.servers {
                        // Without the notice it would take a minute.
                        try await eventually("the client to be refused", within: .seconds(50)) {
                            try await status(backend, at: server) == 401
                        }
                    }
                }
                delays.append(delay)
            }
            #expect(delays.contains { $0 < .seconds(1) }, "\(delays)")
        }
    }

    @Test("attack: a thousand guesses of a PIN at once, at two processes: five are compared at most")
    func guesses() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        try await Cluster.use(database: database.url) { cluster in
            let server = cluster.server
            for pin in ["804613972558", "170395826641"] { server.ledger.enter(pin) }
            let app = try await server.makePublicClient()
            let person = try await server.makeReachableAccount("grace")
            let result = try await ChildProcess.run(
                Programs.python,
                [
                    Programs.peers.appending(path: "pin_client.py").path, "crowd", "--issuer",
                    await server.issuer.absoluteString, "--client", app.id, "--username", person.username,
                ], folder: server.folder, input: person.password + "\n", limit: Duration.patience * 4)
            #expect(result.succeeded, "\(result.output) \(result.errors.suffix(2_000))")
            for server in cluster.servers {
                #expect(server.logText().contains("route=/v1/pin/evaluate status=423"), "both were asked")
            }
        }
    }
}

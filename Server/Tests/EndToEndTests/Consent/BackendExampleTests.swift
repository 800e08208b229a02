import Foundation
import Synchronization
import TestSupport
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthWire

/// The backends of Examples/Backends, each run by its own language and called by the SDK.
@Suite("Backends in other languages", .onceForAllEngines)
struct BackendExampleTests {
    enum Language: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case python = "Python"
        case javaScript = "JavaScript"
        case go = "Go"

        var testDescription: String { rawValue }

        /// The languages that this machine has. `make test` installs Python and Node.
        static let here = allCases.filter { $0 != .go || program("go") != nil }

        /// A program of this machine.
        static func program(_ name: String) -> URL? {
            let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            return folders.map { URL(filePath: String($0)).appending(path: name) }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }

        /// What runs the example, and its words before the example's own.
        func command(in folder: URL) async throws -> (program: URL, arguments: [String]) {
            let examples = Programs.repository.appending(path: "Examples/Backends")
            switch self {
            case .python: return (Programs.python, [examples.appending(path: "backend.py").path])
            case .javaScript:
                let node = try #require(Self.program("node"), "install nodejs")
                return (node, [examples.appending(path: "backend.mjs").path])
            case .go:
                let built = folder.appending(path: "backend")
                let result = try await ChildProcess.run(
                    try #require(Self.program("go")),
                    ["build", "-o", built.path, examples.appending(path: "backend.go").path], folder: folder)
                try #require(result.succeeded, "\(result.errors)")
                return (built, [])
            }
        }
    }

    /// Keeps the requests to one server, as an eavesdropper would.
    private final class Wiretap: HTTPTransport {
        private let network: Network
        private let port: Int?
        private let heard = Mutex<[WalletAuth.HTTPRequest]>([])

        init(_ network: Network, to server: URL) {
            self.network = network
            port = server.port
        }

        var last: WalletAuth.HTTPRequest? { heard.withLock(\.last) }

        func send(_ request: WalletAuth.HTTPRequest) async throws -> WalletAuth.HTTPResponse {
            if request.url.port == port { heard.withLock { $0.append(request) } }
            return try await network.send(request)
        }
    }

    /// A running server with one of the backends, and a person who has signed in by two factors.
    private struct World: Sendable {
        let language: Language
        let server: RunningServer
        let wallet: Wallet
        let wiretap: Wiretap
        let payments: URL
        let app: RegisteredClient
        let command: (program: URL, arguments: [String])
        let environment: [String: String]

        static func use(_ language: Language, _ body: (World) async throws -> Void) async throws {
            try await withServer { server in
                let address = try #require(URL(string: "http://127.0.0.1:\(try FreePorts.next())"))
                let shop = try await server.makeConfidentialClient(
                    "shop", scope: "wallet_operations transactions", options: ["--transactions-without-account"])
                let app = try await server.makePublicClient(
                    options: ["--scope", "payments", "--resource", address.absoluteString])
                let person = try await server.makeReachableAccount("ada")
                let device = Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
                let keys = server.folder.appending(path: "audit-keys.json")
                try Data(try await server.require(["audit", "key"]).utf8).write(to: keys)
                let payments = address.appending(path: "payments")
                let wiretap = Wiretap(device.network, to: payments)
                let ports = device.ports
                let wallet = try device.wallet(
                    issuer: await server.issuer, client: app,
                    ports: Wallet.Ports(
                        transport: wiretap, store: ports.store, userAgent: ports.userAgent, keys: ports.keys,
                        presence: ports.presence, time: ports.time),
                    scopes: ["openid", "profile", "payments"])
                let asked = try await wallet.login(username: person.username, password: person.password).secondFactor()
                try await wallet.register(mfa: asked, answer: try await server.newestCode()).link.linked()
                try await body(
                    World(
                        language: language, server: server, wallet: wallet, wiretap: wiretap, payments: payments,
                        app: app, command: try await language.command(in: server.folder),
                        environment: [
                            "ISSUER": await server.issuer.absoluteString, "CLIENT_ID": shop.id,
                            "CLIENT_SECRET": shop.secret ?? "", "URL": address.absoluteString, "AUDIT_KEYS": keys.path,
                        ]))
            }
        }

        /// The wallet of another person, who has signed in as well.
        func another(_ username: String) async throws -> Wallet {
            let person = try await server.makeReachableAccount(username)
            let device = Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
            let wallet = try device.wallet(
                issuer: await server.issuer, client: app, scopes: ["openid", "profile", "payments"])
            let asked = try await wallet.login(username: person.username, password: person.password).secondFactor()
            try await wallet.register(mfa: asked, answer: try await server.newestCode()).link.linked()
            return wallet
        }

        /// Starts the example, and waits until it listens or prints its first line.
        func start(_ arguments: String...) async throws -> (process: ChildProcess, first: String) {
            let process = try ChildProcess(
                command.program, command.arguments + arguments, environment: environment, folder: server.folder,
                log: server.folder.appending(path: "backend.log"))
            let first = try await within(.patience, "the first line of the backend in \(language.rawValue)") {
                for await line in process.lines { return line }
                return ""
            } otherwise: {
                process.send(SIGKILL)
            }
            try #require(first.hasPrefix("http") || first.hasPrefix("ready at "), "backend.log says why: \(first)")
            return (process, first)
        }

        func payment(of cents: String, key: String, path: URL? = nil) -> URLRequest {
            var request = URLRequest(url: path ?? payments)
            request.httpMethod = "POST"
            request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(
                #"{"amount":{"value":"\#(cents)","currency":"EUR"},"payee":{"name":"Dune Bakery","account":"DE02120300000000202051"}}"#
                    .utf8)
            return request
        }

        /// Requests a payment, and submits the values that are made of the code by e-mail, in place of an app.
        func attempt(
            _ request: URLRequest, _ values: (_ code: String) -> [String] = { [$0] }
        ) async throws -> SCA.Required {
            let (data, response) = try await wallet.perform(request)
            let required = try #require(SCA.Required(data: data, response: response))
            _ = try await wallet.authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: .init(walletOperationID: required.walletOperationID, verification: .email))
            for value in values(try await server.newestCode()) {
                // The fifth wrong value is an error.
                _ = try? await wallet.authentication.submitSCAAttempt(
                    eventID: required.eventID,
                    request: .init(
                        walletOperationID: required.walletOperationID, verification: .email, value: value))
            }
            return required
        }

        /// What the backend says to a request that the SDK did not make.
        func answer(
            _ heard: WalletAuth.HTTPRequest, changing headers: [String: String?] = [:], at path: URL? = nil
        ) async throws -> WebAnswer {
            var fields = Dictionary(heard.headers.all.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            for (name, value) in headers {
                fields = fields.filter { $0.key.lowercased() != name }
                fields[name] = value
            }
            return try await WebClient(ledger: server.ledger).send(
                heard.method, path ?? heard.url, headers: fields, body: heard.body)
        }
    }

    @Test(
        "A payment is carried out once, after the person's code; sent again it is answered from the backend's record, and only the payer gets the evidence",
        arguments: Language.here)
    func pays(_ language: Language) async throws {
        try await World.use(language) { world in
            let backend = try await world.start(String(try #require(world.payments.port))).process
            let request = world.payment(of: "25000", key: "order-0042-5f1c9a7e")
            let (data, response) = try await world.wallet.perform(
                request,
                onSCA: { prompt in
                    #expect(prompt.operation.amount?.minorUnits == 25_000)
                    return .code(try await world.server.newestCode())
                })
            #expect(response.statusCode == 201, "\(String(decoding: data, as: UTF8.self))")
            let paid = try #require(JSONSerialization.jsonObject(with: data) as? [String: String])
            #expect(paid["status"] == "PAID")

            let (again, second) = try await world.wallet.perform(
                request,
                onSCA: { _ in
                    Issue.record("the person was asked again for what is paid")
                    return .refuse
                })
            #expect(second.statusCode == 200, "\(String(decoding: again, as: UTF8.self))")
            #expect(try JSONSerialization.jsonObject(with: again) as? [String: String] == paid)
            let (_, other) = try await world.wallet.perform(world.payment(of: "25001", key: "order-0042-5f1c9a7e"))
            #expect(other.statusCode == 422)

            let evidence = world.payments.appending(path: "\(paid["payment"] ?? "")/evidence")
            let (proof, found) = try await world.wallet.perform(URLRequest(url: evidence))
            #expect(found.statusCode == 200)
            // Another person's evidence is not found.
            let (_, hidden) = try await world.another("grace").perform(URLRequest(url: evidence))
            #expect(hidden.statusCode == 404)
            let file = world.server.folder.appending(path: "payment.jws")
            try proof.write(to: file)
            let told = try await world.server.require(["audit", "verify-evidence", file.path])
            #expect(told.contains("Dune Bakery"), "\(told)")
            // The operator gets the same without the backend.
            let own = try await world.server.require(["audit", "evidence", "--", paid["payment"] ?? ""])
            try Data(own.utf8).write(to: file)
            let same = try await world.server.require(["audit", "verify-evidence", file.path])
            #expect(same == told)
            let steps = try await world.server.require(["audit", "tail", "--operation", paid["payment"] ?? ""])
            #expect(steps.contains("operation.verified") && steps.contains("operation.authorized"), "\(steps)")
            backend.send(SIGTERM)
            _ = await backend.wait()
        }
    }

    @Test(
        "attack: a stolen token, a proof used again or for another address, and a consent for another amount pay nothing",
        .threat("forged, misdirected or doubled tokens"), arguments: Language.here)
    func refusesThieves(_ language: Language) async throws {
        try await World.use(language) { world in
            let backend = try await world.start(String(try #require(world.payments.port))).process
            let (_, asked) = try await world.wallet.perform(world.payment(of: "25000", key: "order-0043-5f1c9a7e"))
            #expect(asked.statusCode == 403)
            let heard = try #require(world.wiretap.last)
            let token = try #require(heard.headers["authorization"]?.split(separator: " ").last.map(String.init))
            let (_, found) = try await world.wallet.perform(
                URLRequest(url: world.payments.deletingLastPathComponent().appending(path: "me")))
            #expect(found.statusCode == 200)
            let read = try #require(world.wiretap.last)
            let evidence = world.payments.appending(path: String(repeating: "0", count: 64) + "/evidence")
            for (answer, code) in [
                (try await world.answer(heard), "invalid_dpop_proof"),
                (try await world.answer(read, at: evidence), "invalid_dpop_proof"),
                (try await world.answer(heard, changing: ["dpop": nil]), "invalid_dpop_proof"),
                (try await world.answer(heard, changing: ["dpop": "a.b.c"]), "invalid_dpop_proof"),
                (try await world.answer(heard, changing: ["authorization": "Bearer \(token)"]), "invalid_token"),
                (try await world.answer(heard, changing: ["authorization": "DPoP \(token)x"]), "invalid_token"),
                (try await world.answer(heard, changing: ["authorization": "DPoP a.b.c"]), "invalid_token"),
                (try await world.answer(heard, changing: ["authorization": nil]), "missing_token"),
            ] {
                #expect(answer.status == 401)
                #expect(answer.members["code"] == code)
                // RFC 6750 §3: the reason, except where no token was sent.
                let detail = try #require(answer.members["detail"])
                let challenges = answer.headers["www-authenticate"] ?? ""
                #expect(challenges.contains(#"DPoP algs="ES256""#) && challenges.contains("Bearer"), "\(challenges)")
                #expect(challenges.contains("error_description=\"\(detail)\"") == (code != "missing_token"))
            }

            // The person consents to one amount, and the app asks for another under the same key.
            let required = try await world.attempt(world.payment(of: "25000", key: "order-0044-5f1c9a7e"))
            func repeated(_ cents: String, key: String) throws -> URLRequest {
                var request = world.payment(of: cents, key: key)
                var body = try #require(
                    JSONSerialization.jsonObject(with: request.httpBody ?? Data()) as? [String: Any])
                body["scaDetails"] = [
                    "eventId": required.eventID, "walletOperationId": required.walletOperationID,
                ]
                request.httpBody = try JSONSerialization.data(withJSONObject: body)
                return request
            }
            for request in [
                try repeated("990000", key: "order-0044-5f1c9a7e"), try repeated("25000", key: "order-0045-5f1c9a7e"),
            ] {
                let (refusal, answer) = try await world.wallet.perform(request)
                #expect(answer.statusCode == 409)
                #expect(String(decoding: refusal, as: UTF8.self).contains("operation_changed"))
            }
            let (_, paid) = try await world.wallet.perform(repeated("25000", key: "order-0044-5f1c9a7e"))
            #expect(paid.statusCode == 201)
            backend.send(SIGTERM)
            _ = await backend.wait()
        }
    }

    @Test(
        "A request that starts over after the person's code pays, and one after five wrong codes stays refused",
        arguments: Language.here)
    func startsOver(_ language: Language) async throws {
        try await World.use(language) { world in
            let backend = try await world.start(String(try #require(world.payments.port))).process
            let agreed = world.payment(of: "25000", key: "order-0046-5f1c9a7e")
            _ = try await world.attempt(agreed)
            let (paid, response) = try await world.wallet.perform(agreed)
            #expect(response.statusCode == 201, "\(String(decoding: paid, as: UTF8.self))")

            let closed = world.payment(of: "25000", key: "order-0047-5f1c9a7e")
            _ = try await world.attempt(closed) { code in
                Array(repeating: code == "000000" ? "000001" : "000000", count: 5)
            }
            let (data, refused) = try await world.wallet.perform(closed)
            #expect(refused.statusCode == 409)
            #expect(String(decoding: data, as: UTF8.self).contains("operation_locked"))
            backend.send(SIGTERM)
            _ = await backend.wait()
        }
    }

    @Test(
        "A wrong client secret is no passing failure: the backend says what to check, and does not try again",
        arguments: Language.here)
    func wrongSecret(_ language: Language) async throws {
        try await World.use(language) { world in
            var environment = world.environment
            environment["CLIENT_SECRET"] = "wcs_of_another_client"
            let sale = try await ChildProcess.run(
                world.command.program, world.command.arguments + ["sell", "order-0042"], environment: environment,
                folder: world.server.folder)
            #expect(sale.ending == .exited(1))
            #expect(sale.errors.contains("credential_refused"), "\(sale.errors)")
            #expect(!sale.errors.contains("temporarily_unavailable"))
            #expect(sale.errors.components(separatedBy: "invalid_client").count == 2, "\(sale.errors)")
            #expect(sale.errors.contains("CLIENT_SECRET") && sale.errors.contains("walletauth client show"))
            environment["CLIENT_SECRET"] = ""
            let unset = try await ChildProcess.run(
                world.command.program, world.command.arguments + ["8801"], environment: environment,
                folder: world.server.folder)
            #expect(unset.ending == .exited(1))
            #expect(unset.errors.contains("set CLIENT_SECRET, as the first lines of"), "\(unset.errors)")
        }
    }

    @Test(
        "A sale is delivered on a proof that the phone signed it, and not where the person rejected it",
        arguments: Language.here)
    func sells(_ language: Language) async throws {
        try await World.use(language) { world in
            world.server.ledger.enter(TillWorld.pin)
            try await world.wallet.pin.set(TillWorld.pin)
            // A day passes.
            try await world.server.write("UPDATE devices SET cooling_until = 0")
            let sold = try await world.start("sell", "order-0042")
            let story = try await Signer().follow(try world.wallet.flows.start(with: sold.first))
            #expect(story.details?.payee?.name == "Café Zürich")
            #expect(story.words.last == "done")
            var proof = ""
            for await line in sold.process.lines { proof = line }
            #expect(await sold.process.wait() == .exited(0))
            let file = world.server.folder.appending(path: "sale.jws")
            try Data(proof.utf8).write(to: file)
            let told = try await world.server.require(["transaction", "verify", file.path])
            #expect(told.contains(#"payee: "Café Zürich""#), "\(told)")

            let rejected = try await world.start("sell", "order-0043")
            _ = try await Signer(confirms: { $0.reject(.unexpected) })
                .follow(try world.wallet.flows.start(with: rejected.first))
            var last = ""
            for await line in rejected.process.lines { last = line }
            #expect(last == "REJECTED")
            #expect(await rejected.process.wait() == .exited(1))

            // As if the audit key had been rotated since these were exported.
            let keys = URL(filePath: try #require(world.environment["AUDIT_KEYS"]))
            try Data(
                try String(contentsOf: keys, encoding: .utf8).replacing(#""kid":""#, with: #""kid":"former-"#).utf8
            ).write(to: keys)
            let unproved = try await world.start("sell", "order-0044")
            _ = try await Signer().follow(try world.wallet.flows.start(with: unproved.first))
            for await line in unproved.process.lines { last = line }
            #expect(last == "SIGNED")
            #expect(await unproved.process.wait() == .exited(1))
            let log = try String(
                contentsOf: world.server.folder.appending(path: "backend.log"), encoding: .utf8)
            #expect(log.contains("order-0043 was not signed (REJECTED)"), "\(log)")
            #expect(log.contains("which AUDIT_KEYS lacks. Run `walletauth audit key`"), "\(log)")
            #expect(!log.contains("Traceback") && !log.contains("    at "), "\(log)")
        }
    }
}

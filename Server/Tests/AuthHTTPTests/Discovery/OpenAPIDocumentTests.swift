import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Kernel
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The document that describes the endpoints", .covers("GET /openapi.json"))
struct OpenAPIDocumentTests {
    /// The document, as anyone gets it.
    private func document(
        in environment: ServerSettings.Environment = .sandbox, issuer: String = TestServer.issuer
    ) async throws -> JSONObject {
        var found: JSONObject?
        try await TestServer.use(issuer: issuer, environment: environment) { server in
            found = try await server.serve { client in
                let response = try await client.get(Endpoints.openAPI.path)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "application/json")
                return try JSONValue.object(
                    parsing: Array(response.body.readableBytesView), limits: JSONLimits(bytes: 1 << 20, depth: 64))
            }
        }
        return try #require(found)
    }

    @Test("It has every endpoint with its methods, and states the answers of each that is no page")
    func operations() async throws {
        let paths = try #require(try await document()["paths"]?.object)
        for endpoint in Endpoints.all where endpoint != Endpoints.openAPI {
            let path = try #require(paths[endpoint.path]?.object, "\(endpoint.path)")
            #expect(Set(path.names) == Set(endpoint.methods.map { $0.rawValue.lowercased() }))
        }
        try await TestServer.use { server in
            for route in try server.routes() where Endpoints.all.contains(where: { $0.path == route.path }) {
                if case .page = route.errorFormat { continue }
                #expect(route.contract != nil || route.path == Endpoints.openAPI.path, "\(route.method) \(route.path)")
            }
        }
    }

    @Test("Each reference leads to a schema")
    func references() async throws {
        let document = try await document()
        let schemas = try #require(document["components"]?.object?["schemas"]?.object)
        let references = Self.references(in: .object(document))
        #expect(references.count > 50)
        for reference in references {
            #expect(schemas[String(reference.dropFirst("#/components/schemas/".count))] != nil, "\(reference)")
        }
    }

    @Test("A message has its members with their limits, and a refusal its code")
    func content() async throws {
        let document = try await document()
        let schemas = try #require(document["components"]?.object?["schemas"]?.object)
        let request = try #require(schemas["WalletOperationRequest"]?.object)
        #expect(request["additionalProperties"] == false)
        #expect(request["required"] == ["walletOperationId", "accountId", "sessionId", "type"])
        let id = try #require(request["properties"]?.object?["walletOperationId"]?.object)
        #expect(id["minLength"] == 1 && id["maxLength"] == 64)
        #expect(schemas["Money"]?.object?["description"]?.string?.contains("minor unit") == true)
        let enrollment = try #require(schemas["DeviceEnrollmentRequest"]?.object)
        #expect(enrollment["required"] == ["name", "platform", "deviceKey", "challengeId", "proof"])
        let operation = try #require(
            document["paths"]?.object?["/v1/wallet-operations"]?.object?["post"]?.object)
        #expect(operation["security"] == [["backend": ["wallet_operations"]]])
        let conflict = try #require(operation["responses"]?.object?["409"]?.object?["description"]?.string)
        #expect(conflict.hasPrefix("Conflict:"))
        #expect(
            conflict.contains(
                "\n- `operation_exists`: You used this walletOperationId with another sessionId or other fields."))
    }

    @Test("What is created leads to the operations on it, by its id in the answer")
    func links() async throws {
        let paths = try #require(try await document()["paths"]?.object)
        func links(from path: String) throws -> JSONObject {
            let created = paths[path]?.object?["post"]?.object?["responses"]?.object?["201"]?.object
            return try #require(created?["links"]?.object, "\(path)")
        }
        let link: JSONValue = [
            "operationId": "getTransaction", "parameters": ["transactionId": "$response.body#/transactionId"],
        ]
        let transactions = try links(from: Endpoints.transactions.path)
        #expect(transactions["getTransaction"] == link)
        #expect(transactions["cancelTransaction"] != nil && transactions["getTransactionEvidence"] != nil)
        #expect(
            paths[Endpoints.transaction.path]?.object?["get"]?.object?["responses"]?.object?["200"]?.object?["links"]
                == nil)
    }

    /// The operations, each with its method and path.
    private func operations(of document: JSONObject) throws -> [(name: String, operation: JSONObject)] {
        try #require(document["paths"]?.object).members.flatMap { path in
            try #require(path.value.object).members.map {
                ("\($0.name) \(path.name)", try #require($0.value.object))
            }
        }
    }

    @Test("Each operation has an id of its own, a summary and a chapter that is described, and each answer a meaning")
    func names() async throws {
        let document = try await document()
        let chapters = try #require(document["tags"]?.array).compactMap { $0.object?["name"]?.string }
        var ids: Set<String> = []
        var used: Set<String> = []
        for (name, operation) in try operations(of: document) {
            let id = try #require(operation["operationId"]?.string, "\(name)")
            #expect(ids.insert(id).inserted, "\(id)")
            #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } && id.first?.isLowercase == true)
            let summary = try #require(operation["summary"]?.string, "\(name)")
            #expect(summary.first?.isUppercase == true && summary.last != "." && summary.count <= 80, "\(summary)")
            let tags = try #require(operation["tags"]?.strings, "\(name)")
            #expect(tags.count == 1 && chapters.contains(tags.first ?? ""), "\(name)")
            used.formUnion(tags)
            for response in try #require(operation["responses"]?.object).members {
                let description = response.value.object?["description"]?.string
                #expect(description?.first?.isLetter == true, "\(id) \(response.name)")
            }
        }
        #expect(used == Set(chapters))
        #expect(ids.isSuperset(of: ["createWalletOperation", "getTransactionEvidence", "getKeys"]))
    }

    @Test("Every operation has a success, and a type that many generators know comes first where there are two")
    func successes() async throws {
        for (name, operation) in try operations(of: try await document()) {
            let responses = try #require(operation["responses"]?.object)
            #expect(responses.names.contains { $0.hasPrefix("2") }, "\(name)")
            let types = responses["400"]?.object?["content"]?.object?.names ?? []
            #expect(types.count < 2 || types.first == Problem.contentType, "\(name)")
        }
    }

    @Test("The credentials of a call are those that the server asks for")
    func security() async throws {
        let document = try await document()
        let operations = try Dictionary(uniqueKeysWithValues: operations(of: document).map { ($0.name, $0.operation) })
        let expected: [String: JSONValue] = [
            "post /oauth2/token": [["client": []], [:]],
            "get /oauth2/userinfo": [["app": [], "proof": []], ["bearer": []]],
            "post /v1/wallet-operations": [["backend": ["wallet_operations"]]],
            "get /v1/devices": [["app": [], "proof": []]],
            "post /v1/pin/evaluate": [["device": []]],
            "get /health/live": [],
        ]
        for (name, security) in expected { #expect(operations[name]?["security"] == security, "\(name)") }
        let schemes = try #require(document["components"]?.object?["securitySchemes"]?.object)
        for (name, operation) in operations {
            for requirement in operation["security"]?.array ?? [] {
                for scheme in requirement.object?.names ?? [] { #expect(schemes[scheme] != nil, "\(name) \(scheme)") }
            }
        }
    }

    @Test("An answer has the headers that a client reads: a nonce for proofs, a wait, a challenge")
    func headers() async throws {
        let operations = try Dictionary(
            uniqueKeysWithValues: operations(of: try await document()).map { ($0.name, $0.operation) })
        func headers(_ name: String, _ status: String) -> [String]? {
            operations[name]?["responses"]?.object?[status]?.object?["headers"]?.object?.names
        }
        #expect(headers("post /oauth2/token", "200") == ["DPoP-Nonce"])
        #expect(headers("post /oauth2/token", "400") == ["DPoP-Nonce"])
        #expect(headers("post /oauth2/token", "401") == ["DPoP-Nonce", "WWW-Authenticate"])
        #expect(headers("post /oauth2/token", "503") == ["Retry-After"])
        #expect(headers("post /v1/wallet-operations", "429") == ["DPoP-Nonce", "Retry-After"])
        #expect(headers("post /oauth2/introspect", "200") == nil)
        let proof = operations["post /oauth2/token"]?["parameters"]?.array?.first?.object
        #expect(proof?["name"] == "DPoP" && proof?["required"] == false)
    }

    @Test("It says when a key against repetition is required, and that a refusal without a token has no content")
    func conditions() async throws {
        let path = try await document()["paths"]?.object?["/v1/transactions"]?.object
        let operation = try #require(path?["post"]?.object)
        let key = try #require(
            operation["parameters"]?.array?.compactMap(\.object).first { $0["name"] == "Idempotency-Key" })
        #expect(key["required"] == false)
        #expect(key["description"] == "Required if the body is a TransactionRequest")
        let refusal = operation["responses"]?.object?["401"]?.object?["description"]?.string
        #expect(refusal?.hasSuffix("Without content if the request has no token.") == true, "\(refusal ?? "")")
    }

    @Test("An endpoint states the refusals that it gives, and no sentence with a gap")
    func refusals() async throws {
        let operations = try operations(of: try await document())
        func codes(_ name: String) throws -> Set<String> {
            let responses = try #require(operations.first { $0.name == name }?.operation["responses"]?.object)
            return Set(
                ["400", "401"].compactMap { responses[$0]?.object?["description"]?.string }
                    .flatMap { $0.matches(of: /`(\w+)`/).map { String($0.output.1) } })
        }
        let ofGrants: Set = [
            "invalid_grant", "unsupported_grant_type", "unauthorized_client", "invalid_scope", "invalid_target",
        ]
        let ofProofs: Set = ["invalid_dpop_proof", "use_dpop_nonce"]
        let token = try codes("post /oauth2/token")
        #expect(token.isSuperset(of: ofGrants.union(ofProofs)) && !token.contains("unsupported_token_type"))
        let revoke = try codes("post /oauth2/revoke")
        #expect(revoke.isSuperset(of: ofProofs.union(["invalid_client", "unsupported_token_type"])))
        #expect(revoke.isDisjoint(with: ofGrants))
        let introspect = try codes("post /oauth2/introspect")
        #expect(introspect.isSuperset(of: ["invalid_request", "invalid_client"]))
        #expect(introspect.isDisjoint(with: ofGrants.union(ofProofs)))
        for (name, operation) in operations {
            for response in try #require(operation["responses"]?.object).members {
                let text = response.value.object?["description"]?.string ?? ""
                #expect(!text.contains(" .") && !text.contains(" ,") && !text.contains("``"), "\(name): \(text)")
            }
        }
    }

    @Test("Production serves it too, and the same")
    func production() async throws {
        let issuer = "https://auth.example.com"
        let (sandbox, production) = (
            try await document(issuer: issuer), try await document(in: .production, issuer: issuer)
        )
        #expect(sandbox == production)
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                if member.name == "$ref", let text = member.value.string { return [text] }
                return references(in: member.value)
            }
        case .array(let elements): elements.flatMap { references(in: $0) }
        default: []
        }
    }
}

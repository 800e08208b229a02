import HTTPTypes
import Kernel
import SignIn
import WalletAuthWire
import Web

/// `GET /openapi.json`: the route table with the shapes of its messages, as OpenAPI 3.1.
struct OpenAPIEndpoint: Sendable {
    let document: OpenAPIDocument

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        var response = EndpointResponse.bytes(type: "application/json", await document.bytes)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    var routes: [Route] { [Route(.get, Endpoints.openAPI.path, .plain, from: .any, get)] }
}

/// The description of the routes. It is written when it is first asked for, since most servers never are.
actor OpenAPIDocument {
    private let routes: [Route]
    private let issuer: Issuer
    private let faults: FaultAnswers
    private let callers: CallerAnswers
    /// The named shapes so far.
    private var schemas: [String: WireShape] = [:]

    private(set) lazy var bytes: [UInt8] = document.bytes

    init(of routes: [Route], _ edge: Edge) {
        let listed = Set(Endpoints.all.map(\.path))
        // In an order of its own: the same bytes at every server.
        self.routes = routes.filter { listed.contains($0.path) }
            .sorted { ($0.path, $0.method.rawValue) < ($1.path, $1.method.rawValue) }
        issuer = edge.pages.issuer
        faults = edge.faults
        callers = CallerAnswers(faults: edge.faults, pins: PINAnswers(edge))
    }

    private var document: JSONObject {
        var paths = JSONObject()
        for route in routes {
            var path = paths[route.path]?.object ?? JSONObject()
            path[route.method.rawValue.lowercased()] = .object(operation(route))
            paths[route.path] = .object(path)
        }
        return JSONObject([
            "openapi": "3.1.0",
            "info": [
                "title": "walletauth", "version": "1",
                "description": """
                The endpoints of this server. docs/protocol.md of the project describes them; pages for browsers are listed \
                without their forms, which only their own buttons send.
                """,
                "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": .string(issuer.rawValue)]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(components()), "securitySchemes": .object(Self.securitySchemes(issuer, routes)),
            ],
        ])
    }

    /// The named shapes. Writing one may name others.
    private func components() -> JSONObject {
        var (written, names) = (JSONObject(), schemas.keys.sorted())
        while let name = names.first(where: { written[$0] == nil }) {
            written[name] = schemas[name].map { .object(schema(of: $0, isNamed: true)) }
            names = schemas.keys.sorted()
        }
        return written
    }
}

// MARK: - Operations

extension OpenAPIDocument {
    private func operation(_ route: Route) -> JSONObject {
        var operation = JSONObject()
        operation.set("operationId", Self.operationID(route))
        operation["tags"] = [.string(Self.tag(route.path))]
        guard let contract = route.contract?() else {
            operation["parameters"] = .array(Self.segments(of: route.path).map { .object(parameter($0)) })
            operation["responses"] = [
                "default": ["description": "A page for browsers, or a redirect", "content": ["text/html": [:]]]
            ]
            return operation
        }
        let parameters =
            Self.segments(of: route.path).map { parameter($0) }
            + contract.query.map { parameter($0.name, in: "query", $0.shape, isRequired: $0.isRequired) }
            + headers(route, contract)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters.map { .object($0) }) }
        if let body = contract.body, let described = requestBody(route, body) { operation["requestBody"] = described }
        operation["security"] = .array(Self.security(route, contract))
        operation["responses"] = .object(responses(route, contract))
        return operation
    }

    private func requestBody(_ route: Route, _ body: WireShape) -> JSONValue? {
        let type: String
        let isRequired: Bool
        switch route.body {
        case .none: return nil
        case .form: (type, isRequired) = ("application/x-www-form-urlencoded", true)
        case .formOrNothing, .formOrIgnored: (type, isRequired) = ("application/x-www-form-urlencoded", false)
        case .json: (type, isRequired) = ("application/json", true)
        }
        return ["required": .bool(isRequired), "content": [type: ["schema": .object(schema(of: body))]]]
    }

    private func headers(_ route: Route, _ contract: Contract) -> [JSONObject] {
        let isOfDevice = route.callers.contains(.device)
        var header = parameter(
            IdempotencyKey.headerName, in: "header", .of(IdempotencyKey.self), isRequired: isOfDevice)
        switch contract.repetition {
        case .none: if !isOfDevice { return [] }
        case .optional: break
        case .requiredWith(let body): header["description"] = .string("Required if the body is a \(body)")
        }
        return [header]
    }

    private func parameter(_ segment: String) -> JSONObject {
        parameter(segment, in: "path", .text(Self.forms[segment] ?? nil), isRequired: true)
    }

    private func parameter(_ name: String, in place: String, _ shape: WireShape, isRequired: Bool) -> JSONObject {
        JSONObject([
            "name": .string(name), "in": .string(place), "required": .bool(isRequired),
            "schema": .object(schema(of: shape)),
        ])
    }

    /// The forms of the variable segments.
    private static let forms: [String: TextForm] = [
        "brandIdentity": BrandID.form, "deviceId": DeviceID.form, "eventId": SCAEventID.form,
        "identityId": JoinedIdentityID.form, "providerId": ProviderID.form, "transactionId": TransactionID.form,
        "walletOperationId": WalletOperationID.form,
    ]

    private static func segments(of path: String) -> [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The word of a path by which endpoints belong together.
    private static func tag(_ path: String) -> String {
        String(path.split(separator: "/").first { $0 != "v1" } ?? "")
    }

    /// The method and the words of the path: `getTransactionsTransactionIdEvidence`.
    private static func operationID(_ route: Route) -> String {
        let words = route.path.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.filter { $0 != "v1" }
        return words.reduce(into: route.method.rawValue.lowercased()) { name, word in
            name += word.prefix(1).uppercased() + word.dropFirst()
        }
    }

    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}

// MARK: - Responses

extension OpenAPIDocument {
    /// What a status comes with: the shapes and codes for each media type.
    private struct Content {
        var shapes: [WireShape] = []
        var codes: Set<String> = []
    }

    private func responses(_ route: Route, _ contract: Contract) -> JSONObject {
        var found: [Int: [String: Content]] = [contract.status.code: [:]]
        let refusals = contract.refusals + faults.every(on: route) + callers.every(on: route)
        let type = contract.mediaType ?? route.mediaType
        if contract.answer != nil || type != "application/json" {
            found[contract.status.code] = [type: Content(shapes: contract.answer.map { [$0] } ?? [])]
        }
        for refusal in refusals { add(refusal, to: &found, route) }
        let empty = Set(refusals.filter { $0.headers[.contentType] == nil }.map(\.status.code))
        var responses = JSONObject()
        for (status, contents) in found.sorted(by: { $0.key < $1.key }) {
            var content = JSONObject()
            for (type, found) in contents.sorted(by: { $0.key < $1.key }) { content[type] = media(found) }
            let codes = contents.values.reduce(into: Set<String>()) { $0.formUnion($1.codes) }
            var description =
                switch status {
                case 201: "Created"
                case ..<400: "Done"
                default: codes.isEmpty ? "Refused" : codes.sorted().joined(separator: ", ")
                }
            if status == 401, !content.isEmpty, empty.contains(status) {
                description += ". Without content if the request has no token"
            }
            var response = JSONObject(["description": .string(description)])
            if !content.isEmpty { response["content"] = .object(content) }
            responses["\(status)"] = .object(response)
        }
        return responses
    }

    private func add(_ refusal: EndpointResponse, to found: inout [Int: [String: Content]], _ route: Route) {
        let status = refusal.status.code
        guard let type = refusal.headers[.contentType] else {
            found[status] = found[status] ?? [:]
            return
        }
        var content = found[status]?[type] ?? Content()
        let json = try? JSONValue.object(parsing: refusal.body)
        if let code = json?["code"]?.string ?? json?["error_code"]?.string ?? json?["error"]?.string
            ?? json?["errorCode"]?.string
        {
            content.codes.insert(code)
        }
        let shape = Self.errorShape(type, route)
        if !content.shapes.contains(shape) { content.shapes.append(shape) }
        found[status, default: [:]][type] = content
    }

    private static func errorShape(_ type: String, _ route: Route) -> WireShape {
        if type == Problem.contentType { return Problem.shape }
        return switch route.errorFormat {
        case .loyalty: LoyaltyFailure.shape
        case .oauth: InsufficientAuthorization.shape
        case .plain: .names(.anything)
        case .problem, .resource, .page: OAuthError.shape
        }
    }

    private func media(_ content: Content) -> JSONValue {
        guard let first = content.shapes.first else { return [:] }
        var schema = content.shapes.count == 1 ? schema(of: first) : self.schema(of: .either(content.shapes))
        if first == Problem.shape, content.shapes.count == 1, !content.codes.isEmpty {
            schema = JSONObject([
                "allOf": [.object(schema)],
                "properties": ["code": ["enum": .strings(content.codes.sorted())]],
            ])
        }
        return ["schema": .object(schema)]
    }
}

extension CallerAnswers {
    /// The answers to callers that a route refuses.
    fileprivate func every(on route: Route) -> [EndpointResponse] {
        route.callers.flatMap { caller -> [EndpointResponse] in
            switch caller {
            case .provedByContent: []
            case .device:
                [.staleNonce(""), .invalidCredentials, .deviceSuspended, .deviceDeactivated].map {
                    response(to: $0, .unknown)
                }
            case .app, .consentingApp, .backend:
                OAuthRefusal.all.map { .challenge($0, to: nil) }
                    + [.tokenMissing(), response(to: .unauthorizedClient, .unknown, on: route)]
            }
        }
    }
}

// MARK: - Schemas

extension OpenAPIDocument {
    /// The schema of a shape; a reference if it has a name.
    private func schema(of shape: WireShape, isNamed: Bool = false) -> JSONObject {
        switch shape {
        case .text(let form): return Self.schema(of: form)
        case .choice(let names): return JSONObject(["type": "string", "enum": .strings(names)])
        case .integer(let range):
            var schema = JSONObject(["type": "integer"])
            schema.set("minimum", range?.lowerBound)
            schema.set("maximum", range?.upperBound)
            return schema
        case .truth: return JSONObject(["type": "boolean"])
        case .date: return JSONObject(["type": "integer", "minimum": 0, "description": "seconds since 1970"])
        case .bytes(let length):
            var schema = JSONObject([
                "type": "string", "contentEncoding": "base64url", "pattern": "^[A-Za-z0-9_-]*$",
            ])
            schema.set("maxLength", length.map { Int64(($0.upperBound * 4 + 2) / 3) })
            return schema
        case .array(let element, let maximum):
            var schema = JSONObject(["type": "array", "items": .object(schema(of: element))])
            schema.set("maxItems", maximum.map { Int64($0) })
            return schema
        case .names(let element, let maximum):
            var schema = JSONObject(["type": "object", "additionalProperties": .object(schema(of: element))])
            schema.set("maxProperties", maximum.map { Int64($0) })
            return schema
        case .either(let shapes): return JSONObject(["anyOf": .array(shapes.map { .object(schema(of: $0)) })])
        case .anything: return JSONObject()
        case .object(let object):
            if let name = object.name, !isNamed {
                return JSONObject(["$ref": .string("#/components/schemas/\(component(name, shape))")])
            }
            return schema(of: object)
        }
    }

    private func schema(of object: WireObject) -> JSONObject {
        var properties = JSONObject()
        for member in object.members { properties[member.name] = .object(schema(of: member.shape)) }
        var schema = JSONObject(["type": "object", "properties": .object(properties)])
        schema.set("required", object.members.filter(\.isRequired).map(\.name))
        if !object.isOpen { schema["additionalProperties"] = false }
        return schema
    }

    /// The name of a shape among the components. Parts of several messages may have one name.
    private func component(_ name: String, _ shape: WireShape) -> String {
        let plain = Self.name(name)
        var candidate = plain
        var number = 1
        while let known = schemas[candidate], known != shape {
            number += 1
            candidate = "\(plain)\(number)"
        }
        schemas[candidate] = shape
        return candidate
    }

    /// The lengths of a form count bytes. Of text beyond ASCII they only bound the characters.
    private static func schema(of form: TextForm?) -> JSONObject {
        var schema = JSONObject(["type": "string"])
        guard let form else { return schema }
        let isASCII = form.pattern != nil
        schema.set("minLength", Int64(isASCII ? form.length.lowerBound : min(form.length.lowerBound, 1)))
        schema.set("maxLength", Int64(form.length.upperBound))
        schema.set("pattern", form.pattern)
        if case .own(_, let format?, _, _) = form { schema.set("format", format) }
        if case .uuid = form { schema.set("format", "uuid") }
        return schema
    }
}

// MARK: - Security

extension OpenAPIDocument {
    private static func security(_ route: Route, _ contract: Contract) -> [JSONValue] {
        if contract.authenticatesClient {
            // A client may also name itself in the form, with or without a secret or an assertion.
            return [["client": []], .object(JSONObject())]
        }
        return route.callers.flatMap { caller -> [JSONValue] in
            switch caller {
            case .app, .consentingApp: [["app": []]]
            case .backend(let scope): [["backend": [.string(scope)]]]
            case .device: [["device": []]]
            case .provedByContent: [.object(JSONObject())]
            }
        }
    }

    private static func securitySchemes(_ issuer: Issuer, _ routes: [Route]) -> JSONObject {
        var scopes = JSONObject()
        for case .backend(let scope) in routes.flatMap(\.callers) { scopes.set(scope, "Granted to the client") }
        return JSONObject([
            "app": [
                "type": "http", "scheme": "DPoP",
                "description":
                    "The access token of a person's session, with a proof of its key in the header DPoP (RFC 9449)",
            ],
            "backend": [
                "type": "oauth2",
                "flows": [
                    "clientCredentials": [
                        "tokenUrl": .string(issuer.url(path: Endpoints.token.path)), "scopes": .object(scopes),
                    ]
                ],
            ],
            "client": ["type": "http", "scheme": "basic", "description": "The id and the secret of a client"],
            "device": [
                "type": "apiKey", "in": "header", "name": "Wallet-Device-Signature",
                "description": "The device's signature over the request (docs/wpin-1.md)",
            ],
        ])
    }
}

extension JSONObject {
    fileprivate init(_ members: KeyValuePairs<String, JSONValue>) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}

import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// The description of the routes. It is written when it is first asked for, since most servers never are.
actor OpenAPIDocument {
    private let routes: [Route]
    private let issuer: Issuer
    private let base: Issuer
    private let faults: FaultAnswers
    private let callers: CallerAnswers
    /// The named shapes so far.
    private var schemas: [String: WireShape] = [:]

    private(set) lazy var bytes: [UInt8] = document.bytes

    init(of routes: [Route], at base: Issuer, _ edge: Edge) {
        let listed = Set(Endpoints.all.map(\.path))
        // In an order of its own: the same bytes at every server.
        self.routes = routes.filter { listed.contains($0.path) || $0.callers.contains(.administrator) }
            .sorted { ($0.path, $0.method.rawValue) < ($1.path, $1.method.rawValue) }
        issuer = edge.pages.issuer
        self.base = base
        faults = edge.faults
        callers = CallerAnswers(faults: edge.faults, pins: PINAnswers(edge))
    }

    /// Those that have an operation.
    private var chapters: [RouteDescription.Chapter] {
        let used = Set(routes.compactMap(\.description?.chapter))
        return RouteDescription.Chapter.allCases.filter { used.contains($0) }
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
                The endpoints of this server. docs/protocol.md of the project describes them, and docs/backend.md walks a \
                backend's developer through theirs.
                """,
                "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": .string(base.rawValue)]],
            "tags": .array(
                chapters.map {
                    ["name": .string($0.rawValue), "description": .string($0.summary)]
                }),
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
        if let description = route.description {
            operation["tags"] = [.string(description.chapter.rawValue)]
            operation.set("operationId", description.id)
            operation.set("summary", description.summary)
        }
        guard let contract = route.contract?() else {
            operation["parameters"] = .array(Self.segments(of: route.path).map { .object(parameter($0)) })
            let page: JSONValue = ["text/html": ["schema": ["type": "string"]]]
            operation["responses"] = [
                "200": ["description": "The page", "content": page],
                "default": ["description": "A redirect, or a page that says what is wrong", "content": page],
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
        case .scim: (type, isRequired) = (SCIMFailure.mediaType, true)
        }
        return ["required": .bool(isRequired), "content": [type: ["schema": .object(schema(of: body))]]]
    }

    private func headers(_ route: Route, _ contract: Contract) -> [JSONObject] {
        let isOfDevice = route.callers.contains(.device)
        var headers: [JSONObject] = []
        if contract.proof == .key || contract.proof == .clientAndKey {
            var proof = parameter("DPoP", in: "header", .text(nil), isRequired: false)
            proof.set("description", "A proof of the key that the tokens are bound to (RFC 9449)")
            headers.append(proof)
        }
        var key = parameter(IdempotencyKey.headerName, in: "header", .of(IdempotencyKey.self), isRequired: isOfDevice)
        switch contract.repetition {
        case .none: if !isOfDevice { return headers }
        case .optional: key.set("description", "A repetition with the same key and content gets the same answer")
        case .refused: key.set("description", "A key makes one change: a repetition within 24 hours is refused")
        case .requiredWith(let body): key["description"] = .string("Required if the body is a \(body)")
        }
        return headers + [key]
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

    /// The name of a type: `TransactionPageOfDeviceTransaction`.
    private static func name(_ text: String) -> String {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "Of")
    }
}

// MARK: - Responses

extension OpenAPIDocument {
    /// What a status comes with.
    private struct Answer {
        /// The shapes and codes of one media type.
        struct Content {
            var shapes: [WireShape] = []
            var codes: Set<String> = []
        }

        /// The reason phrase of HTTP.
        var phrase = ""
        var contents: [String: Content] = [:]
        /// The codes, with what each says to developers.
        var reasons: [String: [String]] = [:]
        var headers: Set<HTTPField.Name> = []
        /// Whether there is one without content.
        var isEmpty = false
    }

    private func responses(_ route: Route, _ contract: Contract) -> JSONObject {
        var success = Answer()
        let type = contract.mediaType ?? route.mediaType
        if contract.answer != nil || type != "application/json" {
            success.contents[type] = Answer.Content(shapes: contract.answer.map { [$0] } ?? [])
        }
        var found = [contract.status.code: success]
        for refusal in contract.refusals + callers.every(on: route) {
            add(refusal, to: &found, route, isExplained: true)
        }
        for fault in faults.every(on: route) { add(fault, to: &found, route, isExplained: false) }
        var responses = JSONObject()
        for (status, answer) in found.sorted(by: { $0.key < $1.key }) {
            let isSuccess = status == contract.status.code
            var response = JSONObject()
            response.set("description", isSuccess ? contract.meaning : Self.description(of: answer))
            let headers = headers(of: answer, status, route, contract)
            if !headers.names.isEmpty { response["headers"] = .object(headers) }
            let content = content(of: answer, status, route)
            if !content.names.isEmpty { response["content"] = .object(content) }
            let links = isSuccess ? Self.links(from: route, contract, to: routes) : JSONObject()
            if !links.names.isEmpty { response["links"] = .object(links) }
            responses["\(status)"] = .object(response)
        }
        return responses
    }

    /// - Parameter isExplained: whether to show what the refusal says. Faults around an endpoint have names that say enough.
    private func add(_ refusal: EndpointResponse, to found: inout [Int: Answer], _ route: Route, isExplained: Bool) {
        let status = refusal.status.code
        var answer = found[status] ?? Answer()
        defer { found[status] = answer }
        if answer.phrase.isEmpty { answer.phrase = refusal.status.reasonPhrase }
        answer.headers.formUnion(refusal.headers.map(\.name))
        guard let type = refusal.headers[.contentType] else {
            answer.isEmpty = true
            return
        }
        var content = answer.contents[type] ?? Answer.Content()
        let json = try? JSONValue.object(parsing: refusal.body)
        if let code = json?["code"]?.string ?? json?["error_code"]?.string ?? json?["error"]?.string
            ?? json?["errorCode"]?.string
        {
            content.codes.insert(code)
            let reason = json?["detail"]?.string ?? json?["error_description"]?.string ?? json?["errorMessage"]?.string
            // A number in it is that of the sample.
            let shown = reason.flatMap { isExplained && !$0.isEmpty && !$0.contains(where: \.isNumber) ? $0 : nil }
            var reasons = answer.reasons[code] ?? []
            if let shown, !reasons.contains(shown) { reasons.append(shown) }
            answer.reasons[code] = reasons
        }
        let shape = Self.errorShape(type, route)
        if !content.shapes.contains(shape) { content.shapes.append(shape) }
        answer.contents[type] = content
    }

    private static func description(of answer: Answer) -> String {
        var text = answer.phrase.isEmpty ? "Refused" : answer.phrase
        if !answer.reasons.isEmpty {
            let codes = answer.reasons.sorted { $0.key < $1.key }.map { code, reasons in
                "\n- `\(code)`" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: " "))
            }
            text += ":\n" + codes.joined()
        }
        if answer.isEmpty, !answer.contents.isEmpty {
            text += "\n\nWithout content if the request has no token."
        }
        return text
    }

    private func headers(of answer: Answer, _ status: Int, _ route: Route, _ contract: Contract) -> JSONObject {
        var headers = JSONObject()
        let takesProof =
            switch contract.proof {
            case .key, .clientAndKey, .token: true
            case .nothing, .client: !route.callers.isEmpty
            }
        if takesProof, status < 500 {
            headers["DPoP-Nonce"] = [
                "description": "For the next proof (RFC 9449 §8)", "schema": ["type": "string"],
            ]
        }
        if answer.headers.contains(.retryAfter) {
            headers["Retry-After"] = [
                "description": "Seconds to wait before the next attempt", "schema": ["type": "integer", "minimum": 0],
            ]
        }
        if answer.headers.contains(.wwwAuthenticate) {
            headers["WWW-Authenticate"] = [
                "description": "The scheme to authenticate with, and what was wrong", "schema": ["type": "string"],
            ]
        }
        return headers
    }

    /// The media types of a status. A generator that knows one takes the first, so that is the likelier one: a problem, unless the
    /// caller is refused.
    private func content(of answer: Answer, _ status: Int, _ route: Route) -> JSONObject {
        var isProblemFirst = false
        if case .problem = route.errorFormat { isProblemFirst = status != 401 && status != 403 }
        let types = answer.contents.keys.sorted()
        let problems = types.filter { $0 == Problem.contentType }
        let others = types.filter { $0 != Problem.contentType }
        return (isProblemFirst ? problems + others : others + problems).reduce(into: JSONObject()) { content, type in
            content[type] = answer.contents[type].map { media(type, $0) }
        }
    }

    private static func errorShape(_ type: String, _ route: Route) -> WireShape {
        if type == Problem.contentType { return Problem.shape }
        return switch route.errorFormat {
        case .loyalty: LoyaltyFailure.shape
        case .oauth: InsufficientAuthorization.shape
        case .plain, .scim: .names(.anything)
        case .problem, .resource, .page: OAuthError.shape
        }
    }

    private func media(_ type: String, _ content: Answer.Content) -> JSONValue {
        guard let first = content.shapes.first else {
            let file: JSONValue =
                type == "image/png" ? ["type": "string", "format": "binary"] : ["type": "string"]
            return ["schema": file]
        }
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
        schema.set("description", object.note)
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

extension JSONObject {
    init(_ members: KeyValuePairs<String, JSONValue>) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}

internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
package import Web

/// Provisioning over HTTP, if it is configured.
///
/// This folder owns SCIM 2.0: a directory creates, changes, closes and erases the accounts of a brand (decision 181).
package enum ProvisioningFeature {
    package static func routes(_ edge: Edge, _ server: AuthorizationServer) -> [Route] {
        guard server.context.settings.scim else { return [] }
        let (context, issuer) = (server.context, edge.pages.issuer)
        let documents = UserDocuments(vault: AccountVault(context.sealing), issuer: issuer)
        return ProvisioningEndpoints(
            users: UserProvisioning(
                accounts: AccountAdministration(server.administration), documents: documents,
                isErasing: !context.settings.twoOperators),
            search: UserSearch(database: context.database, sealing: context.sealing, documents: documents),
            discovery: SCIMDiscovery(issuer: issuer, schemas: [.user])
        ).routes
    }
}

/// `/scim/v2`: every resource by two patterns, so that whatever is not there is answered as SCIM, too.
struct ProvisioningEndpoints: Sendable {
    let users: UserProvisioning
    let search: UserSearch
    let discovery: SCIMDiscovery
    /// A first synchronization makes an account with each call.
    let limits = CallLimits(callsPerMinute: 1_200)

    private static let schema = SCIMSchema.user
    private static let searchName = ".search"

    var routes: [Route] {
        let collection = UserDocuments.base + "/{type}"
        let element = collection + "/{id}"
        return [
            route(.get, collection), route(.post, collection, .scim),
            route(.put, collection, .scim), route(.patch, collection, .scim), route(.delete, collection),
            route(.get, element), route(.post, element, .scim), route(.put, element, .scim),
            route(.patch, element, .scim), route(.delete, element),
        ]
    }

    /// SCIM describes itself at `/Schemas`, so `/openapi.json` does not.
    private func route(_ method: HTTPRequest.Method, _ path: String, _ body: Route.Body = .none) -> Route {
        Route(
            method, path, body: body, .scim, gives: SCIMFailure.mediaType, by: .backend(Provisioner.scope)
        ) { request, caller in
            try await answer(request, caller)
        }
    }

    private func answer(_ request: EndpointRequest, _ caller: BackendCaller) async throws -> EndpointResponse {
        do {
            let provisioner = try Provisioner(caller)
            if let seconds = limits.heldBack(.backend(caller.client.id), now: provisioner.now) {
                throw SCIMFailure(
                    .tooManyRequests, "A client has \(limits.callsPerMinute) calls a minute.", retryAfter: seconds)
            }
            let list = try list(in: request)
            let isScan = list.map(UserSearch.isScan) ?? false
            let response = try await limits.run(by: .backend(caller.client.id), isScan: isScan) {
                if let list { return Self.ok(try await search.list(list, for: provisioner)) }
                return try await respond(to: request, for: provisioner)
            }
            guard let response else {
                throw SCIMFailure(.serviceUnavailable, "Other calls are running. Try again.", retryAfter: 1)
            }
            return response
        } catch let failure as SCIMFailure {
            return failure.response
        }
    }

    /// HEAD is the same without its content.
    private static func method(of request: EndpointRequest) -> HTTPRequest.Method {
        request.head.method == .head ? .get : request.head.method
    }

    /// What a call asks for that lists; `nil` for any other.
    private func list(in request: EndpointRequest) throws -> ListRequest? {
        let (type, id, method) = (request.pathText() ?? "", request.pathText(at: 1), Self.method(of: request))
        if type == Self.searchName || id == Self.searchName {
            guard id == nil || type == Self.schemaPath, type != Self.searchName || id == nil else {
                throw UserProvisioning.unknown
            }
            try Self.require(method, [.post])
            return try ListRequest(body(of: request), of: Self.schema)
        }
        guard type == Self.schemaPath, id == nil, method == .get else { return nil }
        return try ListRequest(request.query(), of: Self.schema)
    }

    private func respond(
        to request: EndpointRequest, for provisioner: Provisioner
    ) async throws -> EndpointResponse {
        let (type, id, method) = (request.pathText() ?? "", request.pathText(at: 1), Self.method(of: request))
        if type == Self.schemaPath {
            guard let id else { return try await collection(method, request, for: provisioner) }
            return try await element(id, method, request, for: provisioner)
        }
        let found = id.map { discovery.element($0, of: type) } ?? discovery.list(type)
        guard let found else { throw UserProvisioning.unknown }
        try Self.require(method, [.get])
        return Self.ok(found)
    }

    private static let schemaPath = String(schema.endpoint.dropFirst())

    private func collection(
        _ method: HTTPRequest.Method, _ request: EndpointRequest, for provisioner: Provisioner
    ) async throws -> EndpointResponse {
        try Self.require(method, [.get, .post])
        let selection = try Selection(request.query(), of: Self.schema)
        let resource = try Self.schema.all.checked(try body(of: request))
        let made = try await users.create(resource, for: provisioner)
        var response = Self.ok(made, selection, .created)
        response.headers[.location] = made["meta"]?.object?["location"]?.string
        return response
    }

    private func element(
        _ id: String, _ method: HTTPRequest.Method, _ request: EndpointRequest, for provisioner: Provisioner
    ) async throws -> EndpointResponse {
        let selection = try Selection(request.query(), of: Self.schema)
        let versions = VersionList(try request.headers.single(.ifMatch))
        switch method {
        case .get:
            let found = try await users.read(id, for: provisioner)
            guard VersionList(try request.headers.single(.ifNoneMatch))?.contains(found.version) != true else {
                return EndpointResponse(status: .notModified, headers: [.eTag: found.version])
            }
            return Self.ok(found, selection)
        case .put:
            let body = try body(of: request)
            let changed = try await users.change(id, ifMatch: versions, for: provisioner) {
                present throws(SCIMFailure) in
                // What it leaves out is not asserted (RFC 7644 §3.5.1), and stays: a number is perhaps the person's own.
                var (resource, removed) = (present, [SCIMAttribute]())
                let given = try Self.schema.all.checked(body) { removed.append($0) }
                for attribute in removed {
                    guard !attribute.isRequired else { throw attribute.missing }
                    resource[attribute.name] = nil
                }
                for member in given.members { resource[member.name] = member.value }
                return resource
            }
            return Self.ok(changed, selection)
        case .patch:
            let patch = try SCIMPatch(try body(of: request), of: Self.schema)
            let changed = try await users.change(id, ifMatch: versions, for: provisioner) {
                present throws(SCIMFailure) in try patch.applied(to: present)
            }
            return Self.ok(changed, selection)
        case .delete:
            try await users.erase(id, ifMatch: versions, for: provisioner)
            return EndpointResponse(status: .noContent)
        default:
            try Self.require(method, [.get, .put, .patch, .delete])
            throw UserProvisioning.unknown
        }
    }

    // MARK: - Requests and answers

    private func body(of request: EndpointRequest) throws(SCIMFailure) -> JSONObject {
        let json: JSONObject
        do { json = try request.json() } catch { throw SCIMFailure(.invalidSyntax, error.description) }
        // Names have no case (RFC 7643 §2.1).
        guard !json.hasDoubledName else {
            throw SCIMFailure(.invalidSyntax, "Two members have one name, in upper and lower case.")
        }
        return json
    }

    private static func require(
        _ method: HTTPRequest.Method, _ allowed: [HTTPRequest.Method]
    ) throws(RequestFault) {
        guard allowed.contains(method) else { throw .methodNotAllowed(allowed) }
    }

    private static func ok(
        _ resource: JSONObject, _ selection: Selection = Selection(), _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        var response = EndpointResponse.bytes(
            status, type: SCIMFailure.mediaType, selection.applied(to: resource).bytes)
        if !resource.version.isEmpty { response.headers[.eTag] = resource.version }
        return response
    }
}

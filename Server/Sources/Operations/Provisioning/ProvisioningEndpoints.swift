internal import Core
internal import HTTPTypes
internal import Kernel
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
        let (users, groups) = (
            UserDocuments(vault: AccountVault(context.sealing), issuer: issuer), GroupDocuments(issuer: issuer)
        )
        return ProvisioningEndpoints(
            users: UserProvisioning(
                accounts: AccountAdministration(server.administration), documents: users,
                search: UserSearch(database: context.database, sealing: context.sealing, documents: users),
                isErasing: !context.settings.twoOperators),
            groups: GroupProvisioning(
                merchants: MerchantAdministration(server.administration), documents: groups,
                search: GroupSearch(
                    database: context.database, cursors: ListCursors(context.sealing, label: "scim-groups"),
                    documents: groups)),
            issuer: issuer
        ).routes
    }
}

/// `/scim/v2`: every resource by two patterns, so that whatever is not there is answered as SCIM, too.
struct ProvisioningEndpoints: Sendable {
    let users: UserProvisioning
    let groups: GroupProvisioning
    let issuer: Issuer
    /// A first synchronization makes an account with each call.
    let limits = CallLimits(callsPerMinute: 1_200)

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
            let rootSearch = try rootSearch(in: request, for: provisioner)
            let resources = try resources(in: request, for: provisioner)
            let list = try resources.flatMap { try self.list($0, in: request) }
            let isScan = rootSearch?.isScan ?? list.flatMap { list in resources.map { $0.isScan(list) } } ?? false
            let response = try await limits.run(by: .backend(caller.client.id), isScan: isScan) {
                if let rootSearch { return Self.ok(try await rootSearch.answer(for: provisioner)) }
                guard let resources else { return try describe(request, for: provisioner) }
                if let list { return Self.ok(try await resources.search.list(list, for: provisioner)) }
                return try await respond(to: request, with: resources, for: provisioner)
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

    /// The resources that a call is about; `nil` for what the server says of itself.
    private func resources(
        in request: EndpointRequest, for provisioner: Provisioner
    ) throws(SCIMFailure) -> (any SCIMResources)? {
        switch "/" + (request.pathText() ?? "") {
        case users.schema.endpoint: return users
        case groups.schema.endpoint:
            guard provisioner.hasGroups else {
                throw SCIMFailure(
                    .forbidden, "The client's registration lacks the scope \(Provisioner.groupsScope).")
            }
            return groups
        default: return nil
        }
    }

    /// `nil` for any other call.
    private func rootSearch(in request: EndpointRequest, for provisioner: Provisioner) throws -> RootSearch? {
        guard request.pathText() == Self.searchName, request.pathText(at: 1) == nil else { return nil }
        try Self.require(Self.method(of: request), [.post])
        return try RootSearch(body(of: request), of: provisioner.hasGroups ? [users, groups] : [users])
    }

    /// What a call asks for that lists; `nil` for any other.
    private func list(_ resources: any SCIMResources, in request: EndpointRequest) throws -> ListRequest? {
        let (id, method) = (request.pathText(at: 1), Self.method(of: request))
        if id == Self.searchName {
            try Self.require(method, [.post])
            return try ListRequest(body(of: request), of: resources.schema)
        }
        return id == nil && method == .get ? try ListRequest(request.query(), of: resources.schema) : nil
    }

    private func describe(
        _ request: EndpointRequest, for provisioner: Provisioner
    ) throws -> EndpointResponse {
        let (type, id) = (request.pathText() ?? "", request.pathText(at: 1))
        let discovery = SCIMDiscovery(issuer: issuer, schemas: provisioner.hasGroups ? [.user, .group] : [.user])
        let found = id.map { discovery.element($0, of: type) } ?? discovery.list(type)
        guard let found else { throw UserProvisioning.unknown }
        try Self.require(Self.method(of: request), [.get])
        return Self.ok(found)
    }

    private func respond(
        to request: EndpointRequest, with resources: any SCIMResources, for provisioner: Provisioner
    ) async throws -> EndpointResponse {
        let (method, schema) = (Self.method(of: request), resources.schema)
        let selection = try Selection(request.query(), of: schema)
        guard let id = request.pathText(at: 1) else {
            try Self.require(method, [.get, .post])
            let resource = try schema.all.checked(try body(of: request))
            let made = try await resources.create(resource, for: provisioner)
            var response = Self.ok(made, selection, .created)
            response.headers[.location] = made["meta"]?.object?["location"]?.string
            return response
        }
        let versions = VersionList(try request.headers.single(.ifMatch))
        switch method {
        case .get:
            let found = try await resources.read(id, for: provisioner)
            guard VersionList(try request.headers.single(.ifNoneMatch))?.contains(found.version) != true else {
                return EndpointResponse(status: .notModified, headers: [.eTag: found.version])
            }
            return Self.ok(found, selection)
        case .put:
            let body = try body(of: request)
            return Self.ok(
                try await resources.replace(id, with: body, ifMatch: versions, for: provisioner), selection)
        case .patch:
            let patch = try SCIMPatch(try body(of: request), of: schema)
            return Self.ok(try await resources.patch(id, patch, ifMatch: versions, for: provisioner), selection)
        case .delete:
            try await resources.remove(id, ifMatch: versions, for: provisioner)
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

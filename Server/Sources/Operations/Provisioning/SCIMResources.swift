internal import WalletAuthWire
internal import Web

/// What directories do with the resources of one type.
protocol SCIMResources: Sendable {
    associatedtype Search: SCIMSearch

    var schema: SCIMSchema { get }
    var search: Search { get }

    func read(_ id: String, for provisioner: Provisioner) async throws -> JSONObject
    /// - Parameter resource: with members that fit the schema.
    func create(_ resource: JSONObject, for provisioner: Provisioner) async throws -> JSONObject
    /// What a body leaves out is not asserted (RFC 7644 §3.5.1), and stays: a number is perhaps the person's own.
    /// - Parameter versions: what the request allows, in `If-Match`; `nil` for any.
    func replace(
        _ id: String, with body: JSONObject, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject
    func patch(
        _ id: String, _ patch: SCIMPatch, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject
    func remove(_ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner) async throws
}

extension SCIMResources {
    /// Whether a list reads so much that one runs at a time.
    func isScan(_ request: ListRequest) -> Bool { Search.isScan(request) }
}

extension UserProvisioning: SCIMResources {
    var schema: SCIMSchema { .user }

    func replace(
        _ id: String, with body: JSONObject, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject {
        try await change(id, ifMatch: versions, for: provisioner) { present throws(SCIMFailure) in
            var (resource, removed) = (present, [SCIMAttribute]())
            let given = try SCIMSchema.user.all.checked(body) { removed.append($0) }
            for attribute in removed {
                guard !attribute.isRequired else { throw attribute.missing }
                resource[attribute.name] = nil
            }
            for member in given.members { resource[member.name] = member.value }
            return resource
        }
    }

    func patch(
        _ id: String, _ patch: SCIMPatch, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject {
        try await change(id, ifMatch: versions, for: provisioner) { present throws(SCIMFailure) in
            try patch.applied(to: present)
        }
    }
}

extension GroupProvisioning: SCIMResources {
    var schema: SCIMSchema { .group }

    func replace(
        _ id: String, with body: JSONObject, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject {
        var removed: [SCIMAttribute] = []
        let given = try SCIMSchema.group.all.checked(body) { removed.append($0) }
        return try await change(id, ifMatch: versions, for: provisioner) { [removed] group throws(SCIMFailure) in
            try group.apply(given, removing: removed)
        }
    }

    func patch(
        _ id: String, _ patch: SCIMPatch, ifMatch versions: VersionList?, for provisioner: Provisioner
    ) async throws -> JSONObject {
        try await change(id, ifMatch: versions, for: provisioner) { group throws(SCIMFailure) in
            try group.apply(patch)
        }
    }
}

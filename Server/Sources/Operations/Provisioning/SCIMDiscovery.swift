internal import WalletAuthWire

/// What this server says of its SCIM (RFC 7643 §5 to §7, RFC 7644 §4).
struct SCIMDiscovery: Sendable {
    let issuer: Issuer
    let schemas: [SCIMSchema]

    /// A collection; `nil` if there is none of this name.
    func list(_ type: String) -> JSONObject? {
        switch type {
        case "ServiceProviderConfig": return configuration
        case "ResourceTypes": return list(schemas.map(resourceType))
        case "Schemas": return list(schemas.map(schema))
        default: return nil
        }
    }

    /// One of a collection.
    func element(_ id: String, of type: String) -> JSONObject? {
        switch type {
        case "ResourceTypes": return schemas.first { $0.name == id }.map(resourceType)
        case "Schemas": return schemas.first { $0.id == id }.map(schema)
        default: return nil
        }
    }

    private func list(_ resources: [JSONObject]) -> JSONObject {
        var json = JSONObject()
        json.set("schemas", ["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
        json.set("totalResults", Int64(resources.count))
        json.set("startIndex", 1)
        json.set("itemsPerPage", Int64(resources.count))
        json["Resources"] = .array(resources.map(JSONValue.object))
        return json
    }

    private func meta(_ type: String, _ place: String) -> JSONValue {
        [
            "resourceType": .string(type),
            "location": .string("\(issuer.rawValue)\(UserDocuments.base)/\(place)"),
        ]
    }

    private func resourceType(_ schema: SCIMSchema) -> JSONObject {
        JSONObject([
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], "id": .string(schema.name),
            "name": .string(schema.name), "description": .string(schema.description),
            "endpoint": .string(schema.endpoint), "schema": .string(schema.id), "schemaExtensions": [],
            "meta": meta("ResourceType", "ResourceTypes/\(schema.name)"),
        ])
    }

    private func schema(_ schema: SCIMSchema) -> JSONObject {
        JSONObject([
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .string(schema.id),
            "name": .string(schema.name), "description": .string(schema.description),
            "attributes": .array(schema.attributes.map { .object($0.json) }),
            "meta": meta("Schema", "Schemas/\(schema.id)"),
        ])
    }

    private var configuration: JSONObject {
        JSONObject([
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": ["supported": true],
            "bulk": ["supported": false, "maxOperations": 0, "maxPayloadSize": 0],
            "filter": ["supported": true, "maxResults": .integer(Int64(ListRequest.mostCount))],
            "changePassword": ["supported": false], "sort": ["supported": false], "etag": ["supported": true],
            "pagination": [
                "cursor": true, "index": true, "defaultPaginationMethod": "index",
                "defaultPageSize": .integer(Int64(ListRequest.defaultCount)),
                "maxPageSize": .integer(Int64(ListRequest.mostCount)),
                "cursorTimeout": .integer(ListCursors.lifetime.components.seconds),
            ],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "OAuth 2.0", "primary": true,
                    "description": """
                    A token of the client credentials grant (RFC 6749) with the scope scim, as a bearer token or bound to a \
                    key by DPoP.
                    """,
                    "specUri": "https://www.rfc-editor.org/rfc/rfc6750",
                ]
            ],
            "meta": meta("ServiceProviderConfig", "ServiceProviderConfig"),
        ])
    }
}

extension JSONObject {
    fileprivate init(_ members: KeyValuePairs<String, JSONValue>) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}

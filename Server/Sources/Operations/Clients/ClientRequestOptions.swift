internal import ArgumentParser

/// How a client that is registered brings its authorization requests.
struct ClientRequestOptions: ParsableArguments, Sendable {
    @Flag(help: "Browsers bring its authorization requests by reference only, after it has pushed them (RFC 9126).")
    var requirePar = false

    @Flag(help: "Its authorization requests are objects signed with a key of its --jwks (RFC 9101).")
    var requireSignedRequests = false

    @Flag(help: "The FAPI 2.0 profile, with private_key_jwt: pushed requests, tokens bound to a key, no RS256.")
    var fapi = false

    @Option(
        name: .customLong("authorization-details-type"),
        help: ArgumentHelp(
            "What it may ask a person for besides scopes (RFC 9396): payment_initiation; may be repeated.",
            valueName: "type"))
    var authorizationDetailsTypes: [String] = []

    @Option(
        name: .customLong("metadata-host"),
        help: ArgumentHelp(
            """
            A host whose apps may sign people in with this client's scopes and resources, such as MCP clients: their client_id is \
            the address of their description there. May be repeated.
            """, valueName: "host")
    )
    var metadataHosts: [String] = []
}

/// Changes to how a client brings its authorization requests.
struct ClientRequestChange: ParsableArguments, Sendable {
    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether browsers bring its authorization requests by reference only, after it has pushed them (RFC 9126).")
    var requirePar: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its authorization requests are objects signed with a key of its --jwks (RFC 9101).")
    var requireSignedRequests: Bool?

    @Flag(inversion: .prefixedNo, help: "The FAPI 2.0 profile: pushed requests, tokens bound to a key, no RS256.")
    var fapi: Bool?

    @Option(
        name: .customLong("add-authorization-details-type"),
        help: ArgumentHelp(
            "Add what it may ask a person for besides scopes (RFC 9396): payment_initiation; may be repeated.",
            valueName: "type"))
    var addedAuthorizationDetailsTypes: [String] = []

    @Option(
        name: .customLong("remove-authorization-details-type"),
        help: ArgumentHelp("Remove such a type; sessions keep what was granted. May be repeated.", valueName: "type"))
    var removedAuthorizationDetailsTypes: [String] = []

    @Option(
        name: .customLong("add-metadata-host"),
        help: ArgumentHelp(
            "Add a host whose apps may sign people in with its scopes and resources; may be repeated.",
            valueName: "host"))
    var addedMetadataHosts: [String] = []

    @Option(
        name: .customLong("remove-metadata-host"),
        help: ArgumentHelp(
            "Remove such a host: its apps sign no one in, and cannot renew their sessions. May be repeated.",
            valueName: "host"))
    var removedMetadataHosts: [String] = []
}

/// Where the client id of this wallet comes from.
enum ClientSource: Sendable, Equatable {
    /// An option of the command.
    case option
    /// An environment variable.
    case variable
    /// The last sign-in, which a file in this folder remembers.
    case remembered(folder: String)

    /// The source in a message to the person.
    var name: String {
        switch self {
        case .option: "--client-id"
        case .variable: ConnectionOptions.clientVariable
        case .remembered(let folder): "the profile in \(folder)"
        }
    }

    /// How to return to the remembered client; nil if it is already in use.
    var undoing: String? {
        switch self {
        case .option: "omit --client-id"
        case .variable: "unset \(ConnectionOptions.clientVariable)"
        case .remembered: nil
        }
    }
}

extension Failure {
    /// Refusals that read as if nothing were set up here, although only the client is different.
    private static let codesOfClient: Set = [
        "signed_out", "device_not_enrolled", "no_such_account", "pin_not_set", "no_device_token", "invalid_client",
        "unauthorized_client", "invalid_scope",
    ]

    /// The failure, extended with advice for returning to the client this wallet last used, if the command named
    /// another one.
    func named(at place: Place) -> Failure {
        guard let remembered = place.rememberedClient, let client = place.client, client != remembered,
            let source = place.clientNamedBy, let undoing = source.undoing, Self.codesOfClient.contains(code)
        else { return self }
        var failure = self
        let naming = "the client \"\(client)\" (from \(source.name))"
        if !message.contains(source.name) { failure.message += ", as \(naming)" }
        failure.advice =
            "this wallet was last used as \"\(remembered)\": \(undoing) to keep using that client; or \(advice)"
        return failure
    }

    /// The client to sign out is not signed in, but another one is.
    /// - Parameter client: the client that is signed in.
    init(notSigningOut client: String, at place: Place) {
        let naming = place.clientNamedBy.map { " (from \($0.name))" } ?? ""
        self.init(
            code: "signed_in_otherwise",
            message: "the client \"\(place.client ?? "")\"\(naming) is not signed in, but \"\(client)\" is",
            advice: "sign it out first with: wallet sign-out --client-id \(client)")
    }
}

/// Where the client was named that this wallet is at the server.
enum ClientSource: Sendable, Equatable {
    /// By an option of the command.
    case option
    /// By a variable of the environment.
    case variable
    /// By the last sign-in, which a file in this folder remembers.
    case remembered(folder: String)

    /// What a person knows it by.
    var name: String {
        switch self {
        case .option: "--client-id"
        case .variable: ConnectionOptions.clientVariable
        case .remembered(let folder): "what was remembered in \(folder)"
        }
    }

    /// How the client that the last sign-in remembered is meant again; nil where it is meant already.
    var undoing: String? {
        switch self {
        case .option: "leave --client-id out"
        case .variable: "unset \(ConnectionOptions.clientVariable)"
        case .remembered: nil
        }
    }
}

extension Failure {
    /// Refusals that read as if nothing had ever been set up here, where only the client is another one.
    private static let codesOfClient: Set = [
        "signed_out", "device_not_enrolled", "no_such_account", "pin_not_set", "no_device_token", "invalid_client",
        "unauthorized_client", "invalid_scope",
    ]

    /// The same, and where another client was named than the one that this wallet was last used as, how to go on as that one.
    func named(at place: Place) -> Failure {
        guard let remembered = place.rememberedClient, let client = place.client, client != remembered,
            let source = place.clientNamedBy, let undoing = source.undoing, Self.codesOfClient.contains(code)
        else { return self }
        var failure = self
        let naming = "the client \"\(client)\" (from \(source.name))"
        if !message.contains(source.name) { failure.message += ", as \(naming)" }
        failure.advice = "this wallet was last used as \"\(remembered)\": \(undoing) to go on as that; or \(advice)"
        return failure
    }

    /// A client was to be signed out that is not signed in, while another one is.
    /// - Parameter client: the one that is signed in.
    init(notSigningOut client: String, at place: Place) {
        let naming = place.clientNamedBy.map { " (from \($0.name))" } ?? ""
        self.init(
            code: "signed_in_otherwise",
            message: "the client \"\(place.client ?? "")\"\(naming) is not signed in, but \"\(client)\" is",
            advice: "sign that one out with: wallet sign-out --client-id \(client)")
    }
}

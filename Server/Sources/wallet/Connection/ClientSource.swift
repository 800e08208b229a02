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

/// Where the server of a command comes from if the wallet remembers another one.
enum ServerSource: Sendable {
    case option
    case variable

    /// The source in a message to the person.
    var name: String {
        switch self {
        case .option: "--issuer"
        case .variable: ConnectionOptions.issuerVariable
        }
    }

    /// How to return to the remembered server.
    var undoing: String {
        switch self {
        case .option: "omit \(name)"
        case .variable: "unset \(name)"
        }
    }
}

extension Failure {
    /// Refusals that read as if nothing were set up here, although only the client is different.
    private static let codesOfClient = codesOfSession.union([
        "invalid_client", "unauthorized_client", "invalid_scope",
    ])

    /// The same for the server. A sign-in at another one is meant, so what it refuses is not among them.
    private static let codesOfSession: Set = [
        "signed_out", "device_not_enrolled", "no_such_account", "pin_not_set", "no_device_token",
    ]

    /// The failure, extended with advice for returning to the server or the client this wallet last used, if the
    /// command named another one.
    func named(at place: Place) -> Failure { namingOptions(of: place).namedRemembered(at: place) }

    /// The failure with the server and the client that the command named, in its advice to sign in there.
    private func namingOptions(of place: Place) -> Failure {
        guard Self.codesOfSession.contains(code), place.serverNamedBy == .option, let server = place.server,
            server != place.rememberedServer, !advice.contains("--issuer")
        else { return self }
        let client = place.clientNamedBy == .option ? place.client.map { " --client-id \($0)" } ?? "" : ""
        var failure = self
        failure.advice = advice.replacing("wallet sign-in", with: "wallet sign-in --issuer \(server)\(client)")
        return failure
    }

    private func namedRemembered(at place: Place) -> Failure {
        if let remembered = place.rememberedServer, let server = place.server, server != remembered,
            let undoing = place.serverNamedBy?.undoing, Self.codesOfSession.contains(code)
        {
            var failure = self
            failure.advice =
                "this wallet was last used at \(remembered): \(undoing) to keep using that server; or \(advice)"
            return failure
        }
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

    /// The session to sign out does not exist, but another one does.
    /// - Parameter profile: the server and the client of the session that does.
    init(notSigningOut profile: Profile, at place: Place) {
        let client = profile.clientID
        guard profile.issuer == place.server else {
            let naming = place.serverNamedBy.map { " (from \($0.name))" } ?? ""
            self.init(
                code: "signed_in_otherwise",
                message: "no one is signed in at \(place.server ?? "")\(naming), but you are at \(profile.issuer)",
                advice: "sign out there with: wallet sign-out --issuer \(profile.issuer) --client-id \(client)")
            return
        }
        let naming = place.clientNamedBy.map { " (from \($0.name))" } ?? ""
        self.init(
            code: "signed_in_otherwise",
            message: "the client \"\(place.client ?? "")\"\(naming) is not signed in, but \"\(client)\" is",
            advice: "sign it out first with: wallet sign-out --client-id \(client)")
    }
}

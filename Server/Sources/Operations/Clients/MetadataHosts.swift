internal import Kernel
internal import Store
internal import WalletAuthWire

extension ClientRegistration {
    private static let mostMetadataHosts = 20

    /// Apps that describe themselves prove no more than a host: they are other parties' public clients, and get nothing that a registration
    /// would have to grant to one app.
    func checkMetadataHosts(_ method: RegisteredAuthenticationMethod) throws {
        guard !settings.metadataHosts.isEmpty else { return }
        for host in settings.metadataHosts where !ClientDocumentURL.isHost(host) {
            throw AdministrationRefusal(
                "\(CommandLineSyntax.quoted(host)) is no host: it is a domain in lower case such as app.example.com, with a "
                    + "port if it is not 443.", code: "malformed")
        }
        guard settings.metadataHosts.count <= Self.mostMetadataHosts else {
            throw AdministrationRefusal(
                "A client has at most \(Self.mostMetadataHosts) metadata hosts.", code: "too_many")
        }
        guard method == .none, !settings.firstParty, !settings.requiresMerchant, !settings.requiresPushedRequests,
            settings.redeemer == nil
        else {
            throw AdministrationRefusal(
                """
                Apps that describe themselves are other parties' public clients: --metadata-host cannot be combined with \
                --first-party, --confidential, --auth-method, --require-merchant, --require-par and --redeemer.
                """, code: "contradiction")
        }
    }
}

extension Clients {
    /// Refuses a host that another client lets in: which of the two counts would be chance.
    static func refuseTakenHosts(of client: RegisteredClient, on connection: any SQLConnection) throws {
        for host in client.settings.metadataHosts {
            guard let address = (try? ClientID("https://\(host)/app")).flatMap({ ClientDocumentURL($0) }),
                let other = try template(for: address, on: connection), other.id != client.id.rawValue
            else { continue }
            throw AdministrationRefusal(
                "Another client lets in the apps of \(host).", hint: "Leave out --metadata-host \(host).",
                code: "taken")
        }
    }
}

extension AdministrationRefusal {
    static func selfDescribed(_ id: String) -> AdministrationRefusal {
        AdministrationRefusal(
            "The app describes itself at \(id).",
            hint: "Change the client with its --metadata-host, or delete this one to keep the app out.",
            code: "contradiction")
    }
}

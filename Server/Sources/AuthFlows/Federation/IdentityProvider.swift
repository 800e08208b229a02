internal import AuthCore
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

/// How the server speaks with an OpenID provider, as the operator said it.
struct OpenIDSettings: Codable, Sendable, Hashable {
    /// The provider's issuer, to the letter.
    var issuer: Issuer
    /// The client that the server is there.
    var clientID: String
    /// How it proves itself at the token endpoint: `client_secret_basic`, `client_secret_post` or `none`.
    var authentication: String
    /// The claim that holds the e-mail address.
    var emailClaim: String
    /// The claim that says whether it is verified.
    var emailVerifiedClaim: String
    /// Whether the provider is believed that an address is verified.
    var trustsEmail: Bool
    /// Whether the provider lies in the operator's own network.
    var isInternal: Bool
    /// Whether a code by e-mail counts after its word; missing in what was added before that could be said.
    var countsEmail: Bool?
}

/// How the server asks the issuer's own user repository, as the operator said it.
struct RepositorySettings: Codable, Sendable, Hashable {
    /// The https URL that verifies a name and a password.
    var endpoint: WebURL
    /// Whether the repository is believed that an address is verified.
    var trustsEmail: Bool
    /// Whether the repository lies in the operator's own network.
    var isInternal: Bool
    /// Whether a code by e-mail counts after its word; missing in what was added before that could be said.
    var countsEmail: Bool?
}

/// An identity provider of a brand, read and opened.
struct IdentityProvider: Sendable {
    /// The kinds there are, with what each needs.
    enum Kind: Sendable {
        /// Any OpenID provider, found by discovery; with the client's secret there.
        case openID(OpenIDSettings, secret: ClientSecret?)
        /// The issuer's own user repository.
        case repository(RepositorySettings)

        /// The words in the store, and for the command line.
        static let openIDName = "oidc"
        static let repositoryName = "repository"

        /// The word in the store and the settings beside it, the same bytes whenever they are written.
        fileprivate func written() throws -> (name: String, settings: [UInt8]) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return switch self {
            case .openID(let settings, _): (Self.openIDName, Array(try encoder.encode(settings)))
            case .repository(let settings): (Self.repositoryName, Array(try encoder.encode(settings)))
            }
        }
    }

    let id: ProviderID
    let brand: BrandID
    let kind: Kind

    /// Whether it is believed that an e-mail address is verified.
    var trustsEmail: Bool {
        switch kind {
        case .openID(let settings, _): settings.trustsEmail
        case .repository(let settings): settings.trustsEmail
        }
    }

    /// Whether the operator says that its accounts and people's mailboxes are apart, so that a code by e-mail is a second factor
    /// after its word.
    var countsEmail: Bool {
        switch kind {
        case .openID(let settings, _): settings.countsEmail ?? false
        case .repository(let settings): settings.countsEmail ?? false
        }
    }

    /// Under which a subject of this provider is found again: by the provider's own identity, not by the name that the
    /// operator gave it, which may be given to another one day.
    func digest(of subject: String) -> [UInt8] {
        Digests.of("federated-identity", Array("\(own)\0\(subject)".utf8))
    }

    /// The provider's own identity.
    var own: String {
        switch kind {
        case .openID(let settings, _): "openid\0\(settings.issuer.rawValue)"
        case .repository(let settings): "repository\0\(settings.endpoint.rawValue)"
        }
    }

    /// Where it is.
    var place: String {
        switch kind {
        case .openID(let settings, _): settings.issuer.rawValue
        case .repository(let settings): settings.endpoint.rawValue
        }
    }

    /// Which addresses may be connected to for it: in the sandbox a provider may stand on this machine, and an operator may say
    /// that one lies in the own network.
    func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        let (host, isInternal): (String, Bool)
        switch kind {
        case .openID(let settings, _): (host, isInternal) = (settings.issuer.host, settings.isInternal)
        case .repository(let settings): (host, isInternal) = (settings.endpoint.host, settings.isInternal)
        }
        if isInternal { return .internalNetwork }
        let isHere = ["127.0.0.1", "[::1]", "localhost"].contains(host)
        return environment == .sandbox && isHere ? .loopback : .publicInternet
    }

    /// By which a provider is recognized as the one that it was, with all that the operator said of it save the secret.
    func registration() throws -> [UInt8] {
        let (name, settings) = try kind.written()
        return Digests.of("provider-registration", Array(name.utf8) + [0] + settings)
    }
}

extension IdentityProvider {
    /// Reads a row.
    /// - Parameters:
    ///   - record: the row.
    ///   - secret: the client's secret, opened; `nil` where there is none, or where it is not needed.
    /// - Throws: ``Damaged``, or what decoding throws where a row was damaged.
    init(_ record: IdentityProviderRecord, secret: ClientSecret?) throws {
        let settings = Data(record.settings.utf8)
        let kind: Kind =
            switch record.kind {
            case Kind.openIDName:
                .openID(try JSONDecoder().decode(OpenIDSettings.self, from: settings), secret: secret)
            case Kind.repositoryName: .repository(try JSONDecoder().decode(RepositorySettings.self, from: settings))
            default: throw Damaged(provider: record.id)
            }
        self.init(id: try ProviderID(record.id), brand: try BrandID(record.brandID), kind: kind)
    }

    /// A row that holds nothing that was put there.
    struct Damaged: Error {
        let provider: String
    }
}

/// Reads and keeps a brand's providers, their secrets sealed.
struct ProviderVault: Sendable {
    let context: ServerContext

    /// A brand's provider of a name; `nil` where there is none.
    /// - Throws: ``StoreError``, and what decoding throws where a row was damaged.
    func find(_ id: ProviderID, brand: BrandID) async throws -> IdentityProvider? {
        let record = try await context.database.read {
            try IdentityProviders.find(id.rawValue, brand: brand.rawValue, on: $0)
        }
        return try record.map(open)
    }

    func open(_ record: IdentityProviderRecord) throws -> IdentityProvider {
        let opened = try record.secret.map { sealed in
            let secret = context.open(sealed, for: .provider, context: Self.context(record.brandID, record.id))
            guard let secret else { throw IdentityProvider.Damaged(provider: record.id) }
            return try ClientSecret(String(decoding: secret, as: UTF8.self))
        }
        return try IdentityProvider(record, secret: opened)
    }

    func seal(_ provider: IdentityProvider, now: Timestamp) throws -> IdentityProviderRecord {
        let (name, settings) = try provider.kind.written()
        var sealed: [UInt8]?
        if case .openID(_, let secret?) = provider.kind {
            sealed = try context.seal(
                Array(secret.reveal().utf8), for: .provider,
                context: Self.context(provider.brand.rawValue, provider.id.rawValue))
        }
        return IdentityProviderRecord(
            brandID: provider.brand.rawValue, id: provider.id.rawValue, kind: name,
            settings: String(decoding: settings, as: UTF8.self), secret: sealed, createdAt: now)
    }

    private static func context(_ brand: String, _ id: String) -> String {
        "identity_providers|secret|\(brand)|\(id)"
    }
}

package import AuthCore
package import AuthStore
internal import Foundation
package import WalletAuthWire

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
    /// What hosted pages call it; `nil` where they do not show it.
    var pageName: String?
    /// Whether its authorization endpoint may forward the browser to other hosts; `nil` for no.
    var forwards: Bool?
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
package struct IdentityProvider: Sendable {
    /// The kinds there are, with what each needs.
    enum Kind: Sendable {
        /// Any OpenID provider, found by discovery; with the client's secret there.
        case openID(OpenIDSettings, secret: ClientSecret?)
        /// The issuer's own user repository.
        case repository(RepositorySettings)
        /// A vendor's service; with the row that describes it.
        case vendor(any VendorProvider, record: IdentityProviderRecord)

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
            case .vendor(_, let record): (record.kind, Array(record.settings.utf8))
            }
        }
    }

    package let id: ProviderID
    package let brand: BrandID
    let kind: Kind

    /// The vendor's provider that it is; `nil` for other kinds.
    package var vendor: (any VendorProvider)? {
        if case .vendor(let vendor, _) = kind { vendor } else { nil }
    }

    /// Whether it is believed that an e-mail address is verified.
    var trustsEmail: Bool {
        switch kind {
        case .openID(let settings, _): settings.trustsEmail
        case .repository(let settings): settings.trustsEmail
        case .vendor(let vendor, _): vendor.trustsEmail
        }
    }

    /// Whether the operator says that its accounts and people's mailboxes are apart, so that a code by e-mail is a second factor
    /// after its word.
    var countsEmail: Bool {
        switch kind {
        case .openID(let settings, _): settings.countsEmail ?? false
        case .repository(let settings): settings.countsEmail ?? false
        case .vendor(let vendor, _): vendor.countsEmail
        }
    }

    /// What hosted pages call it; `nil` where they do not show it.
    var pageName: String? {
        switch kind {
        case .openID(let settings, _): settings.pageName
        case .repository: nil
        case .vendor(let vendor, _): vendor.pageName
        }
    }

    /// Where it sends browsers back to.
    var callback: ProviderCallback { ProviderCallback(brand: brand, provider: id) }

    /// Whether its authorization endpoint may forward the browser to other origins before it shows a page.
    var forwards: Bool {
        if case .openID(let settings, _) = kind { settings.forwards ?? false } else { false }
    }

    /// Under which a subject of this provider is found again: by the provider's own identity, not by the name that the
    /// operator gave it, which may be given to another one day.
    package func digest(of subject: String) -> [UInt8] { Self.digest(of: subject, at: own) }

    /// The same for a vendor that has no ``IdentityProvider`` at hand.
    /// - Parameters:
    ///   - subject: the person's identifier at the service.
    ///   - kind: the word for the vendor.
    ///   - namespace: ``VendorProvider/namespace``.
    package static func digest(of subject: String, kind: String, namespace: String) -> [UInt8] {
        digest(of: subject, at: own(kind: kind, namespace: namespace))
    }

    private static func digest(of subject: String, at own: String) -> [UInt8] {
        Digests.of("federated-identity", Array("\(own)\0\(subject)".utf8))
    }

    private static func own(kind: String, namespace: String) -> String { "\(kind)\0\(namespace)" }

    /// The provider's own identity.
    var own: String {
        switch kind {
        case .openID(let settings, _): "openid\0\(settings.issuer.rawValue)"
        case .repository(let settings): "repository\0\(settings.endpoint.rawValue)"
        case .vendor(let vendor, let record): Self.own(kind: record.kind, namespace: vendor.namespace)
        }
    }

    /// Where it is.
    var place: String {
        switch kind {
        case .openID(let settings, _): settings.issuer.rawValue
        case .repository(let settings): settings.endpoint.rawValue
        case .vendor(let vendor, _): vendor.place
        }
    }

    /// Which addresses may be connected to for it: in the sandbox a provider may stand on this machine, and an operator may say
    /// that one lies in the own network.
    func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        let (host, isInternal): (String, Bool)
        switch kind {
        case .openID(let settings, _): (host, isInternal) = (settings.issuer.host, settings.isInternal)
        case .repository(let settings): (host, isInternal) = (settings.endpoint.host, settings.isInternal)
        case .vendor(let vendor, _): (host, isInternal) = ((try? WebURL(vendor.place))?.host ?? "", false)
        }
        if isInternal { return .internalNetwork }
        return .outside(to: host, in: environment)
    }

    /// By which a provider is recognized as the one that it was, with all that the operator said of it save the secret.
    package func registration() throws -> [UInt8] {
        let (name, settings) = try kind.written()
        return Digests.of("provider-registration", Array(name.utf8) + [0] + settings)
    }
}

extension IdentityProvider {
    /// What keeps a vendor's grant with an identity, in the write that links the identity, signs in by it or lets a guest in.
    func keeping(
        _ grant: VendorGrant, of identity: [UInt8], in context: ServerContext, now: Timestamp
    ) -> @Sendable (any SQLConnection) throws -> Void {
        let call = VendorContext(context: context, provider: id, brand: brand, now: now)
        return { [vendor] connection in try vendor?.keep(grant, of: identity, call: call, on: connection) }
    }
}

extension IdentityProvider {
    /// Reads a row.
    /// - Parameters:
    ///   - record: the row.
    ///   - secret: the secret, opened; `nil` where there is none, or where it is not needed.
    ///   - vendors: the vendors that the server knows.
    /// - Throws: ``Damaged``, or what decoding throws where a row was damaged.
    init(_ record: IdentityProviderRecord, secret: [UInt8]?, vendors: ProviderVendors) throws {
        let settings = Data(record.settings.utf8)
        let kind: Kind =
            switch record.kind {
            case Kind.openIDName:
                .openID(
                    try JSONDecoder().decode(OpenIDSettings.self, from: settings),
                    secret: try secret.map { try ClientSecret(String(decoding: $0, as: UTF8.self)) })
            case Kind.repositoryName: .repository(try JSONDecoder().decode(RepositorySettings.self, from: settings))
            default:
                if let vendor = vendors[record.kind] {
                    .vendor(try vendor.provider(record, secret: secret), record: record)
                } else {
                    throw Damaged(provider: record.id)
                }
            }
        self.init(id: try ProviderID(record.id), brand: try BrandID(record.brandID), kind: kind)
    }

    /// A row that holds nothing that was put there.
    struct Damaged: Error {
        let provider: String
    }
}

/// Reads and keeps a brand's providers, their secrets sealed.
package struct ProviderVault: Sendable {
    let context: ServerContext

    /// - Parameter context: what all flows share.
    package init(context: ServerContext) { self.context = context }

    /// A brand's provider of a name; `nil` where there is none.
    /// - Throws: ``StoreError``, and what decoding throws where a row was damaged.
    package func find(_ id: ProviderID, brand: BrandID) async throws -> IdentityProvider? {
        let record = try await context.database.lookUp {
            try IdentityProviders.find(id.rawValue, brand: brand.rawValue, on: $0)
        }
        return try record.map(open)
    }

    package func open(_ record: IdentityProviderRecord) throws -> IdentityProvider {
        let opened = try record.secret.map { sealed in
            let secret = context.open(sealed, for: .provider, context: Self.context(record.brandID, record.id))
            guard let secret else { throw IdentityProvider.Damaged(provider: record.id) }
            return secret
        }
        return try IdentityProvider(record, secret: opened, vendors: context.vendors)
    }

    func seal(_ provider: IdentityProvider, now: Timestamp) throws -> IdentityProviderRecord {
        let (name, settings) = try provider.kind.written()
        var secret: [UInt8]?
        if case .openID(_, let clientSecret?) = provider.kind { secret = Array(clientSecret.reveal().utf8) }
        return try record(
            kind: name, id: provider.id, brand: provider.brand, settings: String(decoding: settings, as: UTF8.self),
            secret: secret, now: now)
    }

    /// A row for the store, its secret sealed.
    /// - Parameters:
    ///   - kind: the word for what kind of provider it is.
    ///   - id: what apps call it.
    ///   - brand: whose people may come by it.
    ///   - settings: JSON that the kind's own code reads.
    ///   - secret: what the server proves itself by; `nil` for nothing.
    ///   - now: the present.
    package func record(
        kind: String, id: ProviderID, brand: BrandID, settings: String, secret: [UInt8]?, now: Timestamp
    ) throws -> IdentityProviderRecord {
        IdentityProviderRecord(
            brandID: brand.rawValue, id: id.rawValue, kind: kind, settings: settings,
            secret: try secret.map {
                try context.seal($0, for: .provider, context: Self.context(brand.rawValue, id.rawValue))
            }, createdAt: now)
    }

    private static func context(_ brand: String, _ id: String) -> String {
        "identity_providers|secret|\(brand)|\(id)"
    }
}

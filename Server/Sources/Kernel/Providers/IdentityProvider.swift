package import Core
internal import Foundation
package import WalletAuthWire

/// An identity provider of a brand, decoded and with its secret opened.
///
/// What a provider says about a person is verified in `SignIn/Federation`.
package struct IdentityProvider: Sendable {
    package enum Kind: Sendable {
        /// Any OpenID provider, found by discovery, with the client secret this server has there.
        case openID(OpenIDSettings, secret: ClientSecret?)
        /// The issuer's own user repository.
        case repository(RepositorySettings)
        /// The former system's introspection endpoint, with the client secret this server has there. No one signs in with it.
        case introspection(IntrospectionSettings, secret: ClientSecret?)
        /// A vendor's service, with the row that describes it.
        case vendor(any VendorProvider, record: IdentityProviderRecord)

        /// The kinds as the database and the command line spell them.
        package static let openIDName = "oidc"
        package static let repositoryName = "repository"
        package static let introspectionName = "introspection"

        /// The kind and the settings as the database stores them. The bytes are deterministic.
        func written() throws -> (name: String, settings: [UInt8]) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return switch self {
            case .openID(let settings, _): (Self.openIDName, Array(try encoder.encode(settings)))
            case .repository(let settings): (Self.repositoryName, Array(try encoder.encode(settings)))
            case .introspection(let settings, _): (Self.introspectionName, Array(try encoder.encode(settings)))
            case .vendor(_, let record): (record.kind, Array(record.settings.utf8))
            }
        }
    }

    package let id: ProviderID
    package let brand: BrandID
    package let kind: Kind

    package init(id: ProviderID, brand: BrandID, kind: Kind) {
        self.id = id
        self.brand = brand
        self.kind = kind
    }

    /// The vendor's provider; `nil` for other kinds.
    package var vendor: (any VendorProvider)? {
        if case .vendor(let vendor, _) = kind { vendor } else { nil }
    }

    /// Whether the provider is trusted to say that an e-mail address is verified.
    package var trustsEmail: Bool {
        switch kind {
        case .openID(let settings, _): settings.trustsEmail
        case .repository(let settings): settings.trustsEmail
        case .introspection: false
        case .vendor(let vendor, _): vendor.trustsEmail
        }
    }

    /// Whether a code by e-mail is a second factor after this provider. The operator says so if an account at the provider does not
    /// open the person's mailbox.
    package var emailIsSecondFactor: Bool {
        switch kind {
        case .openID(let settings, _): settings.emailIsSecondFactor
        case .repository(let settings): settings.emailIsSecondFactor
        case .introspection: false
        case .vendor(let vendor, _): vendor.emailIsSecondFactor
        }
    }

    /// Until when it is asked for passwords of imported accounts, or about refresh tokens; `nil` if it is a provider like any other, with
    /// which people sign in.
    package var adoptsUntil: Timestamp? {
        switch kind {
        case .repository(let settings): settings.adoptsUntil
        case .introspection(let settings, _): settings.until
        case .openID, .vendor: nil
        }
    }

    /// The display name on hosted pages; `nil` if they do not show it.
    package var pageName: String? {
        switch kind {
        case .openID(let settings, _): settings.pageName
        case .repository, .introspection: nil
        case .vendor(let vendor, _): vendor.pageName
        }
    }

    /// What people call it: in a message, which may name a provider that only apps offer.
    package var shownName: String { pageName ?? vendor?.name ?? id.rawValue }

    /// Whether its authorization endpoint may forward the browser to other origins before it shows a page.
    package var redirectsToOtherHosts: Bool {
        if case .openID(let settings, _) = kind { settings.redirectsToOtherHosts } else { false }
    }

    /// The key under which a subject of this provider is stored. It is derived from the provider's own identity, because the
    /// operator may give its name to another provider later.
    package func digest(of subject: String) -> [UInt8] { Self.digest(of: subject, in: namespace) }

    /// The same digest for a vendor that has no ``IdentityProvider`` at hand.
    /// - Parameters:
    ///   - subject: the person's identifier at the service.
    ///   - kind: ``ProviderVendor/kind``.
    ///   - namespace: ``VendorProvider/namespace``.
    package static func digest(of subject: String, kind: String, namespace: String) -> [UInt8] {
        digest(of: subject, in: vendorNamespace(kind, namespace))
    }

    private static func digest(of subject: String, in namespace: String) -> [UInt8] {
        Digests.of("federated-identity", Array("\(namespace)\0\(subject)".utf8))
    }

    private static func vendorNamespace(_ kind: String, _ namespace: String) -> String { "\(kind)\0\(namespace)" }

    /// Identifies the set of subjects, independent of the provider's name here.
    package var namespace: String {
        switch kind {
        case .openID(let settings, _): "openid\0\(settings.issuer.rawValue)"
        case .repository(let settings): "repository\0\(settings.endpoint.rawValue)"
        case .introspection(let settings, _): "introspection\0\(settings.endpoint.rawValue)"
        case .vendor(let vendor, let record): Self.vendorNamespace(record.kind, vendor.namespace)
        }
    }

    /// Its URL.
    package var place: String {
        switch kind {
        case .openID(let settings, _): settings.issuer.rawValue
        case .repository(let settings): settings.endpoint.rawValue
        case .introspection(let settings, _): settings.endpoint.rawValue
        case .vendor(let vendor, _): vendor.place
        }
    }

    /// The addresses that may be connected to for this provider. In the sandbox it may run on this machine, and the operator may
    /// place it in the internal network.
    package func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        let (host, isInternal): (String, Bool)
        switch kind {
        case .openID(let settings, _): (host, isInternal) = (settings.issuer.host, settings.isInternal)
        case .repository(let settings): (host, isInternal) = (settings.endpoint.host, settings.isInternal)
        case .introspection(let settings, _): (host, isInternal) = (settings.endpoint.host, settings.isInternal)
        case .vendor(let vendor, _): (host, isInternal) = ((try? WebURL(vendor.place))?.host ?? "", false)
        }
        if isInternal { return .internalNetwork }
        return .outside(to: host, in: environment)
    }

    /// Identifies this provider with all of its settings except the secret, so that a later replacement is noticed.
    package func registration() throws -> [UInt8] {
        let (name, settings) = try kind.written()
        return Digests.of("provider-registration", Array(name.utf8) + [0] + settings)
    }
}

extension IdentityProvider {
    /// Decodes a row.
    /// - Parameters:
    ///   - secret: the opened secret; `nil` if there is none or if it is not needed.
    ///   - vendors: the vendors that the server supports.
    /// - Throws: ``Damaged`` or a decoding error for a damaged row.
    package init(_ record: IdentityProviderRecord, secret: [UInt8]?, vendors: ProviderVendors) throws {
        let settings = Data(record.settings.utf8)
        let kind: Kind =
            switch record.kind {
            case Kind.openIDName:
                .openID(
                    try JSONDecoder().decode(OpenIDSettings.self, from: settings),
                    secret: try secret.map { try ClientSecret(String(decoding: $0, as: UTF8.self)) })
            case Kind.repositoryName: .repository(try JSONDecoder().decode(RepositorySettings.self, from: settings))
            case Kind.introspectionName:
                .introspection(
                    try JSONDecoder().decode(IntrospectionSettings.self, from: settings),
                    secret: try secret.map { try ClientSecret(String(decoding: $0, as: UTF8.self)) })
            default:
                if let vendor = vendors[record.kind] {
                    .vendor(try vendor.provider(record, secret: secret), record: record)
                } else {
                    throw Damaged(provider: record.id)
                }
            }
        self.init(id: try ProviderID(record.id), brand: try BrandID(record.brandID), kind: kind)
    }

    /// The row is damaged.
    struct Damaged: Error {
        let provider: String
    }
}

/// The operator's settings for an OpenID provider.
package struct OpenIDSettings: Codable, Sendable, Hashable {
    /// Compared byte by byte.
    package var issuer: Issuer
    /// This server's client ID at the provider.
    package var clientID: String
    /// The client authentication at the token endpoint: `client_secret_basic`, `client_secret_post` or `none`.
    package var authentication: String
    package var emailClaim: String
    package var emailVerifiedClaim: String
    /// Whether the provider is trusted to say that an address is verified.
    package var trustsEmail: Bool
    /// Whether the provider is in the operator's own network.
    package var isInternal: Bool
    /// Whether a code by e-mail is a second factor after this provider.
    package var emailIsSecondFactor: Bool
    /// The display name on hosted pages; `nil` if they do not show it.
    package var pageName: String?
    /// Whether its authorization endpoint may redirect the browser to other hosts.
    package var redirectsToOtherHosts: Bool

    package init(
        issuer: Issuer, clientID: String, authentication: String, emailClaim: String, emailVerifiedClaim: String,
        trustsEmail: Bool, isInternal: Bool, emailIsSecondFactor: Bool = false, pageName: String? = nil,
        redirectsToOtherHosts: Bool = false
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        self.emailClaim = emailClaim
        self.emailVerifiedClaim = emailVerifiedClaim
        self.trustsEmail = trustsEmail
        self.isInternal = isInternal
        self.emailIsSecondFactor = emailIsSecondFactor
        self.pageName = pageName
        self.redirectsToOtherHosts = redirectsToOtherHosts
    }
}

/// The operator's settings for the issuer's own user repository.
package struct RepositorySettings: Codable, Sendable, Hashable {
    /// The https URL that verifies a name and a password.
    package var endpoint: WebURL
    /// Whether the repository is trusted to say that an address is verified.
    package var trustsEmail: Bool
    /// Whether the repository is in the operator's own network.
    package var isInternal: Bool
    /// Whether a code by e-mail is a second factor after this repository.
    package var emailIsSecondFactor: Bool
    /// Until when the repository is asked for the passwords of imported accounts that have none yet. Apps cannot name such a repository;
    /// `nil` for one that they can.
    package var adoptsUntil: Timestamp?

    package init(
        endpoint: WebURL, trustsEmail: Bool, isInternal: Bool, emailIsSecondFactor: Bool = false,
        adoptsUntil: Timestamp? = nil
    ) {
        self.endpoint = endpoint
        self.trustsEmail = trustsEmail
        self.isInternal = isInternal
        self.emailIsSecondFactor = emailIsSecondFactor
        self.adoptsUntil = adoptsUntil
    }
}

/// A person for whom a provider vouches, reduced to the claims that the provider is trusted with. From the provider's answer to the
/// session, and sealed while a person without an account decides whether to create one.
package struct ProvenIdentity: Codable, Sendable {
    /// How long a person without an account has to create or link one.
    package static let guestLifetime = Duration.minutes(10)

    package let provider: ProviderID
    package let brand: BrandID
    /// ``IdentityProvider/registration()`` when the provider vouched.
    package let registration: [UInt8]
    /// The key under which the identity is linked: 32 bytes.
    package let digest: [UInt8]
    package let subject: String
    /// The e-mail address, if it is well-formed.
    package let email: String?
    /// Whether the provider calls the address verified and is trusted to.
    package let isEmailVerified: Bool
    /// The address as the provider reports it, also if it is malformed: it may lead to the account's mailbox all the same.
    package let reportedEmail: String?
    /// Data that a vendor's provider stores with the link; `nil` for other providers.
    package let grant: VendorGrant?
    /// When the person signed in at the provider; `nil` if it does not say.
    package let authTime: Timestamp?
    /// When the provider vouched.
    package let provenAt: Timestamp
    /// The key under which the user name is stored that was typed for a repository.
    package var nameDigest: [UInt8]?

    /// In bytes. No spelling of an address is longer.
    private static let longestAddress = 1024

    /// Keeps only the claims that the provider is trusted with.
    /// - Parameters:
    ///   - email: unvalidated.
    ///   - isEmailVerified: the provider's claim.
    package init(
        _ subject: String, email: String?, isEmailVerified: Bool, grant: VendorGrant? = nil,
        authTime: Timestamp? = nil, at provider: IdentityProvider, now: Timestamp
    ) throws {
        self.provider = provider.id
        brand = provider.brand
        registration = try provider.registration()
        digest = provider.digest(of: subject)
        self.subject = subject
        self.email = email.flatMap { try? EmailAddress($0) }?.rawValue
        self.isEmailVerified = self.email != nil && isEmailVerified && provider.trustsEmail
        reportedEmail = email.flatMap { $0.utf8.count <= Self.longestAddress ? $0 : nil }
        self.grant = grant
        self.authTime = authTime
        provenAt = now
    }
}

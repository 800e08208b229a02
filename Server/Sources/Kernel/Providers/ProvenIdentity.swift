package import Core
package import WalletAuthWire

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

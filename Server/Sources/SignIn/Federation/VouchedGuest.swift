package import Kernel
package import WalletAuthWire

/// A person without an account for whom a provider vouches.
package struct VouchedGuest: Codable, Sendable {
    package var provider: ProviderID
    /// ``IdentityProvider/registration()`` when the provider vouched.
    var registration: [UInt8]
    package var brand: BrandID
    /// The key under which the identity is linked: 32 bytes.
    package var digest: [UInt8]
    package var subject: String
    package var email: String?
    var isEmailVerified: Bool
    /// The key under which the typed user name is stored.
    var nameDigest: [UInt8]?
    /// Data that a vendor's provider stores with the link.
    package var grant: VendorGrant?
    /// ``ProvenIdentity/toldEmail``.
    package var toldEmail: String?
}

extension VouchedGuest {
    package init(_ identity: ProvenIdentity, nameDigest: [UInt8]? = nil) throws {
        self.init(
            provider: identity.provider.id, registration: try identity.provider.registration(),
            brand: identity.provider.brand, digest: identity.digest, subject: identity.subject,
            email: identity.email, isEmailVerified: identity.isEmailVerified, nameDigest: nameDigest,
            grant: identity.grant, toldEmail: identity.toldEmail)
    }
}

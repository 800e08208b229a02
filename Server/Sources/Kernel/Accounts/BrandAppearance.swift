package import Core
package import Store
package import WalletAuthWire

/// A brand's look on the pages. It comes from the brand's record; no request can change it.
package struct BrandAppearance: Sendable, Hashable {
    package var name: String
    /// Replaces the accent color: six hexadecimal digits in lower case. The pages keep their text readable on any color.
    package var color: String?
    /// Replaces the monogram and the name. The pages' content security policy names this https address.
    package var logo: WebURL?
    /// Replace those of the catalog.
    package var texts: BrandTexts?
    /// Where people get help: an https address, or one that begins with `mailto:` or `tel:`.
    package var support: String?

    /// Whom to contact, in the middle of a sentence.
    package var contact: String { BrandProfile.contact(name, at: support) }
}

extension BrandAppearance {
    /// The look of a brand; only its id if the brand no longer exists.
    package static func of(_ brand: BrandID, in database: any Database) async throws -> BrandAppearance {
        guard let record = try await database.read({ try Brands.find(brand.rawValue, on: $0) }) else {
            return BrandAppearance(name: brand.rawValue)
        }
        let look = try BrandProfile(json: record.settings)
        return BrandAppearance(
            name: record.name, color: look.color, logo: try look.logoURL.map { try WebURL($0) }, texts: look.texts,
            support: look.support)
    }
}

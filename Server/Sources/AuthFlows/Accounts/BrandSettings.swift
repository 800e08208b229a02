/// What is fixed about brands.
package enum BrandSettings {
    /// The brand that every database begins with.
    package static let defaultBrand = "default"
}

/// What is fixed about brands.
enum BrandSettings {
    /// The brand that every database begins with.
    static let defaultBrand = "default"
}

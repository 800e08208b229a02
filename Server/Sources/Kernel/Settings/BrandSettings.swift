package enum BrandSettings {
    /// The brand in every new database.
    package static let defaultBrand = "default"
}

internal import AuthCore
internal import AuthStore

extension Brands {
    /// Whether people of a brand may sign in by a PIN of their account: its operator turned that on.
    static func takesAccountPINs(_ brand: String, on connection: any SQLConnection) throws -> Bool {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.accountPIN ?? false
    }
}

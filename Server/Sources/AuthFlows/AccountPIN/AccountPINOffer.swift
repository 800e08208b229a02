internal import AuthCore
internal import AuthStore

extension Brands {
    /// Whether people of a brand may sign in by a PIN of their account: its operator turned that on.
    static func takesAccountPINs(_ brand: String, on connection: any SQLConnection) throws -> Bool {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.accountPIN ?? false
    }

    /// Whether what somebody proved still opens an account: a PIN of the account only while its brand takes one.
    static func take(
        _ methods: [String], from account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        guard AuthenticationStrength.includeAccountPIN(methods) else { return true }
        return try Accounts.find(account, on: connection).map { try takesAccountPINs($0.brandID, on: connection) }
            ?? false
    }
}

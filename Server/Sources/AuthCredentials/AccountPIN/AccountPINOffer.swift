internal import AuthCore
internal import AuthFoundation
package import AuthStore

extension Brands {
    /// Whether accounts of a brand may sign in with an account PIN. Its operator turns that on.
    package static func takesAccountPINs(_ brand: String, on connection: any SQLConnection) throws -> Bool {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.accountPIN ?? false
    }

    /// Whether methods proved earlier still open an account: an account PIN counts only while its brand accepts one.
    package static func take(
        _ methods: [String], from account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        guard AuthenticationStrength.includeAccountPIN(methods) else { return true }
        return try Accounts.find(account, on: connection).map { try takesAccountPINs($0.brandID, on: connection) }
            ?? false
    }
}

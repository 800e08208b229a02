package import Core
package import Kernel
package import Store

extension Brands {
    /// The maximum age of a password in a brand; `nil` for no limit.
    package static func passwordMaximumAge(_ brand: String, on connection: any SQLConnection) throws -> Duration? {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.passwordDays
            .map { .days(Int64($0)) }
    }
}

extension AccountRecord {
    /// When the account's password becomes too old for its brand; `nil` for never.
    package func passwordExpiry(on connection: any SQLConnection) throws -> Timestamp? {
        try SignInPolicy.Account(self)
            .passwordExpiry(maximumAge: Brands.passwordMaximumAge(brandID, on: connection))
    }
}

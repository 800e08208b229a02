internal import AuthCore
internal import AuthStore

extension Brands {
    /// How old a password may grow in a brand; `nil` for no limit.
    static func passwordMaximumAge(_ brand: String, on connection: any SQLConnection) throws -> Duration? {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.passwordDays
            .map { .days(Int64($0)) }
    }
}

extension AccountRecord {
    /// When its password is too old for its brand; `nil` where it never is.
    func passwordExpiry(on connection: any SQLConnection) throws -> Timestamp? {
        try SignInPolicy.Account(self)
            .passwordExpiry(maximumAge: Brands.passwordMaximumAge(brandID, on: connection))
    }
}

/// A brand's requirement for a sign-in from a device that is not linked to the account.
package enum NewDevicePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A second factor, if the account has one.
    case secondFactor = "second_factor"
    /// Only the first factor.
    case allow
}

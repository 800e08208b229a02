internal import WalletAuthWire

/// The account that an operator's call is about: in the details of its entry, which the chain covers, and in a column of the row, by which
/// a person's history finds the call.
package enum OperatorCallDetails {
    /// The member with the account.
    package static let account = "about"
    /// The member of a call that changes nothing.
    package static let isReading = "reads"

    /// What the column has to be.
    /// - Parameter account: of the entry. A call has none.
    /// - Returns: `nil` for a call that only looks at the account, and for any other event.
    package static func subject(of details: String, account: [UInt8]?) -> String? {
        guard account == nil, let details = try? JSONValue.object(parsing: Array(details.utf8)),
            details[isReading]?.bool != true
        else { return nil }
        return details[Self.account]?.string
    }
}

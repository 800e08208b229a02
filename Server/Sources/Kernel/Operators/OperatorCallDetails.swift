package import Core
package import Store
internal import WalletAuthWire

/// How an operator's call is found in the audit log by the account that it is about: by a piece of the details as they are stored. No other
/// value can have it, since its quotation marks would be escaped.
package enum OperatorCallDetails {
    /// The member with the account.
    package static let account = "about"
    /// The member of a call that changes nothing.
    package static let isReading = "reads"

    static func about(_ id: UniqueID) -> String { piece(account, .string(id.uuid)) }

    static let reads = piece(isReading, .bool(true))

    private static func piece(_ name: String, _ value: JSONValue) -> String {
        var object = JSONObject()
        object[name] = value
        return String(decoding: object.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension UnverifiedEvent {
    /// Whether it is the call of an operator about the account, and more than a look at it.
    package func isCall(about account: UniqueID) -> Bool {
        entry.account == nil && details.contains(OperatorCallDetails.about(account))
            && !details.contains(OperatorCallDetails.reads)
    }
}

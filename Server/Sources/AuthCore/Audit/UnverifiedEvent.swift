/// An entry as read from its row, which may have been changed. Trust nothing in it before ``AuditVerification`` has
/// read it.
package struct UnverifiedEvent: Sendable, Hashable {
    package var entry: AuditEntry
    package var keyID: Int64?
    /// JSON; ``erasedDetails`` once erased.
    package var details: String
    /// `nil` once the details are erased.
    package var salt: [UInt8]?
    package var link: [UInt8]

    /// Replaces erased details.
    package static let erasedDetails = "{}"

    package init(entry: AuditEntry, keyID: Int64?, details: String, salt: [UInt8]?, link: [UInt8]) {
        self.entry = entry
        self.keyID = keyID
        self.details = details
        self.salt = salt
        self.link = link
    }
}

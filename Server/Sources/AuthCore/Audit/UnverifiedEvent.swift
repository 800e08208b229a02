/// An entry as it stands in its row, which may have been changed: nothing of it is believed before ``AuditVerification``
/// read it.
package struct UnverifiedEvent: Sendable, Hashable {
    /// What the link binds.
    package var entry: AuditEntry
    /// The audit key that the link was made with.
    package var keyID: Int64?
    /// The circumstances, JSON; ``erasedDetails`` once they were erased.
    package var details: String
    /// What the circumstances' digest was salted with; `nil` once they were erased.
    package var salt: [UInt8]?
    /// The link.
    package var link: [UInt8]

    /// What stands in the place of circumstances that were erased.
    package static let erasedDetails = "{}"

    /// Each parameter is the property of its name.
    package init(entry: AuditEntry, keyID: Int64?, details: String, salt: [UInt8]?, link: [UInt8]) {
        self.entry = entry
        self.keyID = keyID
        self.details = details
        self.salt = salt
        self.link = link
    }
}

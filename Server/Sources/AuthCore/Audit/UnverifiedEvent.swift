/// An entry as it stands in its row, which may have been changed: nothing of it is believed before ``AuditVerification``
/// read it.
public struct UnverifiedEvent: Sendable, Hashable {
    /// What the link binds.
    public var entry: AuditEntry
    /// The audit key that the link was made with.
    public var keyID: Int64?
    /// The circumstances, JSON; ``erasedDetails`` once they were erased.
    public var details: String
    /// What the circumstances' digest was salted with; `nil` once they were erased.
    public var salt: [UInt8]?
    /// The link.
    public var link: [UInt8]

    /// What stands in the place of circumstances that were erased.
    public static let erasedDetails = "{}"

    /// Each parameter is the property of its name.
    public init(entry: AuditEntry, keyID: Int64?, details: String, salt: [UInt8]?, link: [UInt8]) {
        self.entry = entry
        self.keyID = keyID
        self.details = details
        self.salt = salt
        self.link = link
    }
}

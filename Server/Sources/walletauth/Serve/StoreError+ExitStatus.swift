import Store

extension StoreError {
    /// What the program exits with if the database cannot be used for this reason.
    var exitStatus: Int32 {
        switch code {
        case .otherPrimary: ExitStatus.otherPrimary
        case .newerSchema, .olderSchema, .foreignSchema, .unsuitable: ExitStatus.outOfService
        // The database's administrator may mend it, with this server trying again.
        default: 1
        }
    }
}

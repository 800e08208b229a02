import Store

extension StoreError {
    /// What the program exits with if the database cannot be used for this reason.
    var exitStatus: Int32 { code == .otherPrimary ? ExitStatus.otherPrimary : 1 }
}

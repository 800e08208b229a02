package import Store

/// What must hold in each write of a task, such as the role of the operator who calls. It runs in the same transaction, so of a call and
/// the revocation of its role, one comes first.
package struct WriteCondition: Sendable {
    /// Of the current task.
    @TaskLocal package static var current: WriteCondition?

    /// Runs before the body of the write. What it throws undoes the write.
    let check: @Sendable (any SQLConnection) throws -> Void
    /// Called when a write was committed.
    let onCommit: @Sendable () -> Void

    package init(
        check: @escaping @Sendable (any SQLConnection) throws -> Void, onCommit: @escaping @Sendable () -> Void
    ) {
        self.check = check
        self.onCommit = onCommit
    }
}

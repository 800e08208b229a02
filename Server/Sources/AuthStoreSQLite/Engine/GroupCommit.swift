import AuthStore

/// Group commit: many bodies, one transaction, one wait for the disk.
///
/// Each body runs in a savepoint of its own, so that one that throws undoes only itself. Nobody is answered before the
/// transaction is on the disk. Where that cannot be had (SQLite rolled the transaction back under a body, as it does when
/// the disk is full, or the commit failed) nothing of the batch was kept, and the bodies run again one by one, so that
/// only those fail that cannot be kept.
struct GroupCommit {
    let connection: SQLiteConnection

    /// Runs the calls of a batch and leaves in each what is to be answered.
    func run(_ calls: [any Call]) {
        // The first attempt at a lone call is the last resort of a batch as well; a savepoint would add nothing.
        if calls.count > 1, commitTogether(calls) { return }
        for call in calls { commitAlone(call) }
    }

    /// - Returns: whether the batch was committed; when not, nothing of it was kept.
    private func commitTogether(_ calls: [any Call]) -> Bool {
        do {
            try connection.control(.begin)
            for call in calls {
                try connection.control(.savepoint)
                if call.run(on: connection) != nil, connection.isInsideTransaction {
                    try connection.control(.rollbackToSavepoint)
                }
                // Asked after each body, whatever it answered: it may have caught the error that ended the transaction
                // for all of them, and what ran after it would then commit statement by statement.
                guard connection.isInsideTransaction else { return false }
                try connection.control(.release)
            }
            try connection.control(.commit)
            return true
        } catch {
            abandon()
            return false
        }
    }

    private func commitAlone(_ call: any Call) {
        do {
            try connection.control(.begin)
            if call.run(on: connection) != nil {
                abandon()
                return
            }
            guard connection.isInsideTransaction else {
                throw StoreError(.unavailable, "SQLite rolled the transaction back under the body")
            }
            try connection.control(.commit)
        } catch {
            abandon()
            call.fail(error)
        }
    }

    private func abandon() {
        guard connection.isInsideTransaction else { return }
        // A rollback fails only where there is nothing left to roll back, or where the next BEGIN will fail and say so.
        try? connection.control(.rollback)
    }
}

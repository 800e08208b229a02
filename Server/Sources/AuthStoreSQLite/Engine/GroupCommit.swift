import AuthStore

/// Group commit: many bodies, one transaction, one wait for the disk.
///
/// Nobody is answered before the transaction is on the disk, and a body that throws undoes only itself. That is rare: what is
/// refused is returned. So a batch runs without savepoints, for which SQLite would copy each page that a body changes, and
/// where one throws it is undone and runs again with one for each body. So do the batches after it, from the beginning: whoever
/// can have a body thrown in each of them would have everybody's run twice. Where a batch cannot be had at all (SQLite rolled the
/// transaction back under a body, as it does when the disk is full, or the commit failed) nothing of it was kept, and the bodies
/// run again one by one, so that only those fail that cannot be kept.
struct GroupCommit {
    let connection: SQLiteConnection
    /// How many batches to come have savepoints from the beginning, since a body threw lately: as the batch before left it, zero
    /// for the first.
    private(set) var batchesWithSavepoints: Int

    /// How many have them once a body threw.
    private static let batchesAfterThrow = 64

    /// Runs the calls of a batch and leaves in each what is to be answered.
    ///
    /// - Throws: ``StoreError`` with code `diskFailed` where a commit could not wait for the disk. Whether it is there nobody knows,
    ///   and nothing may be written after it.
    mutating func run(_ calls: [any DatabaseCall]) throws {
        // The first attempt at a lone call is the last resort of a batch as well; a savepoint would add nothing.
        if calls.count > 1, try keepTogether(calls) { return }
        for call in calls { try commitAlone(call) }
    }

    /// - Returns: whether the batch was committed; when not, nothing of it was kept.
    private mutating func keepTogether(_ calls: [any DatabaseCall]) throws -> Bool {
        guard batchesWithSavepoints == 0 else {
            batchesWithSavepoints -= 1
            return try commitTogether(calls, undoing: .oneBody) == .kept
        }
        switch try commitTogether(calls, undoing: .all) {
        case .kept: return true
        case .lost: return false
        case .bodyThrew:
            batchesWithSavepoints = Self.batchesAfterThrow
            return try commitTogether(calls, undoing: .oneBody) == .kept
        }
    }

    /// What is undone where a body throws.
    private enum Undoing {
        case all
        case oneBody
    }

    private enum Outcome {
        case kept
        /// Nothing was kept, since a body threw.
        case bodyThrew
        /// Nothing was kept, since SQLite would not.
        case lost
    }

    private func commitTogether(_ calls: [any DatabaseCall], undoing: Undoing) throws -> Outcome {
        do {
            try connection.control(.begin)
            for call in calls {
                if undoing == .oneBody { try connection.control(.savepoint) }
                let error = call.run(on: connection)
                if let failure = connection.diskFailure { throw failure }
                // Asked after each body, whatever it answered: it may have caught the error that ended the transaction
                // for all of them, and what ran after it would then commit statement by statement.
                guard connection.isInsideTransaction else { return .lost }
                switch undoing {
                case .all:
                    if error != nil {
                        abandon()
                        return .bodyThrew
                    }
                case .oneBody:
                    if error != nil { try connection.control(.rollbackToSavepoint) }
                    try connection.control(.release)
                }
            }
            try connection.control(.commit)
            return .kept
        } catch let error as StoreError where error.code == .diskFailed {
            throw error
        } catch {
            abandon()
            return .lost
        }
    }

    private func commitAlone(_ call: any DatabaseCall) throws {
        do {
            try connection.control(.begin)
            let error = call.run(on: connection)
            if let failure = connection.diskFailure { throw failure }
            if error != nil {
                abandon()
                return
            }
            guard connection.isInsideTransaction else {
                throw StoreError(.unavailable, "SQLite rolled the transaction back under the body")
            }
            try connection.control(.commit)
        } catch let error as StoreError where error.code == .diskFailed {
            throw error
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

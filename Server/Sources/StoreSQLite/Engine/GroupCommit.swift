import Store

/// Group commit: many bodies, one transaction, one wait for the disk.
///
/// No call is answered before the transaction is on the disk, and a body that throws undoes only its own writes.
///
/// Throws are rare, since refusals are returned. A batch therefore begins without savepoints, for which SQLite would
/// copy each page that a body changes. If a body throws, the batch is undone and runs again with a savepoint for each
/// body. The batches after it use savepoints from the beginning; otherwise a client that can make a body throw in each
/// batch would have all of them run twice.
///
/// If a batch cannot be committed at all (SQLite rolled the transaction back under a body, as on a full disk, or the
/// commit failed), none of it was written. The bodies then run one by one, so that only those fail that cannot be
/// committed.
struct GroupCommit {
    let connection: SQLiteConnection
    /// The number of coming batches with savepoints, because a body threw recently. Each batch starts with the number
    /// that the one before left; zero for the first.
    private(set) var batchesWithSavepoints: Int

    /// The number after a throw.
    private static let batchesAfterThrow = 64

    /// Runs the calls of a batch and leaves the result in each.
    /// - Throws: ``StoreError`` with code `diskFailed` if a commit could not wait for the disk. It is unknown whether
    ///   the commit is there, and nothing may be written after it.
    mutating func run(_ calls: [any DatabaseCall]) throws {
        // A single call needs no savepoint, and its first attempt is the last resort of a batch as well.
        if calls.count > 1, try keepTogether(calls) { return }
        for call in calls { try commitAlone(call) }
    }

    /// - Returns: whether the batch was committed; if not, none of it was written.
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

    /// The extent of undoing when a body throws.
    private enum Undoing {
        case all
        case oneBody
    }

    private enum Outcome {
        case kept
        /// Nothing was written, because a body threw.
        case bodyThrew
        /// Nothing was written, because SQLite failed.
        case lost
    }

    private func commitTogether(_ calls: [any DatabaseCall], undoing: Undoing) throws -> Outcome {
        do {
            try connection.control(.begin)
            for call in calls {
                if undoing == .oneBody { try connection.control(.savepoint) }
                let error = call.run(on: connection)
                if let failure = connection.diskFailure { throw failure }
                // Checked after each body, whatever its result. A body may have caught the error that ended the
                // transaction for all, and statements after it would commit one by one.
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
                throw StoreError(.unavailable, "SQLite rolled back the transaction while it ran")
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
        // A rollback fails only if there is nothing to roll back, or if the next BEGIN fails and reports it.
        try? connection.control(.rollback)
    }
}

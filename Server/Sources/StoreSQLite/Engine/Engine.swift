// The engine's threads, queues, transactions and checkpoints. Statements belong to the folder Connection, files to
// Files, backup and restore to SQLiteDatabase.

import Foundation
import GRDB
import Store

/// The threads between the port and GRDB, one that writes and a few that read, and their shutdown.
///
/// The engine has its own threads, because SQLite blocks: on the cooperative pool, a wait for the disk would delay
/// requests that need no disk. They call GRDB's synchronous functions, so that no task's cancellation reaches SQLite.
final class Engine: Sendable {
    private let pool: DatabasePool
    private let lock: OwnerLock
    private let files: OpenFiles
    private let options: SQLiteOptions
    private let writes: CallQueue<any DatabaseCall>
    private let reads: CallQueue<any DatabaseCall>
    private let shutdown: Shutdown
    /// Whether the disk failed. The files are then left as they are.
    private let isBroken = LockedValue(false)
    private let logSize: LogSize
    private let checkpoints: Checkpoints

    /// - Throws: ``StoreError`` with code `diskFailed` if the existing log cannot be copied into the database file.
    init(pool: DatabasePool, lock: OwnerLock, files: OpenFiles, options: SQLiteOptions) throws {
        self.pool = pool
        self.lock = lock
        self.files = files
        self.options = options
        let size = LogSize()
        let checkpoints = Checkpoints(options: options, size: size)
        (logSize, self.checkpoints) = (size, checkpoints)
        do {
            try pool.writeWithoutTransaction { database in
                let connection = SQLiteConnection(database)
                connection.watchLog(size)
                try checkpoints.empty(on: connection)
            }
        } catch {
            Self.leaveOpen(pool, lock)
            throw error
        }
        writes = CallQueue(capacity: options.waitingLimit)
        reads = CallQueue(capacity: options.waitingLimit)
        shutdown = Shutdown(of: 1 + options.readers)
    }

    func start() {
        let writer = Thread { self.writeUntilClosed() }
        writer.name = "store.writer"
        writer.start()
        for number in 1...options.readers {
            let reader = Thread { self.readUntilClosed() }
            reader.name = "store.reader.\(number)"
            reader.start()
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { hand(TypedCall(body, $0), to: writes) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { hand(TypedCall(body, $0), to: reads) }
    }

    /// Admits no further calls. Admitted calls are still served; then the files are closed and the lock is released.
    func close() {
        writes.close()
        reads.close()
    }

    /// Returns once everything is closed.
    func closed() async {
        await shutdown.completed()
    }

    private func hand(_ call: some DatabaseCall, to queue: CallQueue<any DatabaseCall>) {
        if let refusal = queue.put(call) { call.refuse(refusal) }
    }

    /// The state after the last commit or checkpoint. Whether the files are still there is looked up now, since a server without
    /// requests writes nothing.
    var log: WriteAheadLog {
        var log = checkpoints.log
        log.refusesWrites = log.refusesWrites || files.loss != nil
        return log
    }

    private func writeUntilClosed() {
        var batchesWithSavepoints = 0
        while case let batch = writes.take(upTo: options.batch), !batch.isEmpty {
            do {
                if let refusal = try writeRefusal() {
                    for call in batch { call.fail(refusal) }
                } else {
                    batchesWithSavepoints = try pool.writeWithoutTransaction { database -> Int in
                        var commit = GroupCommit(
                            connection: SQLiteConnection(database), batchesWithSavepoints: batchesWithSavepoints)
                        try commit.run(batch)
                        return commit.batchesWithSavepoints
                    }
                }
            } catch {
                end(batch, error)
                break
            }
            for call in batch { call.answer() }
            guard checkpoints.isDue() else { continue }
            do {
                try pool.writeWithoutTransaction { try checkpoints.run(on: SQLiteConnection($0)) }
            } catch {
                end([], error)
                break
            }
        }
        leave()
    }

    /// Why writes are refused; `nil` if they are admitted.
    /// - Throws: ``StoreError`` with code `diskFailed`.
    private func writeRefusal() throws -> StoreError? {
        if let loss = files.databaseLoss { return loss }
        guard let loss = files.logLoss else { return checkpoints.refusal() }
        // The log ends with this process, so what was acknowledged must not be in it alone. Repeated, because a reader or a full
        // disk may have kept a part from being copied.
        try pool.writeWithoutTransaction { try checkpoints.run(on: SQLiteConnection($0)) }
        return loss
    }

    /// Ends the engine as it is: it is unknown which of the last writes are on the disk.
    private func end(_ batch: [any DatabaseCall], _ error: any Error) {
        let failure = (error as? StoreError) ?? StoreError(.diskFailed, "the writer ended: \(error)")
        // A program exits in this call, before any further call is answered.
        options.report(.diskFailed(failure))
        isBroken.withLock { $0 = true }
        close()
        for call in batch + writes.takeAll() { call.refuse(failure) }
    }

    private func readUntilClosed() {
        // Small batches: calls that share a snapshot are answered together, and should not wait long for each other.
        while case let batch = reads.take(upTo: 16), !batch.isEmpty {
            do {
                // The snapshot begins after the batch was taken, so it includes everything acknowledged before the
                // calls.
                try pool.unsafeRead { database in
                    try SQLiteConnection(database).onOneSnapshot { connection in
                        for call in batch { _ = call.run(on: connection) }
                    }
                }
            } catch {
                let failure = (error as? StoreError) ?? (error as? DatabaseError).map { StoreError($0) }
                for call in batch { call.fail(failure ?? StoreError(.unavailable, "no connection to read from")) }
            }
            for call in batch { call.answer() }
        }
        leave()
    }

    /// The last to leave closes the files.
    private func leave() {
        guard shutdown.threadEnded() else { return }
        if closeFiles() { lock.release() } else { Self.leaveOpen(pool, lock) }
        shutdown.complete()
    }

    /// Copies the log into the database file and deletes it, so that a database at rest is a single file.
    ///
    /// If the disk failed, now or before, nothing is closed: SQLite would copy the log once more and delete it.
    /// Everything acknowledged is in the log, and the next owner reads it there.
    /// - Returns: whether the files are closed.
    private func closeFiles() -> Bool {
        guard !isBroken.withLock({ $0 }) else { return false }
        do {
            try pool.writeWithoutTransaction { try checkpoints.empty(on: SQLiteConnection($0)) }
        } catch {
            options.report(.diskFailed((error as? StoreError) ?? StoreError(.diskFailed, "\(error)")))
            return false
        }
        let path = pool.path
        try? pool.close()
        // The pool closes its readers last. SQLite deletes the log with the last connection only if that one may write.
        if let queue = try? DatabaseQueue(path: path, configuration: .distrusting) { try? queue.close() }
        return true
    }

    /// Keeps the connections and the lock until the process ends. Closing a connection would copy the log, and another
    /// owner would continue with the index of the log that these connections hold.
    private static func leaveOpen(_ pool: DatabasePool, _ lock: OwnerLock) {
        _ = Unmanaged.passRetained(pool)
        _ = Unmanaged.passRetained(lock)
    }
}

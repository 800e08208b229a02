import AuthStore
import Foundation
import GRDB

/// The threads between the port and GRDB: one that writes, a few that read, and the end of them all.
///
/// Threads of the engine's own, because SQLite blocks: on the cooperative pool, a wait for the disk would hold up
/// requests that need no disk. They call GRDB's synchronous functions, so that no task's cancellation reaches SQLite.
final class Engine: Sendable {
    private struct Life {
        var running: Int
        var isOver = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let pool: DatabasePool
    private let lock: OwnerLock
    private let options: SQLiteOptions
    private let writes: Inbox
    private let reads: Inbox
    private let life: Guarded<Life>

    init(pool: DatabasePool, lock: OwnerLock, options: SQLiteOptions) {
        self.pool = pool
        self.lock = lock
        self.options = options
        writes = Inbox(capacity: options.waitingLimit)
        reads = Inbox(capacity: options.waitingLimit)
        life = Guarded(Life(running: 1 + options.readers))
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

    /// Lets nobody in any more. What was let in is served; then the files are closed and the lock is given back.
    func close() {
        writes.close()
        reads.close()
    }

    /// Returns when everything is closed.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isOver = life.withLock { life in
                if !life.isOver { life.waitingForEnd.append(continuation) }
                return life.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    private func hand(_ call: some Call, to inbox: Inbox) {
        switch inbox.put(call) {
        case .admitted:
            return
        case .full:
            call.fail(StoreError(.unavailable, "\(options.waitingLimit) calls wait for the database already"))
        case .closed:
            call.fail(StoreError(.closed, "the database was closed"))
        }
        call.answer()
    }

    private func writeUntilClosed() {
        var batchesWithSavepoints = 0
        while case let batch = writes.take(upTo: options.batch), !batch.isEmpty {
            batchesWithSavepoints = pool.writeWithoutTransaction { database -> Int in
                var commit = GroupCommit(
                    connection: SQLiteConnection(database), batchesWithSavepoints: batchesWithSavepoints)
                commit.run(batch)
                return commit.batchesWithSavepoints
            }
            for call in batch { call.answer() }
        }
        leave()
    }

    private func readUntilClosed() {
        // Few at a time: what shares a snapshot is answered together, and should not wait long for its neighbors.
        while case let batch = reads.take(upTo: 16), !batch.isEmpty {
            do {
                // The snapshot begins after the batch was taken, so it holds whatever was acknowledged before the calls.
                try pool.unsafeRead { database in
                    try SQLiteConnection(database).onOneSnapshot { connection in
                        for call in batch { _ = call.run(on: connection) }
                    }
                }
            } catch {
                let trouble = (error as? StoreError) ?? (error as? DatabaseError).map { StoreError($0) }
                for call in batch { call.fail(trouble ?? StoreError(.unavailable, "no connection to read from")) }
            }
            for call in batch { call.answer() }
        }
        leave()
    }

    /// The last thread turns off the light.
    private func leave() {
        let isLast = life.withLock { life in
            life.running -= 1
            return life.running == 0
        }
        guard isLast else { return }
        // None of this can lose anything: what was acknowledged is in the log on the disk in any case, and the next opener
        // reads it there.
        let path = pool.path
        try? pool.close()
        Self.takeLogAway(beside: path)
        lock.release()
        let waiting = life.withLock { life in
            life.isOver = true
            defer { life.waitingForEnd = [] }
            return life.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Copies the log back and removes it, so that a database at rest is one file, which can be copied as one.
    ///
    /// The pool closes its readers last, and SQLite removes the log with the last connection only where that one may
    /// write: so one is opened for it.
    private static func takeLogAway(beside path: String) {
        guard let queue = try? DatabaseQueue(path: path) else { return }
        _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? queue.close()
    }
}

package import Core
package import Logging
package import Store

/// A database whose damage is noticed, and whose writes wake the delivery of messages and webhooks once they are committed.
///
/// The first statement that meets damage is logged as critical, and remembered until the process ends. A file that was deleted or
/// replaced counts as damage.
///
/// It also checks the ``WriteCondition`` of the task, if there is one.
///
/// A damaged page fails each request that needs it, while a test write needs another one. What else is damaged is not known, so a
/// proxy should not send requests here until a person has looked.
package final class DamageWatch: Database {
    private let database: any Database
    private let deliveries: [DeliverySignal]
    private let logger: Logger
    private let first = LockedValue<StoreError?>(nil)

    package init(_ database: any Database, waking deliveries: [DeliverySignal], logger: Logger) {
        self.database = database
        self.deliveries = deliveries
        self.logger = logger
    }

    /// What the first statement has met that met damage; `nil` if none has.
    package var damage: StoreError? { first.withLock { $0 } }

    package var group: (any ProcessGroup)? { database.group }

    package var connectionMetrics: ConnectionMetrics? { database.connectionMetrics }

    package func clockDifference(from clock: any Core.Clock) async throws -> Duration? {
        try await watching { try await database.clockDifference(from: clock) }
    }

    package func read<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await watching { try await database.read(body) }
    }

    package func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        guard let condition = WriteCondition.current else {
            return try await watching { try await wakeAfter(database.write(noticing(body))) }
        }
        return try await write(under: condition, body)
    }

    package func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        guard let condition = WriteCondition.current else {
            return try await watching { try await wakeAfter(database.write(isolation: isolation, noticing(body))) }
        }
        return try await write(under: condition, body)
    }

    /// Always serializable: the condition reads, and may write.
    private func write<T: Sendable>(
        under condition: WriteCondition, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        let result = try await watching {
            try await wakeAfter(
                database.write(
                    noticing { connection in
                        try condition.check(connection)
                        return try body(connection)
                    }))
        }
        condition.onCommit()
        return result
    }

    /// What a write returned, and the deliveries that it has to wake.
    private struct Written<T: Sendable>: Sendable {
        let result: T
        let due: [DeliverySignal]
    }

    private func noticing<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) -> @Sendable (any SQLConnection) throws -> Written<T> {
        { [deliveries] connection in
            let before = deliveries.map(\.writtenCount)
            let result = try body(connection)
            let due = zip(deliveries, before).filter { $0.writtenCount != $1 }.map(\.0)
            return Written(result: result, due: due)
        }
    }

    private func wakeAfter<T: Sendable>(_ written: Written<T>) -> T {
        for delivery in written.due { delivery.wake() }
        return written.result
    }

    package func probe<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await watching { try await database.probe(body) }
    }

    private func watching<T: Sendable>(_ call: () async throws -> T) async throws -> T {
        do {
            return try await call()
        } catch let error as StoreError where error.code.needsRepair {
            note(error)
            throw error
        }
    }

    private func note(_ damage: StoreError) {
        let isFirst = first.withLock { first in
            defer { first = first ?? damage }
            return first == nil
        }
        guard isFirst else { return }
        guard damage.code != .fileLost else {
            logger.critical("\(damage.reason)")
            return
        }
        logger.critical(
            "the database is damaged: this server reports that it is not ready until it is repaired and restarted",
            metadata: ["reason": "\(damage.reason)"])
    }
}

import Foundation
import Store

/// Runs one call in transactions of its own until one commits, and decides what a failure means.
///
/// A guarded body, each of whose statements commits by itself, runs again only as long as none has changed anything:
/// every later failure has the code `outcomeUnknown` and no remedy.
struct TransactionRunner {
    enum Outcome {
        /// The call has its result, and can be answered.
        case settled
        /// The connection was lost, or has to be proved again, before anything was committed. The call can run again.
        case lost(StoreError)
        /// It would have to wait for a lock longer than this connection does. Nothing was committed, and a patient one may run it.
        case blocked
    }

    /// The runs of a body whose transactions cannot be serialized. The caller then hears that the store is busy.
    static let runs = 24
    /// The runs at the same time as other writes. Later ones run alone.
    static let runsWithOthers = 4
    /// In milliseconds.
    private static let longestPause = 40.0

    let gate: WriterGate
    let options: PostgreSQLOptions
    let counters: EngineCounters
    let presence: Presence
    let pauses: Pauses

    /// - Parameter blocked: the tables that the call must not wait for; `nil` if it may.
    func run(
        _ call: any DatabaseCall, _ access: Engine.Access, on server: ServerConnection, _ blocked: BlockedTables?
    ) -> Outcome {
        switch access {
        case .reading: read(call, on: server, blocked)
        case .writing(let isolation): write(call, isolation, on: server, blocked)
        case .probing: write(call, .serializable, on: server, blocked)
        }
    }

    private func read(
        _ call: any DatabaseCall, on server: ServerConnection, _ blocked: BlockedTables?
    ) -> Outcome {
        let connection = PostgreSQLConnection(
            server, .reading, presence: presence, limit: options.answerLimit, blocked: blocked)
        do {
            let error = call.run(on: connection)
            if let failure = connection.failure {
                if failure.remedy == .anotherConnection { return .lost(failure.error) }
                if failure.remedy == .laterRepetition, blocked != nil {
                    try? connection.finishReading()
                    return .blocked
                }
                // A body that caught the error has read no further.
                if error == nil { call.fail(failure.error) }
            }
            // The snapshot was read. What happens to the connection now is no concern of this call.
            try connection.finishReading()
        } catch {}
        return .settled
    }

    private func write(
        _ call: any DatabaseCall, _ isolation: WriteIsolation, on server: ServerConnection,
        _ blocked: BlockedTables?
    ) -> Outcome {
        var run = 1
        var hasConflicted = false
        var tableLocks = TableLocks(patience: options.schemaChangePatience)
        while true {
            // A change of the schema competes with no other write, and would only keep them waiting.
            let isLetInWithOthers = run <= Self.runsWithOthers || isolation == .schemaChange
            let turn = isLetInWithOthers ? gate.enter() : gate.enterAlone()
            let end = attempt(call, Self.kind(isolation, tableLocks), on: server, blocked)
            gate.leave(turn)
            guard let failure = end.failure else { return .settled }
            switch failure.remedy {
            case .anotherConnection where failure.error.code != .outcomeUnknown:
                return .lost(failure.error)
            case .repetition where run < Self.runs:
                pause(after: run)
            case .repetition:
                call.fail(StoreError(.unavailable, "other writes kept changing the same rows: \(failure.error.reason)"))
                return .settled
            case .freshSnapshot where isolation == .serializable && !hasConflicted && run < Self.runs:
                hasConflicted = true
            case .laterRepetition where isolation == .schemaChange:
                // Nothing is held during the pause: neither a table nor the schema's lock, which another process may get,
                // nor the gate.
                guard tableLocks.mayTryAgain(), pauses.wait(.seconds(Double.random(in: TableLocks.pause))) else {
                    call.fail(TableLocks.refusal)
                    return .settled
                }
            case .laterRepetition where blocked != nil: return .blocked
            case .none, .freshSnapshot, .laterRepetition, .anotherConnection:
                if failure.error.code == .outcomeUnknown { counters.count(\.unknownOutcomes) }
                if !end.hasResult { call.fail(failure.error) }
                return .settled
            }
            counters.count(\.repeatedWrites)
            run += 1
        }
    }

    private static func kind(_ isolation: WriteIsolation, _ tableLocks: TableLocks) -> PostgreSQLConnection.Kind {
        switch isolation {
        case .serializable: .serializable
        case .guardedStatement: .guardedStatement
        case .schemaChange: .schemaChange(tableLockTimeout: tableLocks.timeout)
        }
    }

    /// The end of one transaction.
    private struct End {
        /// Of the server.
        var failure: ServerFailure?
        /// Whether the call has its result, which may be an error of the body, even if the server failed.
        var hasResult: Bool
    }

    private func attempt(
        _ call: any DatabaseCall, _ kind: PostgreSQLConnection.Kind, on server: ServerConnection,
        _ blocked: BlockedTables?
    ) -> End {
        let connection = PostgreSQLConnection(
            server, kind, presence: presence, limit: options.answerLimit, blocked: blocked)
        let error = call.run(on: connection)
        do {
            if let failure = connection.failure {
                // Also if the body caught the error: the transaction is aborted.
                if failure.remedy != .anotherConnection { try connection.abandon() }
                // The body may have thrown an error of its own because of the failure; that one is the result, unless
                // it would say that nothing was written.
                return End(failure: failure, hasResult: error != nil && failure.error.code != .outcomeUnknown)
            }
            if error != nil {
                guard !connection.hasCommitted else { return End(failure: Self.thrownTooLate, hasResult: false) }
                try connection.abandon()
            } else {
                try connection.commit()
            }
            return End(failure: nil, hasResult: true)
        } catch {
            return End(failure: error, hasResult: false)
        }
    }

    private static let thrownTooLate = ServerFailure(
        StoreError(.outcomeUnknown, "a change was committed, but the guarded body threw an error after it"))

    /// A random pause, so that the same two do not meet again.
    private func pause(after run: Int) {
        guard run > 1 else { return }
        let longest = min(Self.longestPause, pow(2, Double(run)))
        Thread.sleep(forTimeInterval: Double.random(in: 0...longest) / 1000)
    }
}

import CLibPQ
import Core
import Foundation
import Store

/// One connection of libpq, in pipeline mode: several requests go out together, and their answers are awaited together.
///
/// One thread at a time uses it. `@unchecked`: the thread that opens the first connection hands it to a worker.
final class ServerConnection: @unchecked Sendable {
    /// A request of the extended protocol.
    enum Request {
        case run(String)
        case prepare(PreparedStatement)
        case execute(PreparedStatement, Arguments)
        case deallocate(PreparedStatement)
    }

    /// Why a connection is no longer usable.
    private enum Loss {
        case ended
        /// The server did not answer in time, and may still be working on the request.
        case silent
    }

    /// What the server says of the session.
    struct Session {
        let backend: Int64
        let schema: String
    }

    /// The reason of a failure where the server did not answer.
    static let silence = "the server did not respond in time"
    /// How long after its deadline an answer may be read that still arrives: this process may have been the slow one.
    static let grace = Duration.seconds(2)

    let handle: OpaquePointer
    let target: ConnectionString.Target
    private var statements: PreparedStatements
    /// Answers that were not awaited, each up to its synchronization point.
    private var owed = 0
    /// Whether the server has warned since the last exchange began.
    private(set) var hasWarning = false
    /// `nil` while the connection is usable.
    private var loss: Loss?
    private var notices = NoticeBuffer()
    /// Known once the connection is established.
    var session = Session(backend: 0, schema: "")
    /// The key of the group's session at whose server this connection was proved to be. See ``Presence``.
    var provedPresence: Int64?
    /// Called when the connection ends.
    private var release: (() -> Void)?

    /// - Parameters:
    ///   - handle: connected; owned from now on.
    ///   - target: the server.
    init(_ handle: OpaquePointer, to target: ConnectionString.Target, statementLimit: Int) throws {
        self.handle = handle
        self.target = target
        statements = PreparedStatements(limit: statementLimit)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw StoreError(.unavailable, "libpq cannot send requests ahead")
        }
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let result, let severity = PQresultErrorField(result, CInt(UInt8(ascii: "V")))
                else { return }
                Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue()
                    .hear(String(cString: severity))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        release?()
        PQfinish(handle)
    }

    func whenEnded(_ body: @escaping () -> Void) { release = body }

    /// Whether the connection may be used for a call: it is open, and its server still accepts writes.
    ///
    /// An end of the connection that the server announced, and a change of its state, is noticed here before anything
    /// is sent. What was sent on a connection that had ended may have been committed, as far as this program can tell.
    var isFit: Bool {
        guard loss == nil else { return false }
        // Twice: the end follows the server's last words, and libpq reports only what one read finds.
        for _ in 0..<2 where isReadable {
            guard PQconsumeInput(handle) == 1 else { return false }
            // libpq looks at what it has read only when it is asked for something, and at what answers no request only
            // behind all answers.
            discardArrived()
            keepNotices()
        }
        return isUsable
    }

    /// Hears a message of the server that answers no request.
    private func hear(_ severity: String) {
        switch severity {
        // It matters only for a commit.
        case "WARNING": hasWarning = true
        // The server says why it is about to end the connection.
        case "FATAL", "PANIC": if loss == nil { loss = .ended }
        default: break
        }
    }

    /// Like ``isFit``, as far as what has arrived was read.
    var isUsable: Bool { loss == nil && PQstatus(handle) == CONNECTION_OK && isWritable }

    /// Whether the server did not answer in time. It may still be working on the request.
    var isSilent: Bool { loss == .silent }

    /// Whether the server is the primary, as far as it reported.
    var isWritable: Bool {
        parameter("in_hot_standby") != "on" && parameter("default_transaction_read_only") != "on"
    }

    func parameter(_ name: String) -> String? {
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    var version: Int { Int(PQserverVersion(handle)) }

    /// The backend as it was named at the start; a pooler names another one.
    var announcedBackend: Int64 { Int64(PQbackendPID(handle)) }

    var socket: CInt { PQsocket(handle) }

    // MARK: Requests

    /// A statement that is prepared, or is by the requests that are returned before it.
    func prepared(_ sql: String, _ types: [Oid]) -> (PreparedStatement, preparing: [Request]) {
        statements.statement(sql, types)
    }

    /// Sends requests in one go and awaits all answers.
    ///
    /// The requests end with a synchronization point. Without `BEGIN` they are one transaction, which is committed there.
    /// - Parameter limit: how long to wait for the answers; `nil` for as long as the connection lives.
    /// - Returns: one result for each request, freed by the caller.
    /// - Throws: ``ServerFailure``, the first one, which may be that of the commit. The requests after it were not run.
    func exchange(_ requests: [Request], within limit: Duration?) throws(ServerFailure) -> [ServerResult] {
        hasWarning = false
        try send(requests)
        let deadline = limit.map { ContinuousClock.now + $0 }
        while owed > 1 { try discard(until: deadline) }
        var results: [ServerResult] = []
        var failure: ServerFailure?
        for request in requests {
            while let result = try next(until: deadline) {
                if failure != nil { continue }
                switch result.status {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                    switch request {
                    case .prepare(let statement): statements.add(statement)
                    case .deallocate(let statement): statements.remove(statement)
                    case .run, .execute: break
                    }
                    results.append(result)
                default:
                    failure = result.failure(isConnected: PQstatus(handle) == CONNECTION_OK)
                }
            }
            // A fatal error ends the answers.
            if PQstatus(handle) != CONNECTION_OK { throw lose(failure) }
        }
        let failureOfCommit = try awaitSynchronization(until: deadline)
        if let failure = failure ?? failureOfCommit {
            // A standby refuses much with other codes.
            let isUseless = !isWritable || failure.remedy == .anotherConnection
            throw (isUseless ? lose(failure) : failure).answered
        }
        return results
    }

    /// Runs one statement that returns at most one row.
    func row(_ sql: String, _ arguments: [SQLValue], within limit: Duration) throws -> SQLRow? {
        let (statement, preparing) = prepared(sql, arguments.map(\.serverType))
        let results = try exchange(preparing + [.execute(statement, Arguments(arguments))], within: limit)
        return try results.last.flatMap { try $0.rows(named: $0.columns).first }
    }

    /// Runs one statement like ``row(_:_:within:)``, as the role that has logged in. The session may act as another one
    /// (`ALTER ROLE … SET role`), and PostgreSQL neither shows it what the login role's sessions do nor lets it end
    /// them.
    func rowAsLoginRole(_ sql: String, _ arguments: [SQLValue], within limit: Duration) throws -> SQLRow? {
        let (statement, preparing) = prepared(sql, arguments.map(\.serverType))
        let beginning = [Request.run("BEGIN"), .run("SET LOCAL ROLE NONE")] + preparing
        let results: [ServerResult]
        do {
            results = try exchange(
                beginning + [.execute(statement, Arguments(arguments)), .run("COMMIT")], within: limit)
        } catch {
            if error.remedy != .anotherConnection { try post([.run("ROLLBACK")]) }
            throw error
        }
        return try results.dropLast().last.flatMap { try $0.rows(named: $0.columns).first }
    }

    /// Sends requests whose answers are of no interest. They are read before the next ones.
    func post(_ requests: [Request]) throws(ServerFailure) {
        try send(requests)
    }

    /// Reads the messages of `NOTIFY` that have arrived. It does not wait.
    /// - Returns: whether it stopped early. The socket need not say that there is more.
    func readNotices() throws(ServerFailure) -> Bool {
        var count = 0
        while count < NoticeBuffer.limit {
            guard PQconsumeInput(handle) == 1 else { throw lose() }
            let arrived = keepNotices()
            guard loss == nil else { throw lose() }
            // TLS may hold more back, of which the socket says nothing.
            if arrived == 0 { return false }
            count += arrived
        }
        return true
    }

    /// What was read since the last time.
    /// - Returns: `nil` if there were too many to keep.
    func takeNotices() -> [NoticeBuffer.Notice]? { notices.takeAll() }

    /// Takes messages out of libpq, which keeps any number of them.
    /// - Returns: their number.
    @discardableResult
    private func keepNotices() -> Int {
        var count = 0
        while let notice = PQnotifies(handle) {
            count += 1
            notices.add(
                NoticeBuffer.Notice(
                    backend: Int64(notice.pointee.be_pid), channel: String(cString: notice.pointee.relname),
                    payload: String(cString: notice.pointee.extra)))
            PQfreemem(notice)
        }
        return count
    }

    private func send(_ requests: [Request]) throws(ServerFailure) {
        for request in requests {
            let sent =
                switch request {
                case .run(let sql):
                    PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1)
                case .deallocate(let statement):
                    PQsendQueryParams(handle, "DEALLOCATE \(statement.name)", 0, nil, nil, nil, nil, 1)
                case .prepare(let statement):
                    PQsendPrepare(
                        handle, statement.name, statement.sql, CInt(statement.types.count), statement.types)
                case .execute(let statement, let arguments):
                    arguments.withPointers { count, values, lengths, formats in
                        PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1)
                    }
                }
            guard sent == 1 else { throw lose() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lose() }
        owed += 1
    }

    /// Reads answers up to the next synchronization point.
    private func discard(until deadline: ContinuousClock.Instant?) throws(ServerFailure) {
        let before = owed
        var empty = 0
        while owed == before {
            if let result = try next(until: deadline) {
                empty = 0
                if result.status == PGRES_PIPELINE_SYNC { owed -= 1 }
            } else {
                empty += 1
                // Two ends in a row mean that there is nothing more to read.
                if empty > 1 { throw lose() }
            }
        }
    }

    /// Reads the answers that were not awaited, as far as they have arrived. It does not wait.
    private func discardArrived() {
        var empty = 0
        while owed > 0, loss == nil, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle).map(ServerResult.init) else {
                empty += 1
                // Two ends in a row mean that there is nothing more to read.
                if empty > 1 { _ = lose() }
                continue
            }
            empty = 0
            switch result.status {
            case PGRES_PIPELINE_SYNC: owed -= 1
            case PGRES_FATAL_ERROR:
                let failure = result.failure(isConnected: PQstatus(handle) == CONNECTION_OK)
                if failure.remedy == .anotherConnection { _ = lose(failure) }
            default: break
            }
        }
    }

    /// Reads up to the synchronization point.
    /// - Returns: why the commit failed there. The answers to the statements came before it, and say nothing of that.
    private func awaitSynchronization(
        until deadline: ContinuousClock.Instant?
    ) throws(ServerFailure) -> ServerFailure? {
        var failure: ServerFailure?
        while true {
            guard let result = try next(until: deadline) else { throw lose(failure) }
            if result.status == PGRES_PIPELINE_SYNC {
                owed -= 1
                return failure
            }
            // A second one is the end of the connection.
            guard failure == nil else { throw lose(failure) }
            failure = result.failure(isConnected: PQstatus(handle) == CONNECTION_OK)
            // The end of the error's results.
            guard try next(until: deadline) == nil else { throw lose(failure) }
        }
    }

    /// The next result; `nil` at the end of a request's results.
    private func next(until deadline: ContinuousClock.Instant?) throws(ServerFailure) -> ServerResult? {
        var isFlushed = false
        while true {
            if !isFlushed {
                let pending = PQflush(handle)
                guard pending >= 0 else { throw lose() }
                isFlushed = pending == 0
            }
            if isFlushed, PQisBusy(handle) == 0 { break }
            var descriptor = pollfd(
                fd: PQsocket(handle), events: Int16(POLLIN) | (isFlushed ? 0 : Int16(POLLOUT)), revents: 0)
            guard descriptor.fd >= 0 else { throw lose() }
            let wait = deadline.map { max(0, ContinuousClock.now.duration(to: $0).wholeMilliseconds + 1) } ?? -1
            let ready = poll(&descriptor, 1, CInt(clamping: wait))
            if ready == 0 { throw giveUp() }
            if ready < 0 {
                guard errno == EINTR else { throw lose() }
                continue
            }
            guard PQconsumeInput(handle) == 1 else {
                // The reason of the end, such as a shutdown, may have arrived with it.
                if PQisBusy(handle) == 0 { break }
                throw lose()
            }
            // They may come for as long as the answer does not.
            keepNotices()
            // So may anything else that a server sends without end.
            if let deadline, ContinuousClock.now > deadline + Self.grace, !isFlushed || PQisBusy(handle) == 1 {
                throw giveUp()
            }
        }
        return PQgetResult(handle).map(ServerResult.init)
    }

    private var isReadable: Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return descriptor.fd < 0 || poll(&descriptor, 1, 0) != 0
    }

    /// Marks the connection as lost, because the server did not answer in time.
    private func giveUp() -> ServerFailure {
        loss = .silent
        return .lost(Self.silence)
    }

    /// Marks the connection as lost.
    private func lose(_ failure: ServerFailure? = nil) -> ServerFailure {
        if loss == nil { loss = .ended }
        if let failure { return ServerFailure(StoreError(.unavailable, failure.error.reason), .anotherConnection) }
        return .lost("the connection to the database was lost")
    }
}

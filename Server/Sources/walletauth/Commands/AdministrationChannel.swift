import Logging
import Operations
import Programs
import Store

/// Executes an administrative command. With SQLite: in the running server if there is one, otherwise directly on the
/// database, whose lock prevents both at once. With PostgreSQL: always on the database, which every server shares.
struct AdministrationChannel {
    let configuration: ServerConfiguration

    /// - Parameter effect: of the requested command.
    /// - Throws: `Refusal` if neither is possible, with the reason and a remedy.
    func answer(
        to request: AdminRequest, for effect: CommandEffect = .reads
    ) async throws -> AdministrationAnswer {
        if configuration.database.isPostgreSQL {
            return try await withOpened(for: effect.use) { await $0.answer(to: request, for: effect) }
        }
        let socket = configuration.adminSocketPath
        do {
            return try await AdminClient(path: socket).answer(to: request)
        } catch {
            switch error {
            case .nobodyListens:
                return try await directly(request, effect)
            case .notPermitted:
                throw Refusal(
                    "the server's socket \(socket) belongs to another user",
                    hint: "Run this as the user who runs the server", code: "access_denied")
            case .failed(let reason):
                throw Refusal("the server behind \(socket) could not be reached: \(reason)", code: "unavailable")
            }
        }
    }

    /// Opens a PostgreSQL database for some commands, and closes it again.
    ///
    /// - Throws: `Refusal` if another process keeps this one away, and the errors of `body`.
    func withServer<Value: Sendable>(
        for use: DatabaseUse, _ body: (AuthorizationServer) async throws -> Value
    ) async throws -> Value {
        try await withOpened(for: use) { try await body($0.server) }
    }

    /// Executes several commands. Without a running server, the database stays open, and locked, from the first to the last.
    ///
    /// - Throws: `Refusal` if they cannot be executed, and the errors of `body`.
    func withExecutor<Value: Sendable>(
        _ body: (@escaping (AdminRequest) async throws -> AdministrationAnswer) async throws -> Value
    ) async throws -> Value {
        if !configuration.database.isPostgreSQL {
            do {
                _ = try await AdminClient(path: configuration.adminSocketPath).status()
                return try await body { try await answer(to: $0, for: .changes) }
            } catch AdminClient.Unreachable.nobodyListens {
                guard configuration.database.exists else { throw Refusal(configuration.database.missing) }
            }
        }
        return try await withOpened(for: .administering) { opened in
            try await body { await opened.answer(to: $0, for: .changes) }
        }
    }

    private func withOpened<Value: Sendable>(
        for use: DatabaseUse, _ body: (OpenedServer) async throws -> Value
    ) async throws -> Value {
        let opened: OpenedServer
        do {
            opened = try await OpenedServer.open(configuration, for: use, logger: Logger(configuration).quieter)
        } catch let error as StoreError where error.code == .owned {
            throw Refusal(
                error.reason, hint: use.isExclusive ? Self.stopOthers : Self.waitForOther, code: error.code.rawValue)
        }
        do {
            let value = try await body(opened)
            await opened.close()
            return value
        } catch {
            await opened.close()
            throw error
        }
    }

    /// After the names of the processes that are connected.
    static let stopOthers =
        "This command needs the database to itself: stop every server and command, then run it again; nothing was changed"
    /// After the name of the process that has the database alone.
    static let waitForOther = "Wait until it is done, then run this again; nothing was changed"

    /// Says on standard error where a command has changed something: no server was asked, and none is named.
    func report(_ effect: CommandEffect, asJSON: Bool) {
        guard configuration.database.isPostgreSQL, !asJSON, effect == .changes || effect == .rewrapsKeys else { return }
        Terminal.complain(
            "changed in \(configuration.database.shown); running servers apply it within a second".escapedForOneLine)
    }

    /// Refuses if there is neither a database nor a socket, before the command asks for a password.
    ///
    /// - Throws: `Refusal` that explains how to create a database.
    func requireDestination() throws(Refusal) {
        guard configuration.database.exists || FileStatus(path: configuration.adminSocketPath) != nil else {
            throw Refusal(configuration.database.missing)
        }
    }

    private func directly(
        _ request: AdminRequest, _ effect: CommandEffect
    ) async throws -> AdministrationAnswer {
        guard configuration.database.exists || effect == .migrates else {
            throw Refusal(configuration.database.missing)
        }
        do {
            let opened = try await OpenedServer.open(
                configuration, for: effect == .rewrapsKeys ? .rewrapping : .administering,
                logger: Logger(configuration).quieter)
            let answer = await opened.answer(to: request, for: effect)
            await opened.close()
            return answer
        } catch let error as StoreError where error.code == .owned {
            throw Refusal(
                "\(error.reason), and no server responds on \(configuration.adminSocketPath): use the same "
                    + "\(Settings.adminSocket.spellings) as the server, or wait until the server has started or the other command is done",
                code: error.code.rawValue)
        }
    }
}

extension OpenedServer {
    /// Executes a command. `database migrate` also says what opening the database has done: created or migrated the schema.
    fileprivate func answer(
        to request: AdminRequest, for effect: CommandEffect
    ) async -> AdministrationAnswer {
        let marked = database as? MarkedDatabase
        let before = marked?.acknowledgedWrites
        var answer = await server.administration.execute(request)
        // A command may write more than once, so that nothing was changed is said only if no write was acknowledged.
        if let marked, let refusal = answer.refusal, refusal.isOfUnavailableDatabase,
            marked.acknowledgedWrites == before, migration.from == migration.to
        {
            return .refused(
                AdministrationRefusal(
                    refusal.message + " Nothing was changed.", hint: refusal.hint, code: refusal.code))
        }
        guard effect == .migrates, answer.status == .done, migration.from < migration.to else {
            return answer
        }
        answer.lines = [
            migration.from == 0
                ? "Created the schema: version \(migration.to)."
                : "Migrated the schema from version \(migration.from) to \(migration.to)."
        ]
        return answer
    }
}

extension AdministrationRefusal {
    /// Whether the database was unavailable, or a lock was not given up in time. Other than after an unknown outcome, the
    /// write that failed has changed nothing.
    fileprivate var isOfUnavailableDatabase: Bool { code == StoreError.Code.unavailable.rawValue }
}

extension CommandEffect {
    /// What a command opens a database for that several processes may share.
    fileprivate var use: DatabaseUse {
        switch self {
        case .migrates: .migrating
        case .replacesSettings: .alone
        case .rewrapsKeys: .rewrapping
        case .reads, .changes: .administering
        }
    }
}

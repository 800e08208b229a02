import Logging
import Store
import StorePostgreSQL
import StoreSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One of the two databases of a copy, open, with every other process kept away. Nothing in it was changed yet, and it was
/// not migrated.
///
/// This folder owns copying a database as an operator does it: both ends, the files next to them, and what is printed.
struct CopyEnd: Sendable {
    /// The option that names the destination, for messages.
    static let destinationFlag = "--to"

    let location: DatabaseLocation
    let database: any Database
    /// Whether it has no tables yet.
    let isEmpty: Bool
    /// Flushes writes and lets other processes use the database.
    let close: @Sendable () async -> Void

    /// - Throws: `Refusal`, or `CopyNotBegun`.
    static func open(_ location: DatabaseLocation, _ configuration: ServerConfiguration) async throws -> CopyEnd {
        let folder = URL(filePath: location.path).absoluteURL.deletingLastPathComponent().path
        guard FileStatus(path: folder)?.kind == .directory else {
            let files = location.isPostgreSQL ? "the files of \(location.shown)" : location.path
            throw Refusal("there is no folder \(folder) for \(files): create it with `mkdir -p \(folder)`")
        }
        do {
            switch location.engine {
            case .sqlite: return try await openFile(location, configuration)
            case .postgreSQL(let url): return try await openServer(location, url, configuration)
            }
        } catch let error as StoreError where error.code == .owned {
            throw Refusal(
                "\(location.shown) is in use: \(error.reason). Stop every server and command that uses it, and run this "
                    + "again")
        } catch let error as StoreError {
            let reason = location.isPostgreSQL ? error.explanation : error.reason
            let refusal = Refusal("\(location.shown) cannot be used: \(reason)", status: error.exitStatus)
            if error.isPassing { throw CopyNotBegun(reason: refusal) }
            throw refusal
        }
    }

    private static func openFile(
        _ location: DatabaseLocation, _ configuration: ServerConfiguration
    ) async throws -> CopyEnd {
        if let fault = location.exposure { throw Refusal(fault) }
        let report = StorageReport(logger: Logger(configuration), failures: DiskFailures(location))
        let database = try SQLiteDatabase.open(
            path: location.path,
            options: SQLiteOptions(
                logLimitPages: configuration.walLimit << 8, report: { event in report.take(event) }))
        do {
            // The lock is the kernel's, and lasts as long as this process.
            return CopyEnd(
                location: location, database: database, isEmpty: try await database.isEmpty(),
                close: { await database.close() })
        } catch {
            await database.close()
            throw error
        }
    }

    private static func openServer(
        _ location: DatabaseLocation, _ url: SecretText, _ configuration: ServerConfiguration
    ) async throws -> CopyEnd {
        // Once the lock was lost, another process could have used the database for a moment: nothing more is read or written.
        let database = try await PostgreSQLDatabase.join(
            url.reveal(), options: PostgreSQLOptions(connections: 2), as: .alone,
            examine: { _ in
                throw StoreError(
                    .unavailable, "the connection that keeps other processes out of \(location.shown) was lost")
            }, report: { _ in })
        let setting =
            location == configuration.database ? Settings.database.name : destinationFlag
        do {
            let state = try await OpenedEngine.examine(database, in: configuration.environment, setting: setting)
            return CopyEnd(
                location: location, database: database, isEmpty: state.schemaVersion == 0,
                close: { await database.close() })
        } catch {
            await database.close()
            throw error
        }
    }
}

/// A database could not be opened for now, so this run has copied nothing.
struct CopyNotBegun: Error {
    let reason: Refusal
}

extension DatabaseLocation {
    /// For messages, unlike a path alone.
    var asNamed: String { isPostgreSQL ? shown : "sqlite:" + path }

    /// As the setting `database` has it, without a password.
    var asCopied: String { isPostgreSQL ? withoutSecrets : "sqlite:" + path }
}

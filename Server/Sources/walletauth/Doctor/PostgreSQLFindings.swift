import AuthFoundation
import AuthStore
import AuthStorePostgreSQL

/// Checks that a PostgreSQL database can be reached and used: access, rights, encoding, protection of the connection,
/// clock and schema.
enum PostgreSQLFindings {
    /// Reads only, on a connection of its own.
    /// - Parameter readingContents: also examine keys, issuer, providers and clients, as if no server could be asked.
    static func of(
        _ url: SecretText, _ configuration: ServerConfiguration, readingContents: Bool
    ) async -> [Finding] {
        let database: PostgreSQLDatabase
        do {
            database = try await PostgreSQLDatabase.open(url.reveal(), options: PostgreSQLOptions(connections: 1))
        } catch {
            let error = error as? StoreError ?? StoreError(.unavailable, "\(error)")
            return [
                .fail(
                    "database", "\(configuration.database.shown) cannot be used: \(error.reason)",
                    remedy(for: error.code))
            ]
        }
        let findings = await examine(database, configuration, readingContents: readingContents)
        await database.close()
        return findings
    }

    private static func examine(
        _ database: PostgreSQLDatabase, _ configuration: ServerConfiguration, readingContents: Bool
    ) async -> [Finding] {
        var findings: [Finding] = []
        do {
            let state = try await database.state()
            findings.append(
                .ok("database", "PostgreSQL \(state.version / 10_000) answers, and the role has the rights it needs"))
            findings.append(
                protection(of: state, isVerified: database.verifiesServer, in: configuration.environment))
            findings.append(clock(state))
            let schema = DatabaseFindings.schema(at: state.schemaVersion)
            findings.append(schema)
            if readingContents, schema.status == .ok {
                findings += try await DatabaseFindings.contents(of: database, configuration)
            }
        } catch {
            let reason = (error as? StoreError)?.reason ?? "\(error)"
            findings.append(.fail("database", "it cannot be read: \(reason)", remedy(for: .unavailable)))
        }
        return findings
    }

    private static func protection(
        of state: PostgreSQLState, isVerified: Bool, in environment: ServerSettings.Environment
    ) -> Finding {
        switch state.transport {
        case .local:
            return .ok("database", "the connection stays on this machine")
        case .tls where isVerified:
            return .ok("database", "the connection is encrypted, and the server's certificate is verified")
        case .tls:
            return .warn(
                "database", "the connection is encrypted, but any server would be accepted",
                "Add sslmode=verify-full to \(Settings.database.name), and sslrootcert if its issuer is your own")
        case .unencrypted:
            return Finding(
                subject: "database", status: environment == .production ? .fail : .warn,
                detail: "the connection is not encrypted, so the network can read and change it",
                remedy: "Turn on TLS at the server, and add sslmode=verify-full to \(Settings.database.name)")
        }
    }

    private static func clock(_ state: PostgreSQLState) -> Finding {
        guard state.clockDifference.magnitude <= OpenedEngine.clockTolerance else {
            let fault = Fault.differentClocks(state.clockDifference)
            return .fail("clock", fault.problem, fault.remedy + ". Until then, no server starts")
        }
        return .ok(
            "clock", "the database server's clock differs by \(state.clockDifference.magnitude.asSetting)")
    }

    private static func remedy(for code: StoreError.Code) -> String {
        switch code {
        case .accessDenied:
            "Check the role, its password (PGPASSWORD or a passfile), its rights and the server's pg_hba.conf"
        case .readOnly: "Name the primary, or all servers: postgresql://user@first,second/database"
        case .foreignSchema, .unsuitable: "Create a database for this program, as docs/operating.md shows"
        case .notDurable: "Turn fsync and full_page_writes on at the server"
        default: "Check that the server runs, and that its host and port are right"
        }
    }
}

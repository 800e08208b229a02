import Core
import Kernel
import NIOCore
import NIOHTTP1
import NIOSSL
import Operations
import Outbound
import Programs
import Store
import StorePostgreSQL
import WalletAuthWire

/// Checks that a PostgreSQL database can be reached and used: access, rights, encoding, protection of the connection,
/// clock, schema, standbys, and the processes that share it.
enum PostgreSQLFindings {
    /// Reads only, on a connection of its own that no process of the group sees.
    /// - Parameter authorities: a PEM file of certificate authorities to trust besides the system's, where the servers are
    ///   asked under their public URL.
    static func of(
        _ url: SecretText, _ configuration: ServerConfiguration, authorities: String?
    ) async -> [Finding] {
        let database: PostgreSQLDatabase
        do {
            var options = PostgreSQLOptions(connections: 1)
            options.allowsSessionPooler = configuration.postgreSQLPooler == .session
            database = try await PostgreSQLDatabase.open(url.reveal(), options: options)
        } catch {
            let error = error as? StoreError ?? StoreError(.unavailable, "\(error)")
            return [
                Finding(
                    subject: "database", status: .fail,
                    detail: "\(configuration.database.shown) cannot be used: \(error.reason)", remedy: error.remedy)
                // A server that runs here has the port, also while its database is away.
            ] + ServerFindings.listener(of: configuration, isServing: await answers(configuration))
        }
        let findings = await examine(database, configuration, authorities: authorities)
        await database.close()
        return findings
    }

    private static func examine(
        _ database: PostgreSQLDatabase, _ configuration: ServerConfiguration, authorities: String?
    ) async -> [Finding] {
        var findings: [Finding] = []
        do {
            // First what needs no table: a lock on one may keep the rest from being read.
            let facts = try await PostgreSQLFacts.read(database)
            findings += await servers(facts, configuration) + locks(of: facts.lockHolders)
            let state = try await database.state()
            findings.append(
                .ok("database", "PostgreSQL \(facts.version) is reachable, and the role has the rights it needs"))
            findings.append(
                protection(of: state, isVerified: database.verifiesServer, in: configuration.environment))
            findings.append(clock(state))
            findings.append(await room(in: database))
            findings += database.unaskedHosts.map {
                Finding.warn(
                    "database", $0.words, "If it is a standby that is offline on purpose, there is nothing to do")
            }
            let schema = schema(at: state.schemaVersion, of: configuration.database, in: configuration.environment)
            let comparison: Finding? =
                try await schema.status == .ok ? age(of: database, configuration) : nil
            findings += of(
                facts, connections: configuration.postgreSQLConnections, isOlder: comparison?.status == .fail,
                hasSeveralHosts: database.hasSeveralHosts)
            findings.append(schema)
            if let comparison {
                findings.append(comparison)
                if !facts.members.isEmpty, let issuer = try await PinnedIssuer.read(database) {
                    findings.append(await readiness(of: issuer, trusting: authorities))
                }
                findings += try await DatabaseFindings.contents(of: database, configuration)
            }
        } catch {
            let error = error as? StoreError ?? StoreError(.unavailable, "\(error)")
            findings.append(
                Finding(
                    subject: "database", status: .fail, detail: "it cannot be read: \(error.reason)",
                    remedy: error.remedy))
        }
        return findings
    }

    // MARK: Servers

    private static func servers(
        _ facts: PostgreSQLFacts, _ configuration: ServerConfiguration
    ) async -> [Finding] {
        var name = [CChar](repeating: 0, count: 256)
        let own = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
        let host = String(decoding: own, as: UTF8.self)
        // The engine shortens the host in the name.
        let isServing = facts.members.contains { !$0.host.isEmpty && host.hasPrefix($0.host) }
        return members(facts.members)
            + ServerFindings.listener(
                of: configuration, isServing: isServing, other: await otherIssuer(listening: configuration))
    }

    /// Whether a server answers where this configuration listens.
    private static func answers(_ configuration: ServerConfiguration) async -> Bool {
        await answer(to: "/health/live", at: configuration) == #"{"status":"live"}"#
    }

    /// The issuer of the server that answers where this configuration listens; nil if it is the configured one, or if no
    /// server tells.
    private static func otherIssuer(listening configuration: ServerConfiguration) async -> Issuer? {
        guard let own = configuration.issuer,
            let text = await answer(to: Endpoints.oauthMetadata.path + own.pathPrefix, at: configuration),
            let name = try? JSONValue.object(parsing: Array(text.utf8)).string("issuer"),
            let issuer = try? Issuer(name), issuer != own
        else { return nil }
        return issuer
    }

    /// The body of an answer with status 200, from where this configuration listens. Any certificate will do: it may name
    /// only the issuer.
    private static func answer(to path: String, at configuration: ServerConfiguration) async -> String? {
        guard configuration.port != 0 else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let url = configuration.ownURL(host: configuration.host, port: configuration.port) + path
        // Another program may listen there, or none.
        guard let response = try? await DoctorRequest(url: url, tls: tls).response(), response.status == .ok else {
            return nil
        }
        return String(buffer: response.body)
    }

    /// The processes that use the database.
    static func members(_ members: [PostgreSQLMember]) -> [Finding] {
        guard !members.isEmpty else { return [.ok("server", "no server is running on this database")] }
        let list = members.map(\.words).joined(separator: ", ")
        let count = members.count.counted("process uses", "processes use")
        let found = Finding.ok("server", "\(count) the database: \(list)")
        let others = Set(members.compactMap(\.version)).subtracting([ProgramVersion.current])
        guard !others.isEmpty else { return [found] }
        return [
            found,
            .warn(
                "server",
                "not all of them run version \(ProgramVersion.current), as this program does: "
                    + others.sorted().joined(separator: ", "),
                "Finish the upgrade: restart each server with the new version"),
        ]
    }

    /// Sessions that keep the servers from the tables, or may do so.
    static func locks(of holders: [PostgreSQLLockHolder]) -> [Finding] {
        holders.map { holder -> Finding in
            let wait = holder.wait.map { ", and others have waited for it for \($0.asSetting)" } ?? ""
            return .warn(
                "database", "the session \(holder.words) has locks on \(holder.tables)\(wait)",
                "Commit or roll back there, or end it, as its role or a superuser: SELECT "
                    + "pg_terminate_backend(\(holder.processID))")
        }
    }

    /// Whether the servers answer under their public URL, as clients reach them.
    static func readiness(of issuer: String, trusting authorities: String?) async -> Finding {
        let url = issuer + (issuer.hasSuffix("/") ? "" : "/") + "health/ready"
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities, !authorities.isEmpty {
            guard FileStatus(path: authorities) != nil else {
                return .warn(
                    "server",
                    "\(url) was not checked: SSL_CERT_FILE names the file \(authorities), which does not exist",
                    "Name a PEM file of certificate authorities there, or remove the variable")
            }
            tls.additionalTrustRoots = [.file(authorities)]
        }
        do {
            let status = try await DoctorRequest(url: url, tls: tls).response().status
            return status == .ok
                ? .ok("server", "\(url) reports that it is ready")
                : .fail(
                    "server", "\(url) returns \(status.code)",
                    "503 means that the server cannot write to its database, or that it is damaged: see its log. Any other "
                        + "status comes from a proxy"
                )
        } catch {
            let fault = GuardedHTTP.fault(for: error)
            guard fault as? OutboundFault != .untrusted else {
                return .warn(
                    "server",
                    "\(url) was not checked: this machine does not trust its certificate, because of the authority, the host "
                        + "name or the time",
                    """
                    If your own authority issued the certificate, name the authority's PEM file in the variable \
                    SSL_CERT_FILE; otherwise look at the certificate that the server or its proxy uses
                    """)
            }
            let reason =
                fault as? OutboundFault == .broken ? "no connection could be made, or it broke" : "\(fault)"
            return .warn(
                "server", "\(url) does not respond: \(reason)",
                "Check the port and the proxy, and whether this machine may connect to it")
        }
    }

    // MARK: The database's server

    /// Whether tables can grow. Without room, what changes a row in place may still succeed.
    private static func room(in database: PostgreSQLDatabase) async -> Finding {
        do {
            try await database.requireRoom()
            return .ok("database", "the disk of its tables has room")
        } catch {
            let error = error as? StoreError ?? StoreError(.unavailable, "\(error)")
            return Finding(
                subject: "database", status: .fail, detail: "its tables cannot grow: \(error.reason)",
                remedy: error.remedy)
        }
    }

    /// Findings on the role, the server's settings and its standbys.
    /// - Parameters:
    ///   - connections: of each server.
    ///   - isOlder: whether the database lacks what this machine has seen.
    static func of(
        _ facts: PostgreSQLFacts, connections: Int, isOlder: Bool = false, hasSeveralHosts: Bool = false
    ) -> [Finding] {
        var findings =
            rights(facts) + standbys(facts, isOlder: isOlder) + capacity(facts, connections: connections)
        if hasSeveralHosts, !facts.readsTimeline {
            findings.append(
                .warn(
                    "database",
                    "the role cannot read the timeline: if two hosts accept writes, servers cannot tell which was promoted later",
                    "In this database, as a superuser, on each host that accepts writes: GRANT EXECUTE ON FUNCTION "
                        + "pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO \(quoted(facts.role))")
            )
        }
        if !facts.vacuumsAutomatically {
            findings.append(
                .warn(
                    "database", "autovacuum is off, so tables and indexes grow without limit",
                    "Turn it on: ALTER SYSTEM SET autovacuum = on, then SELECT pg_reload_conf()"))
        }
        return findings
    }

    private static func rights(_ facts: PostgreSQLFacts) -> [Finding] {
        var findings: [Finding] = []
        if facts.isSuperuser {
            findings.append(
                .warn(
                    "database",
                    "the role \(facts.role) is a superuser: an attacker who takes over a server could run programs "
                        + "on the database's machine",
                    "Create a role that only owns this database, as docs/postgresql.md shows"))
        } else if !facts.attributes.isEmpty {
            findings.append(
                .warn(
                    "database",
                    "the role \(facts.role) may do more than it needs: \(facts.attributes.joined(separator: ", "))",
                    "ALTER ROLE \(quoted(facts.role)) " + facts.attributes.map { "NO" + $0 }.joined(separator: " ")))
        }
        if facts.admitsEveryone {
            findings.append(
                .warn(
                    "database",
                    "every role of the server may connect to the database \(facts.database), and could take the lock "
                        + "that keeps all servers out",
                    "REVOKE CONNECT ON DATABASE \(quoted(facts.database)) FROM PUBLIC"))
        }
        return findings
    }

    /// Standbys that a commit does not wait for lack the last ones in a failover.
    private static func standbys(_ facts: PostgreSQLFacts, isOlder: Bool) -> [Finding] {
        let isSynchronous = !facts.synchronousStandbys.isEmpty
        if ["local", "off"].contains(facts.synchronousCommit), isSynchronous || facts.synchronousCommit == "off" {
            let effect =
                isSynchronous
                ? "so commits do not wait for the standbys, and a failover loses the last ones"
                : "which this program overrides for itself"
            return [
                .warn(
                    "database", "synchronous_commit is \(facts.synchronousCommit), \(effect)",
                    "Leave it on, for the server, the database and the role")
            ]
        }
        if isSynchronous, facts.standbys == 0 {
            return [
                .fail(
                    "database",
                    "synchronous_standby_names names standbys, and none is connected: every write waits, and then fails",
                    isOlder
                        ? "Leave the setting as it is until you know which host is the primary: this one may be an old primary"
                        : "Start one; or, to continue without it, empty the setting and SELECT pg_reload_conf()")
            ]
        }
        if !isSynchronous, facts.standbys > 0 {
            return [
                .warn(
                    "database",
                    "the standbys (\(facts.standbys)) follow asynchronously: a failover loses the last commits, and then "
                        + "every server stops until `walletauth database restored` has been run",
                    "Set synchronous_standby_names, so that each commit waits for one of them")
            ]
        }
        return isSynchronous ? [.ok("database", "each commit waits for a standby (connected: \(facts.standbys))")] : []
    }

    private static func capacity(_ facts: PostgreSQLFacts, connections: Int) -> [Finding] {
        // The group's session, and the test writes of the readiness check.
        let each = Int64(connections) + 2
        // One more server, for a restart that overlaps with the end of the former one, and a command.
        let needed = Int64(facts.members.count + 1) * each + 3
        // The numbers are the server's: a broken one must not end the doctor.
        guard facts.connectionLimit < needed || facts.connectionLimit &- facts.connections < each else {
            return [.ok("database", "\(facts.connections) of \(facts.connectionLimit) connections are in use")]
        }
        return [
            .warn(
                "database",
                "\(facts.connections) of \(facts.connectionLimit) connections are in use, and each server takes \(each): "
                    + "another server may not get all of its own",
                "Raise max_connections (or the limit of the role or database), or lower "
                    + Settings.postgreSQLConnections.spellings)
        ]
    }

    private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// - Parameter version: 0 for an empty database, which a server refuses in production.
    static func schema(
        at version: Int64, of database: DatabaseLocation, in environment: ServerSettings.Environment
    ) -> Finding {
        guard version == 0 else { return DatabaseFindings.schema(at: version) }
        guard environment == .sandbox else {
            let fault = Fault.emptyDatabase(database.shown)
            return .fail("database", fault.problem, fault.remedy)
        }
        return .warn(
            "database", "the database \(database.shown) is empty",
            "`walletauth database migrate`, or the next start, creates the schema")
    }

    /// Whether the database has everything that this machine has seen.
    private static func age(of database: any Database, _ configuration: ServerConfiguration) async throws -> Finding {
        let file = SeenMarksFile(path: configuration.database.marksPath)
        let (found, server) = try await database.read { (try DatabaseMarks.read(on: $0), $0.serverName) }
        let seen: SeenMarks?
        do { seen = try file.read() } catch { return .fail("database", error.description, "Then run the doctor again") }
        let verdict = SeenMarks.verdict(on: found, seen: seen, now: SystemClock().now())
        guard verdict == .current else {
            let reason = verdict.explanation(
                database: configuration.database.shown, at: server, file: file.path)
            return .fail("database", reason, "Until then, no server starts")
        }
        return .ok(
            "database",
            seen == nil
                ? "this machine has seen nothing of it yet, so it could not notice an older database"
                : "it has everything that this machine has seen")
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
                "Add sslmode=verify-full to \(Settings.database.name), and sslrootcert if your own authority issued "
                    + "its certificate")
        case .unencrypted:
            return Finding(
                subject: "database", status: environment == .production ? .fail : .warn,
                detail: "the connection is not encrypted, so anyone on the network can read and change it",
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
}

import Foundation

/// A PostgreSQL server of its own, in a temporary folder and on a Unix socket. It ends with the test process, however
/// that ends.
package final class PostgreSQLServer: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The server of all tests that leave it as it is.
    private static let common = Task { try await PostgreSQLServer.start() }

    package static func shared() async throws -> PostgreSQLServer { try await common.value }

    /// In `/tmp`, because the path of a Unix socket is limited.
    package let folder: String
    /// The port on 127.0.0.1, for connections with TLS only; `nil` for a server on a Unix socket alone.
    package let port: Int?
    /// The script that keeps the server ends when this is closed, at the latest with this process.
    private let lifeline: Pipe

    private init(folder: String, port: Int?, lifeline: Pipe) {
        self.folder = folder
        self.port = port
        self.lifeline = lifeline
    }

    deinit { try? lifeline.fileHandleForWriting.close() }

    package var data: String { folder + "/data" }

    /// The name by which a primary knows this server as its standby.
    package var name: String { URL(fileURLWithPath: folder).lastPathComponent }

    /// - Parameters:
    ///   - primary: the server that it is a standby of; `nil` for a primary.
    ///   - smallDisk: the size in MiB of a file system that only this server sees, at ``smallDisk``. This takes root.
    ///   - listensWithTLS: whether it also listens on 127.0.0.1, with a certificate for `localhost` and `db.example.com`.
    package static func start(
        standbyOf primary: PostgreSQLServer? = nil, smallDisk: Int? = nil, listensWithTLS: Bool = false
    ) async throws -> PostgreSQLServer {
        let name = "walletauth-pg-\(UUID().uuidString.prefix(8))"
        let folder = "/tmp/\(name)"
        let port = try listensWithTLS ? FreePorts.next() : nil
        let fill =
            primary.map {
                let source = "host=\($0.folder) user=postgres application_name=\(name)"
                return "pg_basebackup -D data -d '\(source)' -R -c fast --no-sync"
            } ?? "initdb -D data -A trust -U postgres --encoding=UTF8 --locale=C --no-sync"
        let script = """
            set -eu
            mkdir '\(folder)'
            cd '\(folder)'
            \(prelude)
            # In memory where there is room: hundreds of databases would keep the disk from everything else.
            memory=/dev/shm/${PWD##*/}
            remove() {
                # A server that was killed, or never started, cannot be stopped.
                pg_ctl -D data -m immediate stop || true
                rm -rf '\(folder)' "$memory"
            }
            trap 'remove >/dev/null 2>&1' EXIT
            room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
            if ((${room:-0} > 4000000)); then
                mkdir -m 700 "$memory"
                ln -s "$memory" data
            fi
            { \(fill); } >log 2>&1 || { cat log; exit 1; }
            cat >>data/postgresql.conf <<CONF
            listen_addresses = ''
            unix_socket_directories = '\(folder)'
            max_connections = 300
            max_pred_locks_per_transaction = 256
            shared_buffers = 128MB
            autovacuum = on
            # In files of the data folder: what is in /dev/shm outlives a server that is killed.
            dynamic_shared_memory_type = mmap
            CONF
            printf '%s\\n' 'local all guarded scram-sha-256' 'local all closed reject' 'local all all trust' \
                'local replication all trust' >data/pg_hba.conf
            \(port.map(listening) ?? "")
            alone pg_ctl -D "$PWD/data" -w -l log start >/dev/null 2>&1 || { cat log; exit 1; }
            # What stays in the background holds nothing open but the lifeline.
            keep() {
                cat
                remove
            }
            exec 3<&0
            alone keep <&3 >/dev/null 2>&1 &
            trap - EXIT
            echo ready
            """
        let process = Process()
        // A server refuses to run as root.
        let command = (smallDisk.map(Self.mounting) ?? []) + (getuid() == 0 ? Self.unprivileged : [])
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + ["bash", "-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        let (lifeline, output) = (Pipe(), Pipe())
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        let answer = await Self.firstLine(of: output)
        guard answer == "ready" else { throw Failure(description: "no PostgreSQL server for the tests: \(answer)") }
        return PostgreSQLServer(folder: folder, port: port, lifeline: lifeline)
    }

    /// A folder that every system has. The file system there ends with the last process that sees it.
    package static let smallDisk = "/mnt"

    private static func mounting(_ size: Int) -> [String] {
        let script = """
            mount -t tmpfs -o size=\(size)m,mode=700,uid=$(id -u nobody),gid=$(id -g nobody) walletauth \(smallDisk)
            exec "$@"
            """
        return ["unshare", "--mount", "bash", "-ec", script, "bash"]
    }

    /// Whether `start(smallDisk:)` works here.
    package static func mayMount() async -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = mounting(1) + unprivileged + ["true"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return await withCheckedContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus == 0) }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(returning: false)
            }
        }
    }

    package static let unprivileged = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

    /// The beginning of each script. Debian keeps the server's programs outside of the search path. On a busy machine a start may take
    /// longer than the minute for which pg_ctl waits. `alone` runs a command that outlasts the script: it holds nothing open by which this
    /// process notices the script's end.
    package static let prelude = """
        PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1):$PATH
        unset PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
        export PGCTLTIMEOUT=600
        alone() (
            for fd in /proc/$BASHPID/fd/*; do
                fd=${fd##*/}
                if ((fd > 2)); then eval "exec $fd>&-"; fi
            done
            "$@"
        )
        """

    private static func firstLine(of pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var text = ""
                while !text.contains("\n") {
                    let bytes = pipe.fileHandleForReading.availableData
                    if bytes.isEmpty { break }
                    text += String(decoding: bytes, as: UTF8.self)
                }
                continuation.resume(returning: text.split(separator: "\n").first.map(String.init) ?? text)
            }
        }
    }

    // MARK: Use

    /// - Parameters:
    ///   - schema: the search path; `nil` for the default.
    ///   - more: further settings.
    package func string(
        schema: String? = nil, user: String = "postgres", database: String = "postgres", host: String? = nil,
        _ more: String = ""
    ) -> String {
        "host=\(host ?? folder) user=\(user) dbname=\(database) " + (port.map { "port=\($0) " } ?? "")
            + (schema.map { "options='-c search_path=\($0)' " } ?? "") + more
    }

    /// The URL of a database, with the socket's folder as its host. A busy machine may take long to answer.
    /// - Parameter password: for servers that ask for one.
    package func url(database: String, user: String = "postgres", password: String? = nil) -> String {
        let secret = password.map { ":\($0)" } ?? ""
        let more = port.map { "&port=\($0)" } ?? ""
        return "postgresql://\(user)\(secret)@/\(database)?host=\(folder)\(more)&connect_timeout=60"
    }

    /// Runs statements in one session of psql, each in its own transaction.
    package func run(_ statements: String..., database: String = "postgres") async throws {
        try await script(
            "psql -X -q -h '\(folder)' -U postgres -d \(database) -v ON_ERROR_STOP=1 >/dev/null \"$@\"",
            statements.flatMap { ["-c", $0] })
    }

    /// The first column of a query's rows, as text.
    package func values(_ query: String, database: String = "postgres") async throws -> [String] {
        let text = try await script(
            "psql -X -q -A -t -h '\(folder)' -U postgres -d \(database) -v ON_ERROR_STOP=1 -c \"$1\"", [query])
        return text.split(separator: "\n").map(String.init)
    }

    /// Stops and starts the server; open connections end.
    package func restart() async throws {
        try await script("alone pg_ctl -D '\(data)' -m fast -w -l '\(folder)/log' restart >/dev/null")
    }

    package func stop() async throws {
        try await script("pg_ctl -D '\(data)' -m fast -w stop >/dev/null")
    }

    package func startAgain() async throws {
        try await script("alone pg_ctl -D '\(data)' -w -l '\(folder)/log' start >/dev/null")
    }

    // MARK: Power cuts, and standbys

    /// Ends the server as a power cut does: all of its processes at once, and its segment of System V shared memory.
    package func kill() async throws {
        try await script(
            """
            # The first line is the process, the seventh the key and the id of the segment (pidfile.h).
            process=$(head -n 1 '\(data)/postmaster.pid')
            segment=$(awk 'NR == 7 { print $2 }' '\(data)/postmaster.pid')
            kill -9 $process $(cat /proc/$process/task/$process/children) 2>/dev/null || true
            ipcrm -m "$segment"
            """)
    }

    /// Ends single processes of the server. It then ends all others as well, recovers, and goes on.
    package func kill(_ processes: [String]) async throws {
        try await script("kill -9 \"$@\" 2>/dev/null || true", processes)
    }

    /// Makes every commit wait for one of these standbys. Returns once each of them confirms commits.
    package func confirm(by standbys: PostgreSQLServer...) async throws {
        let names = Set(standbys.map { $0.name })
        let quoted = names.map { "\"\($0)\"" }.joined(separator: ", ")
        try await run(
            "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (\(quoted))'", "SELECT pg_reload_conf()")
        let end = ContinuousClock.now + .seconds(300)
        while try await confirmingStandbys() != names {
            guard ContinuousClock.now < end else { throw Failure(description: "a standby does not follow") }
        }
    }

    /// The names of the standbys that confirm commits.
    package func confirmingStandbys() async throws -> Set<String> {
        Set(
            try await values(
                "SELECT application_name FROM pg_catalog.pg_stat_replication WHERE sync_state = 'quorum'"))
    }

    /// Makes a standby the primary.
    package func promote() async throws {
        try await script("pg_ctl -D '\(data)' -w promote >/dev/null")
    }

    @discardableResult
    private func script(_ text: String, _ arguments: [String] = []) async throws -> String {
        let prelude = Self.prelude + (port.map { "\nexport PGPORT=\($0)" } ?? "")
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let process = Process()
                        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                        process.arguments =
                            (getuid() == 0 ? Self.unprivileged : [])
                            + ["bash", "-c", prelude + "\n" + text, "bash"] + arguments
                        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
                        let output = Pipe()
                        process.standardInput = FileHandle.nullDevice
                        process.standardOutput = output
                        process.standardError = output
                        try process.run()
                        let bytes = output.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        let result = String(decoding: bytes, as: UTF8.self)
                        guard process.terminationStatus == 0 else { throw Failure(description: result) }
                        return result
                    })
            }
        }
    }
}

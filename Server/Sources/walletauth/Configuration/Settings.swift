import Kernel
import Logging
import WalletAuthWire

/// Every setting of the program, each declared once.
enum Settings {
    static let environment = Setting(
        "environment", type: "sandbox or production", default: .sandbox,
        """
        The sandbox needs no configuration and limits no codes; production refuses to start with unsafe settings.
        """, parse: SettingTypes.choice(ServerSettings.Environment.self))

    static let config = Setting(
        "config", type: "path", fallback: "none", sources: [.flag, .environment],
        """
        The YAML file with settings. Some name commands that the server runs, so it must belong to root or to the user who \
        runs the server, and no one else, not even a group, may have write access.
        """, parse: SettingTypes.text)

    static let database = Setting(
        "database", type: "sqlite:PATH or postgresql://…", default: DatabaseLocation(path: "walletauth.db"),
        """
        The database of sessions, accounts and clients. SQLite's file is created with mode 0600; its write-ahead log, \
        its lock and the administration socket are in the same directory, which must be writable. For PostgreSQL, a \
        URL with libpq's parameters, such as postgresql://walletauth@db.example.com/walletauth?sslmode=verify-full; \
        any number of servers may share the database. Keep the password out of the URL: use PGPASSWORD or a passfile. \
        In production a connection that leaves the machine needs sslmode=verify-full.
        """, parse: SettingTypes.database)

    static let postgreSQLConnections = Setting(
        "postgresql.connections", type: "number", default: 8,
        """
        How many connections each server opens to PostgreSQL. Two more show the other servers that it is running, and \
        test whether writes work. With three or more, one is for reads alone, and one for calls that need not wait for a lock.
        """, parse: SettingTypes.integer(1...200))

    static let postgreSQLPooler = Setting(
        "postgresql.pooler", type: "none or session", default: .direct,
        """
        Whether a pooler is between this program and PostgreSQL. Only one that gives each connection a session of its \
        own works (PgBouncer's pool_mode=session). One that shares sessions is detected and refused.
        """, parse: SettingTypes.choice(PostgreSQLPooler.self))

    static let postgreSQLFolder = Setting(
        "postgresql.folder", type: "path", default: ".",
        """
        With PostgreSQL, the folder for walletauth.checkpoints, walletauth.marks (what this machine has seen of the \
        database, so that an older one is noticed) and the sandbox's walletauth.master-key. Servers on one machine may \
        share it. In production it is required and must be writable. With SQLite, such files are next to the database.
        """, parse: SettingTypes.text)

    static let walLimit = Setting(
        "walLimit", type: "MiB", default: 1024,
        """
        The size of the write-ahead log at which writes are refused with 503. The log grows if the disk has no room \
        to copy it into the database, or while a long backup still needs all of it.
        """, parse: SettingTypes.integer(64...1_048_576))

    static let issuer = Setting(
        "issuer", type: "URL", fallback: "sandbox: http://HOST:PORT; production: none, required",
        """
        The exact public base URL of this server: it appears in every token and in discovery, and clients compare it. \
        The first start records it in the database, and a start under another one is refused; `walletauth database \
        change-issuer` changes it deliberately.
        """, parse: SettingTypes.issuer)

    static let host = Setting(
        "host", type: "address", default: "127.0.0.1", "The address to listen on.", parse: SettingTypes.text)

    static let port = Setting(
        "port", type: "port", default: 8700, "The port to listen on; 0 picks any free one.",
        parse: SettingTypes.port)

    static let masterKeyFile = Setting(
        "masterKey.file", type: "path", fallback: "sandbox: DATABASE.master-key, generated; production: none",
        """
        A file with the 32-byte master key in base64, base64url or hexadecimal, readable only by its owner. It wraps \
        every other key: without it the database is useless, and with both of them everything can be read. While a new \
        one takes its place (`keys rotate-master`), there are two lines: the new key, then the old one.
        """, parse: SettingTypes.text)

    static let masterKeyCommand = Setting(
        "masterKey.command", type: "shell command", fallback: "none",
        """
        A command that prints the master key, for keys in a vault. It runs in /bin/sh at start and may take 10 \
        seconds.
        """, parse: SettingTypes.text)

    static let masterKey = Setting(
        "masterKey", type: "key", fallback: "none", sources: .environment,
        """
        The master key itself. Only from the environment: the process list would show a flag, and configuration files \
        get copied.
        """, parse: SettingTypes.text)

    static let tlsCertificate = Setting(
        "tls.certificate", type: "path", fallback: "none",
        """
        A PEM file with the certificate and its chain. Together with tls.key it turns on TLS with HTTP/2. The server \
        reads both files again when they change.
        """, parse: SettingTypes.text)

    static let tlsKey = Setting(
        "tls.key", type: "path", fallback: "none",
        "A PEM file with the certificate's private key, readable only by its owner.", parse: SettingTypes.text)

    static let trustedProxies = Setting(
        "trustedProxies", type: "list of addresses", fallback: "none",
        """
        The proxies in front of this server that terminate TLS, as addresses or ranges. Only from these does the server \
        accept the client's address in X-Forwarded-For.
        """, parse: SettingTypes.networks)

    static let adminSocket = Setting(
        "adminSocket", type: "path", fallback: "DATABASE.sock",
        """
        With SQLite, the Unix socket, mode 0600, through which the other subcommands reach a running server. At most 100 \
        bytes. With PostgreSQL there is none, and this setting is refused.
        """, parse: SettingTypes.text)

    static let adminAPI = Setting(
        "admin.api", type: "true or false", default: false,
        """
        Whether people with a role (`walletauth operator grant`) and backends with one administer the server over HTTP, at \
        /admin/v1.
        """, parse: SettingTypes.truth)

    static let adminConsole = Setting(
        "admin.console", type: "true or false", default: false,
        """
        Whether people with a role find and help accounts on pages at /admin, in a browser.
        """, parse: SettingTypes.truth)

    static let adminListen = Setting(
        "admin.listen", type: "HOST:PORT", fallback: "none",
        """
        A second address to listen on, for /admin and /admin/v1, which are then 404 at the first.
        """, parse: SettingTypes.listenAddress)

    static let adminOrigin = Setting(
        "admin.origin", type: "URL", fallback: "sandbox: that of admin.listen; else the issuer's",
        """
        Where admin.listen is reached, if not at the issuer's host and port: `https://id.example.com:8443`. A console \
        needs the issuer's host, where people sign in: cookies reach other ports, and no other host.
        """, parse: SettingTypes.origin)

    static let metricsListen = Setting(
        "metrics.listen", type: "HOST:PORT", fallback: "none",
        """
        A second address to listen on, for /metrics, then 404 at the first. It answers all who reach it, on loopback \
        under the issuer's host or a loopback one.
        """, parse: SettingTypes.listenAddress)

    static let twoOperators = Setting(
        "admin.twoOperators", type: "true or false", default: false,
        """
        Whether erasing and merging accounts, changing contacts, rotating keys and all that only owners of all brands change take two \
        people at /admin/v1: the first call waits 24 hours for the same call by another operator. The command line needs one.
        """, parse: SettingTypes.truth)

    static let scim = Setting(
        "scim", type: "true or false", default: false,
        """
        Whether directories such as Okta and Entra ID create, change and close accounts over SCIM 2.0, at /scim/v2. Each is \
        a confidential client with the scope scim.
        """, parse: SettingTypes.truth)

    static let logFormat = Setting(
        "log.format", type: "text or json", default: .text,
        "The format of the log, and of the ready line.",
        parse: SettingTypes.choice(LogFormat.self))

    static let logLevel = Setting(
        "log.level", type: "trace to critical", default: .info, "The least severe level that is logged.",
        parse: SettingTypes.logLevel)

    static let shutdownDelay = Setting(
        "shutdownDelay", type: "duration", default: .seconds(0),
        """
        How long the server keeps accepting requests after SIGTERM. /health/ready returns 404 meanwhile, so that a \
        proxy that checks it sends new requests to other servers. Make it longer than the proxy takes to notice.
        """, parse: SettingTypes.duration(.seconds(0) ... .seconds(300)))

    static let shutdownTimeout = Setting(
        "shutdownTimeout", type: "duration", default: .seconds(10),
        "How long requests in flight may take to finish after SIGTERM and shutdownDelay before they are cut off.",
        parse: SettingTypes.duration(.milliseconds(100) ... .seconds(300)))

    static let passwordsConcurrentHashes = Setting(
        "passwords.concurrentHashes", type: "number", fallback: "the number of processors",
        "How many passwords are hashed at once. Each takes 19 MiB of memory and one processor for about 20 ms.",
        parse: SettingTypes.integer(1...1024))

    static let passwordsQueue = Setting(
        "passwords.queue", type: "number", default: PasswordHashing().queueLimit,
        "How many sign-ins may wait for a hash. Further ones get 503 with Retry-After. One user name may take "
            + "an eighth of the places, one network a quarter and one /48 of IPv6 three eighths; a quarter is reserved "
            + "for known devices.",
        parse: SettingTypes.integer(0...100_000))

    static let coolingPeriod = Setting(
        "devices.coolingPeriod", type: "duration", default: DevicePolicy().coolingPeriod,
        """
        How long a newly enrolled device or passkey cannot approve payments, change the account or recover it, and how \
        long nothing can be added or changed after a recovery by e-mail alone, or by e-mail and SMS. In production at \
        least an hour; the sandbox accepts seconds, so that you can try everything.
        """,
        parse: SettingTypes.duration(.seconds(1) ... .seconds(30 * 86_400)))

    static let limitsSessions = Setting(
        "limits.sessions", type: "number", default: SessionPolicy().limit,
        """
        How many open sessions one account may have at one client. A further sign-in ends the one that was idle longest, and \
        the person is notified, at most once a day.
        """, parse: SettingTypes.integer(1...10_000))

    static let limitsSilentSignIns = Setting(
        "limits.silentSignIns", type: "number", default: SessionPolicy().silentSignIns,
        """
        How many times in a row a signed-in browser gets a code without a page. Each further one has to wait 10 seconds, until \
        none was requested for ten minutes. All browsers of an account get ten times as many, and then wait a second for each.
        """, parse: SettingTypes.integer(1...1_000_000))

    static let sweepInterval = Setting(
        "sweepInterval", type: "duration", default: .seconds(60),
        "How often expired rows are removed, in small batches.",
        parse: SettingTypes.duration(.seconds(1) ... .seconds(86_400)))

    static let signingKeysRotationInterval = Setting(
        "signingKeys.rotationInterval", type: "duration", default: .seconds(90 * 86_400),
        "How long a signing key signs before its published successor takes over.",
        parse: SettingTypes.duration(.seconds(3600) ... .seconds(400 * 86_400)))

    static let auditCheckpoints = Setting(
        "audit.checkpoints", type: "path", fallback: "DATABASE.checkpoints",
        """
        The file to which a signed checkpoint of the audit log is appended after every 1000 entries and every hour. \
        With several servers, one at a time does this. Preferably on another machine: anything that can write to the \
        database should not be able to write to this file.
        """, parse: SettingTypes.text)

    /// In the order of the documentation.
    static let all: [any DeclaredSetting] =
        [
            environment, config, database, postgreSQLConnections, postgreSQLPooler, postgreSQLFolder, walLimit, issuer,
            host, port, masterKeyFile, masterKeyCommand, masterKey, tlsCertificate, tlsKey, trustedProxies, adminSocket,
            adminAPI, adminConsole, adminListen, adminOrigin, metricsListen, twoOperators, scim, logFormat, logLevel,
            shutdownDelay, shutdownTimeout,
            passwordsConcurrentHashes,
            passwordsQueue,
        ] + breaches + network + guestCodes + [
            coolingPeriod
        ] + attestation + [
            limitsSessions, limitsSilentSignIns, sweepInterval, signingKeysRotationInterval,
            auditCheckpoints,
        ] + sca + outbound + push

    /// The settings that administrative subcommands accept as flags: enough to find the database, its keys and its
    /// socket.
    static let locating: [any DeclaredSetting] = [
        environment, config, database, postgreSQLConnections, postgreSQLPooler, postgreSQLFolder, masterKeyFile,
        masterKeyCommand, adminSocket, logFormat, logLevel, auditCheckpoints,
    ]
}

enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json
}

/// What is between this program and PostgreSQL.
enum PostgreSQLPooler: String, CaseIterable, Sendable {
    case direct = "none"
    case session
}

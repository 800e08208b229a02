import Apple
import ArgumentParser
import HTTP
import Kernel
import Logging
import Operations
import Programs
import ServiceLifecycle
import Store
import Synchronization
import UnixSignals
import WalletAuthWire

/// Serves until a signal stops it.
struct ServeCommand: ProgramCommand, ArgumentExplaining {
    static let insteadOfArgument = SettingFlags.insteadOfArgument

    // Made once: the parser of arguments asks for it several times in every command.
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until SIGTERM; without configuration, as a sandbox.",
        discussion: """
            A sandbox, or a server with its configuration:

              walletauth serve
              walletauth serve --config /etc/walletauth/walletauth.yaml

            Prints a line with its URL on standard output when it is ready, and logs on standard error. On SIGTERM or \
            SIGINT it waits for the shutdown delay, if there is one, stops accepting connections, finishes requests in \
            flight, and exits with 0.

            """ + ConfigurationDocument.help)

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .serving, flags: invocation.flags, environment: invocation.environment)
        try await ServerProcess(configuration: configuration).run()
    }
}

/// The serving process: creates every part and connects them. It contains no flows.
struct ServerProcess: Sendable {
    let configuration: ServerConfiguration

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: an error if something required is missing, before the line "ready", or if a part of the server stops
    ///   unexpectedly.
    func run() async throws {
        let logger = Logger(configuration)
        for variable in configuration.unknownVariables {
            logger.warning(
                "the environment has a variable that is not a setting", metadata: ["variable": "\(variable)"])
        }

        if !configuration.database.isPostgreSQL { try DiskFailures(configuration.database).check() }
        // In production a missing database means a wrong path: an empty one would have no accounts.
        guard configuration.environment == .sandbox || configuration.database.exists else {
            throw Refusal(configuration.database.missingInProduction, status: ExitStatus.outOfService)
        }
        // No server can own a missing database: report a port in use before creating anything.
        if !configuration.database.exists { try Self.probe(configuration) }
        // The lock comes before the port: another server on this database explains a port in use better.
        var owned = try await ownedDatabase()
        do {
            let reservation = try PortReservation(host: configuration.host, port: configuration.port)
            try Self.probeFurther(configuration)
            let issuer = try configuration.issuer ?? configuration.sandboxIssuer(port: reservation.port)
            let location = configuration.database
            let isRestored = location.isPostgreSQL ? false : try await owned.isRestored(at: location)
            var opened = try await OpenedServer.open(owned, configuration, issuer: issuer, logger: logger)
            if isRestored {
                // Closing copies the log into the file. Otherwise the file would count as just restored until the first copy, and the
                // loss of the log after a crash would go unnoticed.
                await owned.close()
                owned = try await ownedDatabase()
                opened = try await OpenedServer.open(owned, configuration, issuer: issuer, logger: logger)
            }
            // Only once the master key has opened the database, so that a failed start changes nothing.
            try await owned.belong(to: issuer)
            if !configuration.database.isPostgreSQL, let keeper = owned.keeper {
                // Before anything is acknowledged. The effects of a restore have a new epoch.
                try await keeper.observe()
                await keeper.save()
            }
            try await serve(opened, keeper: owned.keeper, issuer: issuer, port: reservation.port, logger: logger)
            await owned.close()
        } catch {
            await owned.close()
            throw configuration.database.explained(error)
        }
        logger.notice("stopped")
    }

    /// Checks that the ports are available and releases them. Port 0 may pick a different one later.
    private static func probe(_ configuration: ServerConfiguration) throws {
        _ = try PortReservation(host: configuration.host, port: configuration.port).port
        try probeFurther(configuration)
    }

    /// The other listeners, whose ports are given. Another program may take one until they listen, and then the start fails all the same.
    private static func probeFurther(_ configuration: ServerConfiguration) throws {
        for listener in configuration.listeners.dropFirst() {
            let address = listener.address
            _ = try PortReservation(host: address.host, port: address.port, (listener.host, listener.port)).port
        }
    }

    private func ownedDatabase() async throws -> OwnedDatabase {
        do {
            return try await OwnedDatabase.open(configuration)
        } catch let error as StoreError where error.code == .owned {
            guard !configuration.database.isPostgreSQL else {
                throw Refusal(
                    "\(error.reason). Start this server again when that process is done",
                    status: ExitStatus.databaseTaken)
            }
            let socket = configuration.adminSocketPath
            guard let server = try? await AdminClient(path: socket).status() else {
                throw Refusal(
                    "\(error.reason), and no server responds on \(socket): wait until that process is done, stop it, or start "
                        + "this server on another database with \(Settings.database.flag) sqlite:OTHER.db")
            }
            throw Refusal(
                "another walletauth already serves \(configuration.database.shown): process "
                    + "\(server.processIdentifier) at \(server.issuer), socket \(socket). Stop it with `kill "
                    + "\(server.processIdentifier)`, or start this one with "
                    + "\(Settings.database.flag) sqlite:OTHER.db \(Settings.port.flag) 0, which picks a free port")
        }
    }

    private func serve(
        _ opened: OpenedServer, keeper: MarkKeeper?, issuer: Issuer, port: Int, logger: Logger
    ) async throws {
        let sockets = configuration.database.isPostgreSQL ? 0 : 1
        let readiness = Readiness(listeners: configuration.listeners.count + sockets) {
            let notice = ReadyNotice(issuer: issuer.rawValue, environment: configuration.environment)
            Terminal.write(notice.formatted(as: configuration.logFormat), to: .standardOutput)
            ProcessMemory.forgetStart()
        }
        let socket = try adminSocket(for: opened, issuer: issuer, logger: logger)

        let drain = Drain()
        let context = opened.server.context
        let server = try HTTPServer(
            features: opened.features, configuration: configuration.httpConfiguration(port: port), drain: drain,
            logger: logger)
        let http: [any Service] = try server.listeners.map {
            try server.application($0) { _ in readiness.oneIsListening() }
        }
        let maintenance = MaintenanceService(
            maintenance: opened.server.maintenance, administration: opened.server.administration,
            clocks: context.clocks,
            keyAge: SigningKeyAge(
                database: opened.database, limit: configuration.signingKeysRotationInterval, clock: SystemClock()),
            interval: configuration.sweepInterval, logger: logger)
        let stop = ShutdownMonitor(delay: configuration.shutdownDelay, drain: drain, logger: logger)
        let delivery = DeliveryService(
            delivery: context.delivery(by: try await configuration.outbound.transports(issuer: issuer)))
        let webhooks = WebhookService(delivery: context.webhookDelivery())
        let apple = AppleGrantService(
            maintenance: opened.features.apple.maintenance, logger: logger)
        warnOfWhatCannotLeave(logger)

        // Services stop in reverse order: first the delay passes, then requests end, then commands, then maintenance and
        // messages, then the clocks, then notices.
        var all: [any Service] = [
            NoticeService(context: context),
            ClockService(clocks: context.clocks, database: context.database, logger: context.logger), delivery,
            webhooks, maintenance, apple,
            OutboxCountService(server: opened.server),
        ]
        if let keeper {
            all.append(MarkService(keeper: keeper))
        }
        if configuration.database.isPostgreSQL {
            all.append(ConnectionService(database: opened.database, logger: logger))
        }
        if let path = configuration.androidRevocations {
            let serials = configuration.devices.attestation.revokedAndroidSerials
            all.append(AndroidRevocationFile(path: path, serials: serials, logger: logger))
        }
        if let socket { all.append(socket.makeService { readiness.oneIsListening() }) }
        all += http + [stop]
        var services = ServiceGroupConfiguration(
            services: all.map(ServiceGroupConfiguration.ServiceConfiguration.namedByType),
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger.quieter)
        services.maximumGracefulShutdownDuration = configuration.shutdownDelay + configuration.shutdownTimeout
        do {
            try await ServiceGroup(configuration: services).run()
        } catch  where stop.wasAsked {
            // Requests that exceed their time limit are cut off. This is an expected end, not a failure.
            logger.warning("requests still in flight were cut off", metadata: ["error": "\(error)"])
        }
        socket?.remove()
        do {
            try await context.audit.checkpointTheRest()
        } catch {
            logger.error("the last checkpoint of the audit log failed", metadata: ["error": "\(error)"])
        }
    }

    /// The socket for commands; `nil` with PostgreSQL, where they act on the database. A socket could belong to a server of
    /// another database.
    private func adminSocket(for opened: OpenedServer, issuer: Issuer, logger: Logger) throws -> AdminSocket? {
        guard !configuration.database.isPostgreSQL else { return nil }
        let socket = AdminSocket(
            path: configuration.adminSocketPath, administration: opened.server.administration,
            status: ServerStatus(
                version: ProgramVersion.current, processIdentifier: getpid(), environment: configuration.environment,
                issuer: issuer.rawValue, settings: configuration.given, sca: SCAFindings.of(configuration)),
            logger: logger)
        try socket.removeStale()
        return socket
    }

    /// Without messages, people can neither confirm an address nor learn of an attack.
    private func warnOfWhatCannotLeave(_ logger: Logger) {
        guard configuration.environment == .production else { return }
        if configuration.outbound.mail == nil {
            logger.warning(
                "no e-mail can be sent: codes and warnings to people wait in the outbox until they expire",
                metadata: ["remedy": "\(Settings.smtpHost.spellings), \(Settings.emailFrom.spellings)"])
        }
        if configuration.outbound.sms == nil {
            logger.warning(
                "no SMS can be sent: codes by SMS wait in the outbox until they expire",
                metadata: ["remedy": "\(Settings.smsWebhookURL.spellings) or \(Settings.twilioAccount.spellings)"])
        }
    }
}

extension ServerConfiguration {
    fileprivate func httpConfiguration(port: Int) -> HTTPConfiguration {
        var http = HTTPConfiguration(
            address: ListenAddress(host: host, port: port), tls: tls, trustedProxies: trustedProxies,
            limits: HTTPLimits(maxConnectionsPerPeer: networkConnections))
        http.operators = adminListen
        http.metricsListener = metricsListen
        return http
    }
}

/// Announces that the server is ready, once, when its last listener is.
final class Readiness: Sendable {
    private let missing: Mutex<Int>
    private let announce: @Sendable () -> Void

    /// - Parameters:
    ///   - listeners: the number of listeners.
    ///   - announce: called once all of them listen.
    init(listeners: Int, announce: @escaping @Sendable () -> Void) {
        missing = Mutex(listeners)
        self.announce = announce
    }

    func oneIsListening() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { announce() }
    }
}

/// Knows whether the process was asked to stop. Services that end afterwards have not failed.
///
/// It is the first to end, and all others go on until it has.
final class ShutdownMonitor: Service {
    private let asked = Mutex(false)
    private let delay: Duration
    private let drain: Drain
    private let logger: Logger

    /// - Parameters:
    ///   - delay: how long requests are still served, while proxies notice that this server is about to stop.
    ///   - drain: begun with the delay.
    init(delay: Duration, drain: Drain, logger: Logger) {
        self.delay = delay
        self.drain = drain
        self.logger = logger
    }

    var wasAsked: Bool { asked.withLock { $0 } }

    func run() async throws {
        try await gracefulShutdown()
        asked.withLock { $0 = true }
        guard delay > .zero else { return }
        drain.begin()
        logger.notice(
            "stopping after the delay: requests are served until then, and further signals have no effect",
            metadata: ["delay": "\(delay.asSetting)"])
        try? await Task.sleep(for: delay)
    }
}

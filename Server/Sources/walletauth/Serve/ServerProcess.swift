import AuthFlows
import AuthHTTP
import Logging
import ServiceLifecycle
import UnixSignals
import WalletAuthWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The serving process: the one place where every part is made and joined to the others.
struct ServerProcess: Sendable {
    let configuration: ServerConfiguration

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: Where something needed cannot be had, before the line that says "ready"; or where a part of the server
    ///   ended that should not have.
    func run() async throws {
        let logger = Logger(configuration)
        for variable in configuration.unknownVariables {
            logger.warning("the environment has a variable that is no setting", metadata: ["variable": "\(variable)"])
        }

        let reservation = try PortReservation(host: configuration.host, port: configuration.port)
        let issuer = try configuration.issuer ?? configuration.sandboxIssuer(port: reservation.port)
        let opened = try await OpenedServer.open(configuration, issuer: issuer, logger: logger)
        do {
            try await serve(opened, issuer: issuer, port: reservation.port, logger: logger)
            await opened.close()
        } catch {
            await opened.close()
            throw error
        }
        logger.notice("stopped")
    }

    private func serve(_ opened: OpenedServer, issuer: Issuer, port: Int, logger: Logger) async throws {
        let readiness = Readiness(listeners: 2) {
            Terminal.write("walletauth ready at \(issuer.rawValue)\n", to: .standardOutput)
        }
        let socket = AdminSocket(
            path: configuration.adminSocketPath, administration: opened.server.administration,
            status: ServerStatus(
                version: Version.current, processIdentifier: getpid(), environment: configuration.environment,
                issuer: issuer.rawValue),
            logger: logger)
        try socket.removeStale()

        let http = try HTTPServer.make(
            server: opened.server, configuration: configuration.httpConfiguration(port: port), logger: logger
        ) { _ in readiness.oneIsListening() }
        let upkeep = UpkeepService(
            server: opened.server,
            keyAge: SigningKeyAge(database: opened.database, limit: configuration.keyRotation, clock: SystemClock()),
            interval: configuration.sweepInterval, logger: logger)
        let stop = StopWitness()

        // Stopped in the reverse order: first no more requests, then no more commands, then no more upkeep.
        var services = ServiceGroupConfiguration(
            services: [upkeep, socket.makeService { readiness.oneIsListening() }, http, stop],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger.quieter)
        services.maximumGracefulShutdownDuration = configuration.shutdownTimeout
        do {
            try await ServiceGroup(configuration: services).run()
        } catch  where stop.wasAsked {
            // What was still in flight after the time it had was cut off: that is how this ends, and no failure.
            logger.warning("requests still in flight were cut off", metadata: ["error": "\(error)"])
        }
        socket.remove()
    }
}

extension ServerConfiguration {
    fileprivate func httpConfiguration(port: Int) -> HTTPConfiguration {
        HTTPConfiguration(
            address: ListenAddress(host: host, port: port), tls: tls, trustedProxies: trustedProxies)
    }
}

extension Logger {
    /// The logger for libraries whose own notices are no news to an operator.
    var quieter: Logger {
        var logger = self
        logger.logLevel = max(logLevel, .warning)
        return logger
    }
}

import HTTP
import Kernel
import NIOCore
import Programs
import WalletAuthWire

/// Checks whether a server runs on this database and, if not, whether one could listen.
struct ServerFindings {
    let findings: [Finding]
    /// The operations that the running server lets pass without consent; nil if none runs.
    let sca: [Finding]?

    /// Whether the running server answers. The doctor would hang with a server that hangs.
    var answers = true

    /// The keys of the running server's database, which only that server may open.
    var wrappedKeys: [WrappedKey]?

    var runs: Bool { sca != nil }

    /// Examines the running server, or the obstacles to listening.
    static func of(_ configuration: ServerConfiguration, within patience: TimeAmount) async -> ServerFindings {
        let socket = configuration.adminSocketPath
        do {
            let status = try await AdminClient(path: socket).status(within: patience)
            var findings = [
                Finding.ok("server", "it serves \(status.issuer) as process \(status.processIdentifier)")
            ]
            if status.version != ProgramVersion.current {
                findings.append(
                    .warn(
                        "server", "it runs version \(status.version), but this is \(ProgramVersion.current)",
                        "Restart it to run the new version"))
            }
            findings += otherSettings(configuration.given, running: status.settings)
            findings += unrepeatedSettings(configuration.given, running: status.settings)
            // Without a configured issuer there is nothing to compare: the server may have one, or a port, that this
            // command line lacks.
            if configuration.issuer != nil {
                findings += IssuerFindings.of(
                    configuration, recorded: status.nextIssuer ?? status.issuer, running: status.issuer)
            } else if let next = status.nextIssuer, next != status.issuer {
                findings.append(IssuerFindings.pending(next, running: status.issuer))
            }
            if let found = FileStatus(path: socket), found.isOpenToOthers {
                findings.append(
                    .fail("server", "its socket \(socket) has mode \(found.octalMode)", "chmod 600 \(socket)"))
            }
            return ServerFindings(
                findings: findings, sca: status.sca ?? [Self.unknownConsents],
                wrappedKeys: status.wrappedKeys ?? status.wrappedKey.map { [$0] })
        } catch {
            switch error {
            case .nobodyListens:
                return ServerFindings(findings: absent(configuration), sca: nil)
            case .notPermitted:
                return ServerFindings(
                    findings: [.fail("server", "its socket \(socket) belongs to another user", Self.asItsUser)],
                    sca: [Self.unansweredConsents("which was not asked, as another user's", Self.asItsUser)])
            case .failed(let reason):
                return ServerFindings(
                    findings: [
                        .fail(
                            "server",
                            "the process that listens on \(socket) does not respond like this server: \(reason)",
                            "Run the doctor again. If this persists, check the server's log, then restart it")
                    ], sca: [Self.unansweredConsents("which did not answer", "Run the doctor again")], answers: false)
            }
        }
    }

    /// Settings that changed since the server read them.
    private static func otherSettings(_ read: ConfiguredSettings, running: ConfiguredSettings?) -> [Finding] {
        guard let names = running.map(read.differences(from:)), !names.isEmpty else { return [] }
        return [
            .warn(
                "server",
                "it was started with settings that differ from the current configuration: \(names.joined(separator: ", "))",
                """
                Restart it to apply the current settings, or run the doctor with the settings that it was started with
                """)
        ]
    }

    /// Settings about money and devices that the server got by flag or variable, and that are missing or different
    /// here.
    private static func unrepeatedSettings(
        _ read: ConfiguredSettings, running: ConfiguredSettings?
    ) -> [Finding] {
        let names = running.map(read.unrepeated(from:)) ?? []
        let decisive = names.filter { $0.hasPrefix("sca.") || $0.hasPrefix("devices.") }
        guard !decisive.isEmpty else { return [] }
        return [
            .warn(
                "server",
                "flags or variables gave it settings that are different or missing here: "
                    + "\(decisive.joined(separator: ", "))",
                """
                Write them into the configuration file, so that the doctor checks them and the next start keeps them
                """)
        ]
    }

    private static let asItsUser = "Run the doctor as the user who runs the server"

    /// What passes is unknown: the running server may behave differently from the configuration read here.
    /// - Parameters:
    ///   - reason: why the server did not say, as a relative clause.
    ///   - remedy: never a restart, which would change nothing.
    private static func unansweredConsents(_ reason: String, _ remedy: String) -> Finding {
        .warn("sca", "what passes without consent is known only to the running server, \(reason)", remedy)
    }

    /// The running server may behave differently from the configuration read here.
    private static let unknownConsents = Finding.warn(
        "sca", "the running server does not report what passes without consent",
        "Restart it with this version")

    private static func absent(_ configuration: ServerConfiguration) -> [Finding] {
        var findings = [Finding.ok("server", "no server is running on this database")]
        let socket = configuration.adminSocketPath
        if FileStatus(path: socket)?.kind == .socket {
            findings.append(
                .warn(
                    "server", "nothing listens on the socket \(socket): the last server was killed or crashed",
                    "The end of its log may show why; the next start removes the socket"))
        }
        findings += listener(of: configuration)
        return findings
    }

    /// Whether a server could listen on this machine, at each of its addresses.
    /// - Parameters:
    ///   - isServing: whether a server runs on this machine, which may be why the port is taken.
    ///   - other: the issuer of the server that has the port, if it is another one's.
    /// - Returns: nothing if the address is unknown, because a setting of it is invalid.
    static func listener(
        of configuration: ServerConfiguration, isServing: Bool = false, other: Issuer? = nil
    ) -> [Finding] {
        guard !configuration.isAddressFaulty else { return [] }
        return configuration.listeners.map {
            Self.listener(at: $0.address, ($0.host, $0.port), isServing: isServing, other: other)
        }
    }

    private static func listener(
        at address: ListenAddress, _ flags: (host: String, port: String), isServing: Bool, other: Issuer?
    ) -> Finding {
        let (host, port) = (address.host, address.port)
        do {
            let reservation = try PortReservation(host: host, port: port, flags)
            return .ok("listener", "\(host) port \(reservation.port) is available")
        } catch {
            if let other, !error.needsPrivilege {
                return .fail(
                    "listener",
                    "\(host) port \(port) is in use by a server that says it is \(other.rawValue)",
                    "If this server listens on another port, name it with \(flags.port); otherwise stop the other server"
                )
            }
            if isServing, !error.needsPrivilege {
                return .ok("listener", "\(host) port \(port) is in use by the server that runs here")
            }
            // The service may have a capability that this shell lacks.
            return Finding(
                subject: "listener", status: error.needsPrivilege ? .warn : .fail, detail: error.fault.problem,
                remedy: error.fault.remedy)
        }
    }
}

/// Whether a server runs on this database, and whether it could listen if not.
enum ServerFindings {
    static func of(_ configuration: ServerConfiguration) async -> (findings: [Finding], runs: Bool) {
        let socket = configuration.adminSocketPath
        do {
            let status = try await AdminClient(path: socket).status()
            var findings = [
                Finding.ok("server", "it serves \(status.issuer) as process \(status.processIdentifier)")
            ]
            if status.version != Version.current {
                findings.append(
                    .warn(
                        "server", "it runs version \(status.version), and this is \(Version.current)",
                        "Restart it to have the new version serve"))
            }
            findings += otherSettings(configuration.given, running: status.settings)
            // Where none is configured, the server may have been given one, or a port, that this command line lacks.
            if configuration.issuer != nil {
                findings += IssuerFindings.of(configuration, recorded: status.issuer)
            }
            if let found = FileStatus(path: socket), found.isOpenToOthers {
                findings.append(
                    .fail("server", "its socket \(socket) has mode \(found.octalMode)", "chmod 600 \(socket)"))
            }
            return (findings, true)
        } catch {
            switch error {
            case .nobodyListens:
                return (absent(configuration), false)
            case .notPermitted:
                let remedy = "Run the doctor as the user who runs the server"
                return ([.fail("server", "its socket \(socket) belongs to another user", remedy)], true)
            case .failed(let reason):
                let detail = "what listens on \(socket) does not answer as this server does: \(reason)"
                return ([.fail("server", detail, "Restart it")], true)
            }
        }
    }

    /// A file that was changed since the server read it.
    private static func otherSettings(_ read: ConfiguredSettings, running: ConfiguredSettings?) -> [Finding] {
        guard let names = running.map(read.differences(from:)), !names.isEmpty else { return [] }
        return [
            .warn(
                "server",
                "it was started with other settings than are configured by now: \(names.joined(separator: ", "))",
                "Restart it to have these serve, or run the doctor with the settings that it was started with")
        ]
    }

    private static func absent(_ configuration: ServerConfiguration) -> [Finding] {
        var findings = [Finding.ok("server", "none runs on this database")]
        let socket = configuration.adminSocketPath
        if FileStatus(path: socket)?.kind == .socket {
            findings.append(
                .warn(
                    "server", "nobody listens on the socket \(socket): the last server was killed, or has crashed",
                    "See the end of its log for the reason; the next start takes the socket away"))
        }
        findings.append(listener(of: configuration))
        return findings
    }

    private static func listener(of configuration: ServerConfiguration) -> Finding {
        do {
            let reservation = try PortReservation(host: configuration.host, port: configuration.port)
            return .ok("listener", "\(configuration.host) port \(reservation.port) can be listened on")
        } catch {
            // The service may be given what this shell has not.
            return error.needsPrivilege
                ? .warn(
                    "listener", error.description,
                    "Give it to the service, in systemd by AmbientCapabilities=CAP_NET_BIND_SERVICE")
                : .fail("listener", error.description, "See what listens there: ss -ltnp")
        }
    }
}

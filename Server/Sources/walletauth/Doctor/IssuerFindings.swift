import WalletAuthWire

/// Whether the database belongs to the issuer that it would be served under.
enum IssuerFindings {
    /// - Parameters:
    ///   - configuration: What was configured.
    ///   - recorded: The issuer in the database; nil where it was never served.
    ///   - running: The issuer of the server that runs; nil where none does.
    static func of(
        _ configuration: ServerConfiguration, recorded: String?, running: String? = nil
    ) -> [Finding] {
        guard let recorded else { return [] }
        // Without an issuer the port decides, and port 0 is any: what it would come to is not known yet.
        let derived = configuration.port == 0 ? nil : try? configuration.sandboxIssuer(port: configuration.port)
        guard let issuer = configuration.issuer ?? derived else { return [] }
        guard issuer.rawValue != recorded else {
            guard let running, running != recorded else {
                return [.ok("issuer", "the database belongs to \(recorded)")]
            }
            return [pending(recorded, running: running)]
        }
        // Its own command changed the database: what is left to do is the configuration, and not that command again.
        if let running, running != recorded, running == issuer.rawValue {
            return [
                .fail(
                    "issuer",
                    "the database belongs to \(recorded) from the next start on, but this configuration still says "
                        + "\(running), so that start will fail",
                    "Give \(Settings.issuer.flag) \(recorded), then restart the server")
            ]
        }
        let fault = Fault.otherIssuer(recorded: recorded, configured: issuer.rawValue)
        return [.fail("issuer", fault.problem, fault.remedy)]
    }

    /// The database was given to another issuer while a server runs.
    static func pending(_ recorded: String, running: String) -> Finding {
        .warn(
            "issuer",
            """
            the database belongs to the issuer \(recorded) from the next start on; until then the server runs under \
            \(running)
            """,
            "Restart it")
    }
}

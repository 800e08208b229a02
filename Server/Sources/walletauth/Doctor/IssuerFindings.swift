import WalletAuthWire

/// Checks that the database belongs to the configured issuer.
enum IssuerFindings {
    /// - Parameters:
    ///   - recorded: the issuer in the database; nil if it was never served.
    ///   - running: the issuer of the running server; nil if none runs.
    static func of(
        _ configuration: ServerConfiguration, recorded: String?, running: String? = nil
    ) -> [Finding] {
        guard let recorded else { return [] }
        // Without an issuer the port decides. Port 0 picks a free port, so the issuer is not known yet.
        let derived = configuration.port == 0 ? nil : try? configuration.sandboxIssuer(port: configuration.port)
        guard let issuer = configuration.issuer ?? derived else { return [] }
        guard issuer.rawValue != recorded else {
            guard let running, running != recorded else {
                return [.ok("issuer", "the database belongs to \(recorded)")]
            }
            return [pending(recorded, running: running)]
        }
        // The command that changed the database has already run. Only the configuration is left to change.
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

    /// The database got a new issuer while the server was running.
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

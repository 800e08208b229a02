import HTTP
import Kernel
import WalletAuthWire

/// The addresses at which the server listens, and rules for them.
extension ServerConfiguration {
    /// The configured addresses, each with the settings to change it by. A faulty one is not among them.
    var listeners: [(address: ListenAddress, host: String, port: String)] {
        var all = [
            (address: ListenAddress(host: host, port: port), host: Settings.host.flag, port: Settings.port.flag)
        ]
        for (address, setting) in [(adminListen, Settings.adminListen), (metricsListen, Settings.metricsListen)] {
            if let address { all.append((address: address, host: setting.flag, port: setting.flag)) }
        }
        return all
    }

    /// The base of the addresses of the administration; `nil` for the issuer.
    func adminBase(issuer: Issuer) -> Issuer? {
        guard let adminListen else { return nil }
        let origin: String
        if let adminOrigin {
            origin = adminOrigin.rawValue
        } else {
            // Only the sandbox starts without an issuer, and then the two differ in the port.
            guard self.issuer == nil else { return nil }
            origin = ownURL(host: adminListen.host, port: adminListen.port)
        }
        return try? Issuer(origin + issuer.pathPrefix)
    }

    /// Faults of listeners of their own.
    var listenerFaults: [Fault] {
        var faults: [Fault] = []
        let addresses = listeners
        for (index, other) in addresses.enumerated().dropFirst()
        where addresses[..<index].contains(where: { $0.address.overlaps(other.address) }) {
            faults.append(
                Fault(
                    "another listener of this server has port \(other.address.port) at \(other.address.host)",
                    "Choose another port with \(other.port)"))
        }
        if adminListen != nil, !adminAPI, !adminConsole {
            faults.append(
                Fault(
                    "\(Settings.adminListen.name) is set, and there is nothing to serve there",
                    "Turn on \(Settings.adminConsole.spellings) or \(Settings.adminAPI.spellings), or leave it out"))
        }
        if adminOrigin != nil, adminListen == nil {
            faults.append(
                Fault(
                    "\(Settings.adminOrigin.name) is set without \(Settings.adminListen.name)",
                    "Set \(Settings.adminListen.spellings) as well, or leave it out"))
        }
        // Production without an issuer is a fault of its own.
        let own = environment == .sandbox ? (try? sandboxIssuer(port: port)) : nil
        guard let issuer = issuer ?? own, let base = adminBase(issuer: issuer) else { return faults }
        if base.isInsecure != issuer.isInsecure {
            faults.append(
                Fault(
                    "of \(Settings.adminOrigin.name) and the issuer, one is https and the other is not",
                    "Use the same for both"))
        }
        if adminConsole, base.host.lowercased() != issuer.host.lowercased() {
            faults.append(
                Fault(
                    """
                    the console would be at \(base.host), and people sign in to it at \(issuer.host), whose cookies no \
                    other host gets
                    """,
                    "Use \(issuer.host) with another port in \(Settings.adminOrigin.spellings), or a proxy that leads "
                        + "/admin of \(issuer.host) to \(Settings.adminListen.name)"))
        }
        return faults
    }
}

extension ListenAddress {
    /// Whether the system would not give both to one process.
    fileprivate func overlaps(_ other: ListenAddress) -> Bool {
        let every: Set = ["0.0.0.0", "::"]
        return port == other.port && port != 0
            && (host == other.host || every.contains(host) || every.contains(other.host))
    }
}

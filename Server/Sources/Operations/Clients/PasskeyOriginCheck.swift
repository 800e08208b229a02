internal import WalletAuthWire

/// Finds origins that no device states for a passkey. They would be registered in vain, and the app's passkeys be refused later.
enum PasskeyOriginCheck {
    /// Refuses text that is no origin of a website with passkeys, to the letter (WebAuthn §5.8.1).
    static func refuse(_ origin: String) throws(AdministrationRefusal) {
        guard PasskeyRelyingParty.isWebOrigin(origin) else {
            throw AdministrationRefusal(
                "\(CommandLineSyntax.quoted(origin)) is not the origin of a website: it consists of https:// and its domain, "
                    + (meant(by: origin).map { "here \($0)." } ?? "such as https://shop.example.com."),
                code: "malformed")
        }
        guard meant(by: origin) != nil else {
            throw AdministrationRefusal(
                """
                \(CommandLineSyntax.quoted(origin)) is an IP address, and passkeys are for domains: write https:// and the \
                website's domain, or https://localhost on this machine.
                """, code: "malformed")
        }
    }

    /// Refuses the server's own address with https in place of http: what listens there speaks no TLS.
    static func refuse(_ origin: String, at issuer: Issuer) throws(AdministrationRefusal) {
        guard issuer.isInsecure, let party = PasskeyRelyingParty(issuer: issuer),
            meant(by: origin) == "\(party.appleOrigin):\(issuer.port)"
        else { return }
        throw AdministrationRefusal(
            """
            \(CommandLineSyntax.quoted(origin)) is no website's origin: this server speaks http there. For the terminal wallet, \
            write \(party.appleOrigin), without the port.
            """, code: "malformed")
    }

    /// What an operator may have overlooked about origins that are well-formed.
    static func advice(on origins: [String], at issuer: Issuer) -> [String] {
        guard !origins.isEmpty else { return [] }
        guard let party = PasskeyRelyingParty(issuer: issuer) else {
            return [
                """
                This server has no passkeys, because \(issuer.host) is an IP address. On this machine, start it with --issuer \
                http://localhost:\(issuer.port).
                """
            ]
        }
        return origins.filter { $0.hasPrefix(party.appleOrigin + ":") }.map { origin in
            "\(origin) is for a website at that port alone. The terminal wallet states \(party.appleOrigin)."
        }
    }

    /// The origin that text was probably meant to be, as browsers state it; `nil` if there is none, as at an IP address.
    private static func meant(by text: String) -> String? {
        let parts = text.lowercased().split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard let rest = parts.last, let site = try? Issuer("https://\(rest)") else { return nil }
        return PasskeyRelyingParty(issuer: site)?.origins.first
    }
}

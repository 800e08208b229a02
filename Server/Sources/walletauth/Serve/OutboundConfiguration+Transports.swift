import AuthCore
import AuthEvents
import AuthOutbound
import WalletAuthWire

extension OutboundConfiguration {
    /// The transports of outgoing messages, with their secrets.
    ///
    /// - Parameter issuer: the server's URL. Its host identifies this server to mail servers.
    /// - Throws: `Refusal` if a secret is unavailable.
    func transports(issuer: Issuer) async throws(Refusal) -> MessageTransports {
        MessageTransports(email: try await email(from: issuer.host), sms: try await sms(), timeout: timeout)
    }

    /// The mail server; nil if none is configured.
    ///
    /// - Parameter host: the name this server identifies itself by.
    func email(from host: String) async throws(Refusal) -> (any MessageTransport)? {
        guard let mail else { return nil }
        var credentials: SMTPSettings.Credentials?
        if let username = mail.username, let password = mail.password {
            credentials = SMTPSettings.Credentials(
                username: username, password: try await password.read(named: Settings.smtpPassword.value.name))
        }
        return SMTPTransport(
            SMTPSettings(
                host: mail.host, port: mail.port, security: mail.security, credentials: credentials,
                trustRoots: mail.trustRoots, sender: mail.sender, clientName: Self.greeting(host),
                timeout: timeout))
    }

    /// The SMS service; nil if none is configured.
    func sms() async throws(Refusal) -> (any MessageTransport)? {
        let http = GuardedHTTP(policy: policy, maximumBody: 64 * 1024, timeout: timeout)
        switch sms {
        case nil: return nil
        case .webhook(let url, let secret):
            let name = Settings.smsWebhookSecret.value.name
            guard let signature = WebhookSignature(secret: try await secret.read(named: name)) else {
                throw Refusal("\(name) is not 24 to 64 bytes in base64")
            }
            return SMSWebhook(url: url, signature: signature, http: http)
        case .twilio(let base, let account, let token, let sender):
            let token = try await token.read(named: Settings.twilioToken.value.name)
            return TwilioMessages(
                base: base, account: TwilioMessages.Account(sid: account, token: token), sender: sender, http: http)
        }
    }

    /// The server's name in EHLO: its host name, or its address as a literal (RFC 5321 §4.1.3).
    private static func greeting(_ host: String) -> String {
        guard let address = NetworkAddress(host) else { return host }
        return address.isV4 ? "[\(address.text)]" : "[IPv6:\(address.text)]"
    }
}

import Core
import Kernel
import NIOSSL
import Outbound
import WalletAuthWire

/// The configuration of outgoing messages. Secrets from commands are not read yet.
struct OutboundConfiguration: Sendable {
    struct Mail: Sendable {
        var host: String
        var port: Int
        var security: SMTPSettings.Security
        var username: String?
        var password: SecretSource?
        var trustRoots: TrustRoots
        var sender: Mailbox
    }

    enum SMS: Sendable {
        case webhook(url: String, secret: SecretSource)
        case twilio(base: String, account: String, token: SecretSource, sender: String)
    }

    var mail: Mail?
    var sms: SMS?
    /// Whether a mail server and an SMS service are named. One that is named and nil has faulty settings.
    var isMailGiven = false
    var isSMSGiven = false
    var push = PushConfiguration()
    /// The time limit of one attempt to deliver a message.
    var deliveryTimeout: Duration
    /// The addresses that HTTP requests may reach.
    var policy: AddressPolicy
}

extension OutboundConfiguration {
    static func configured(
        in text: ConfiguredText, environment: ServerSettings.Environment, faults: inout [Fault]
    ) -> OutboundConfiguration {
        let networks = text.value(of: Settings.privateNetworks, faults: &faults)
        return OutboundConfiguration(
            mail: mail(in: text, faults: &faults), sms: sms(in: text, faults: &faults),
            isMailGiven: text.isGiven(Settings.smtpHost) || text.isGiven(Settings.emailFrom),
            isSMSGiven: text.isGiven(Settings.smsWebhookURL) || text.isGiven(Settings.twilioAccount),
            push: .configured(in: text, environment: environment, faults: &faults),
            deliveryTimeout: text.value(of: Settings.deliveryTimeout, faults: &faults),
            policy: networks.map { AddressPolicy(exceptions: $0) }
                ?? (environment == .sandbox ? .loopback : AddressPolicy()))
    }

    private static func mail(in text: ConfiguredText, faults: inout [Fault]) -> Mail? {
        let sender = text.value(of: Settings.emailFrom, faults: &faults)
        let host = text.value(of: Settings.smtpHost, faults: &faults)
        let port = text.value(of: Settings.smtpPort, faults: &faults)
        let security = text.value(of: Settings.smtpSecurity, faults: &faults)
        let username = text.value(of: Settings.smtpUsername, faults: &faults)
        let password = Settings.smtpPassword.source(in: text, faults: &faults)
        let authority = text.value(of: Settings.smtpCertificateAuthority, faults: &faults)
        faults += password?.faults(named: Settings.smtpPassword.value.name) { _ in true } ?? []
        faults += text.halves(
            (Settings.smtpHost, text.isGiven(Settings.smtpHost)), (Settings.emailFrom, text.isGiven(Settings.emailFrom))
        )
        faults += text.halves(
            (Settings.smtpUsername, text.isGiven(Settings.smtpUsername)),
            (Settings.smtpPassword.value, Settings.smtpPassword.isGiven(in: text)))
        let others: [any DeclaredSetting] = [
            Settings.smtpPort, Settings.smtpSecurity, Settings.smtpUsername, Settings.smtpCertificateAuthority,
        ]
        if !text.isGiven(Settings.smtpHost), !text.isGiven(Settings.emailFrom),
            let lonely = others.first(where: { text.isGiven($0) })
        {
            faults.append(.missing(Settings.smtpHost, besides: lonely, in: text))
        }
        if let authority { faults += authorityFaults(authority) }
        guard let host, let sender else { return nil }
        if security == .none, host != "localhost", !(NetworkAddress(host)?.isLoopback ?? false) {
            faults.add(
                "without TLS, mail and the password would travel to \(host) unencrypted",
                "Set \(Settings.smtpSecurity.spellings) to starttls or tls; none is only for this machine")
        }
        return Mail(
            host: host, port: port ?? security.usualPort, security: security, username: username, password: password,
            trustRoots: authority.map { .file($0) } ?? .system, sender: sender)
    }

    private static func authorityFaults(_ path: String) -> [Fault] {
        let remedy = "Use a PEM file with the authority's certificate"
        do {
            let bytes = try ReadableFile.bytes(path, upTo: 1024 * 1024)
            guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
                return [Fault("the file \(path) contains no PEM certificate", remedy)]
            }
            return []
        } catch {
            return [Fault("the file \(path) \(error.reason)", error.remedy ?? remedy)]
        }
    }

    private static func sms(in text: ConfiguredText, faults: inout [Fault]) -> SMS? {
        let url = text.value(of: Settings.smsWebhookURL, faults: &faults)
        let secret = Settings.smsWebhookSecret.source(in: text, faults: &faults)
        let account = text.value(of: Settings.twilioAccount, faults: &faults)
        let token = Settings.twilioToken.source(in: text, faults: &faults)
        let sender = text.value(of: Settings.twilioFrom, faults: &faults)
        let base = text.value(of: Settings.twilioURL, faults: &faults)
        faults +=
            secret?.faults(named: Settings.smsWebhookSecret.value.name) { WebhookSignature(secret: $0) != nil } ?? []
        faults += token?.faults(named: Settings.twilioToken.value.name) { _ in true } ?? []
        faults += text.halves(
            (Settings.smsWebhookURL, text.isGiven(Settings.smsWebhookURL)),
            (Settings.smsWebhookSecret.value, Settings.smsWebhookSecret.isGiven(in: text)))
        let twilio: [(any DeclaredSetting, Bool)] = [
            (Settings.twilioAccount, text.isGiven(Settings.twilioAccount)),
            (Settings.twilioToken.value, Settings.twilioToken.isGiven(in: text)),
            (Settings.twilioFrom, text.isGiven(Settings.twilioFrom)),
        ]
        faults += text.halves(twilio[0], twilio[1]) + text.halves(twilio[0], twilio[2])
        if text.isGiven(Settings.smsWebhookURL), text.isGiven(Settings.twilioAccount) {
            faults.add(
                "both a webhook and Twilio are configured for SMS, but only one is allowed",
                "Keep \(Settings.smsWebhookURL.name) or \(Settings.twilioAccount.name)")
        }
        if let url, let secret { return .webhook(url: url, secret: secret) }
        if let account, let token, let sender {
            let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
            return .twilio(base: trimmed, account: account, token: token, sender: sender)
        }
        return nil
    }
}

extension ConfiguredText {
    /// A fault if only one of two settings is given that need each other.
    func halves(
        _ one: (setting: any DeclaredSetting, isGiven: Bool), _ other: (setting: any DeclaredSetting, isGiven: Bool)
    ) -> [Fault] {
        guard one.isGiven != other.isGiven else { return [] }
        let (given, missing) = one.isGiven ? (one.setting, other.setting) : (other.setting, one.setting)
        return [.missing(missing, besides: given, in: self)]
    }
}

extension Fault {
    static func missing(
        _ missing: any DeclaredSetting, besides given: any DeclaredSetting, in text: ConfiguredText
    ) -> Fault {
        Fault(
            "\(text.origin(of: given)) is set without \(missing.name)",
            "Set both \(given.name) and \(missing.name), or neither")
    }
}

extension OutboundConfiguration {
    /// The transports of outgoing messages, with their secrets.
    ///
    /// - Parameter issuer: the server's URL. Its host identifies this server to mail servers.
    /// - Throws: `Refusal` if a secret is unavailable.
    func transports(issuer: Issuer) async throws(Refusal) -> MessageTransports {
        MessageTransports(
            email: try await email(from: issuer.host), sms: try await sms(),
            push: push.transport(policy: policy, timeout: deliveryTimeout), timeout: deliveryTimeout)
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
                timeout: deliveryTimeout))
    }

    /// The SMS service; nil if none is configured.
    func sms() async throws(Refusal) -> (any MessageTransport)? {
        let http = GuardedHTTP(policy: policy, maximumBody: 64 * 1024, timeout: deliveryTimeout)
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

import Kernel
import Outbound

/// Outgoing messages, and the server's other outgoing connections.
extension Settings {
    static let emailFrom = Setting(
        "email.from", type: "address", fallback: "none",
        """
        The sender of e-mail: `no-reply@example.com`, or with a name, `Example Bank <no-reply@example.com>`. Together \
        with email.smtp.host it turns e-mail on.
        """, parse: SettingTypes.mailbox)

    static let smtpHost = Setting(
        "email.smtp.host", type: "host", fallback: "none",
        "The mail server for outgoing messages. Without one, they wait in the outbox until they expire.",
        parse: SettingTypes.host)

    static let smtpPort = Setting(
        "email.smtp.port", type: "port", fallback: "587; 465 for tls, 25 for none", "The mail server's port.",
        parse: SettingTypes.integer(1...65535))

    static let smtpSecurity = Setting(
        "email.smtp.security", type: "starttls, tls or none", default: .starttls,
        """
        How the connection is protected: starttls begins TLS after the greeting, and sends no mail without it; tls \
        uses TLS from the first byte; none is only for a mail server on this machine.
        """, parse: SettingTypes.choice(SMTPSettings.Security.self))

    static let smtpCertificateAuthority = Setting(
        "email.smtp.certificateAuthority", type: "path", fallback: "the system's authorities",
        "A PEM file with the certificate authorities to trust for the mail server, if they are private.",
        parse: SettingTypes.text)

    static let smtpUsername = Setting(
        "email.smtp.username", type: "text", fallback: "none",
        "The user name at the mail server, if it needs one (AUTH PLAIN or LOGIN).", parse: SettingTypes.text)

    static let smtpPassword = SecretSetting(
        "email.smtp.password", what: "The password at the mail server")

    static let smsWebhookURL = Setting(
        "sms.webhook.url", type: "URL", fallback: "none",
        """
        The URL to which an SMS is posted as JSON, signed according to Standard Webhooks (webhook-id, \
        webhook-timestamp, webhook-signature). https, or http to this machine only.
        """, parse: SettingTypes.webURL)

    static let smsWebhookSecret = SecretSetting(
        "sms.webhook.secret",
        what: "The key that signs the requests: 24 to 64 bytes in base64, with or without the prefix `whsec_`")

    static let twilioAccount = Setting(
        "sms.twilio.account", type: "text", fallback: "none",
        "The account's id, `AC…`, at Twilio or at a service with its Messages API.",
        parse: SettingTypes.identifier)

    static let twilioToken = SecretSetting("sms.twilio.token", what: "The account's token")

    static let twilioFrom = Setting(
        "sms.twilio.from", type: "text", fallback: "none",
        "The sender of an SMS: a phone number, a name, or a messaging service, `MG…`.", parse: SettingTypes.text)

    static let twilioURL = Setting(
        "sms.twilio.url", type: "URL", default: "https://api.twilio.com", "The service's URL, without a path.",
        parse: SettingTypes.webURL)

    static let deliveryTimeout = Setting(
        "outbound.deliveryTimeout", type: "duration", default: MessageTransports().timeout,
        """
        How long one attempt to deliver a message may take. If the server is killed during an attempt, the next start \
        sends the message again after twice this time.
        """, parse: SettingTypes.duration(.seconds(1) ... .seconds(120)))

    static let privateNetworks = Setting(
        "outbound.privateNetworks", type: "list of addresses", fallback: "sandbox: this machine; production: none",
        """
        Private networks to which HTTP requests may go, for example the network of the SMS service. All other \
        private, local and reserved addresses are refused, even behind a public name. The mail server needs no entry.
        """, parse: SettingTypes.networks)

    static let outbound: [any DeclaredSetting] =
        [emailFrom, smtpHost, smtpPort, smtpSecurity, smtpCertificateAuthority, smtpUsername] as [any DeclaredSetting]
        + smtpPassword.settings + [smsWebhookURL] + smsWebhookSecret.settings + [twilioAccount]
        + twilioToken.settings + [twilioFrom, twilioURL, deliveryTimeout, privateNetworks]
}

/// The lists of breached passwords that the server checks.
extension Settings {
    static let breachesURL = Setting(
        "passwords.breaches.url", type: "URL", fallback: "none",
        """
        A service that returns ranges of its list of stolen passwords, in the format of Pwned Passwords \
        (https://api.pwnedpasswords.com). It receives five of the forty digits of a password's SHA-1, after `range/`, \
        when a person chooses the password, and at most once a day after a successful sign-in. Without a response \
        within two seconds, the password is not checked.
        """, parse: SettingTypes.webURL)

    static let breachesFile = Setting(
        "passwords.breaches.file", type: "path", fallback: "none",
        """
        Such a list as a local file, so that nothing leaves the machine: a line for each SHA-1 with its count, ordered \
        by hash, as in the download of Pwned Passwords. The server searches the file in place, and you can replace it \
        at any time. If passwords.breaches.url is set too, both are used.
        """, parse: SettingTypes.text)

    static let breachesMinimumCount = Setting(
        "passwords.breaches.minimumCount", type: "number", default: BreachLists().minimumCount,
        "How often a password must appear in breaches before it is refused and has to be changed.",
        parse: SettingTypes.integer(1...1_000_000_000))

    static let breaches: [any DeclaredSetting] = [breachesURL, breachesFile, breachesMinimumCount]
}

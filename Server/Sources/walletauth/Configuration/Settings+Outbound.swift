import AuthOutbound

/// How messages leave, and where else the server connects to.
extension Settings {
    static let emailFrom = Setting(
        "email.from", type: "address", fallback: "none",
        """
        Who e-mail is from: `no-reply@example.com`, or with a name, `Example Bank <no-reply@example.com>`. With \
        email.smtp.host it turns e-mail on.
        """, parse: SettingTypes.mailbox)

    static let smtpHost = Setting(
        "email.smtp.host", type: "host", fallback: "none",
        "The mail server that takes the messages. Without one they wait in the outbox until they expire.",
        parse: SettingTypes.host)

    static let smtpPort = Setting(
        "email.smtp.port", type: "port", fallback: "587; 465 for tls, 25 for none", "The mail server's port.",
        parse: SettingTypes.integer(1...65535))

    static let smtpSecurity = Setting(
        "email.smtp.security", type: "starttls, tls or none", fallback: "starttls",
        """
        How the connection is protected: TLS after the greeting, and no mail without it; TLS from the first byte; or none, \
        which is for a mail server on this machine alone.
        """, parse: SettingTypes.choice(SMTPSettings.Security.self))

    static let smtpCertificateAuthority = Setting(
        "email.smtp.certificateAuthority", type: "path", fallback: "the system's authorities",
        "A PEM file with the authorities whose certificates the mail server may have, where it is a private one.",
        parse: SettingTypes.text)

    static let smtpUsername = Setting(
        "email.smtp.username", type: "text", fallback: "none",
        "The user name at the mail server, where it asks for one (AUTH PLAIN or LOGIN).", parse: SettingTypes.text)

    static let smtpPassword = SecretSetting(
        "email.smtp.password", what: "The password at the mail server")

    static let smsWebhookURL = Setting(
        "sms.webhook.url", type: "URL", fallback: "none",
        """
        Where an SMS is posted as JSON, signed after Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). \
        https; http only to this machine.
        """, parse: SettingTypes.webURL)

    static let smsWebhookSecret = SecretSetting(
        "sms.webhook.secret",
        what: "What the posts are signed with: 24 to 64 bytes in base64, `whsec_` before it or not")

    static let twilioAccount = Setting(
        "sms.twilio.account", type: "text", fallback: "none",
        "The account's id, `AC…`, at Twilio or at a service that speaks its Messages API.",
        parse: SettingTypes.identifier)

    static let twilioToken = SecretSetting("sms.twilio.token", what: "The account's token")

    static let twilioFrom = Setting(
        "sms.twilio.from", type: "text", fallback: "none",
        "Who an SMS is from: a telephone number, a name, or a messaging service, `MG…`.", parse: SettingTypes.text)

    static let twilioURL = Setting(
        "sms.twilio.url", type: "URL", fallback: "https://api.twilio.com", "The service's URL, without a path.",
        parse: SettingTypes.webURL)

    static let outboundTimeout = Setting(
        "outbound.timeout", type: "duration", fallback: "30s",
        """
        How long one attempt to deliver a message may take. A message whose server was killed meanwhile is sent again, by \
        the next start, after twice as long.
        """, parse: SettingTypes.duration(.seconds(1) ... .seconds(120)))

    static let privateNetworks = Setting(
        "outbound.privateNetworks", type: "list of addresses", fallback: "sandbox: this machine; production: none",
        """
        Networks that are not public and that requests over HTTP may go to all the same: where the SMS service stands, for \
        instance. All other private, local and reserved addresses are refused, whatever name leads to them. The mail server \
        needs no entry.
        """, parse: SettingTypes.networks)

    static let outbound: [any DeclaredSetting] =
        [emailFrom, smtpHost, smtpPort, smtpSecurity, smtpCertificateAuthority, smtpUsername] as [any DeclaredSetting]
        + smtpPassword.settings + [smsWebhookURL] + smsWebhookSecret.settings + [twilioAccount]
        + twilioToken.settings + [twilioFrom, twilioURL, outboundTimeout, privateNetworks]
}

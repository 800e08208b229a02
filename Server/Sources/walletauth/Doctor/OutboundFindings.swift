import Kernel
import Outbound
import WalletAuthWire

/// Checks that messages can be sent: connects to the mail server, starts TLS and signs in, but sends nothing.
enum OutboundFindings {
    static func of(_ configuration: ServerConfiguration) async -> [Finding] {
        [await email(configuration), await sms(configuration)].compactMap { $0 } + (await push(configuration))
    }

    private static func email(_ configuration: ServerConfiguration) async -> Finding? {
        guard let mail = configuration.outbound.mail else {
            // A fault of the configuration says what is wrong.
            guard !configuration.outbound.isMailGiven else { return nil }
            return absent(
                configuration, "email",
                "no mail server is configured: warnings wait in the outbox, forgotten passwords cannot be recovered, and "
                    + "codes by e-mail are unavailable as a second factor. People without another one can sign in only "
                    + "on a linked device, and not at all once their password is found to be common or stolen, which "
                    + "ends the link",
                "Use \(Settings.smtpHost.spellings) and \(Settings.emailFrom.spellings)")
        }
        let place = "the mail server \(mail.host) port \(mail.port)"
        do {
            let host = configuration.issuer?.host ?? configuration.host
            guard let transport = try await configuration.outbound.email(from: host) else { return nil }
            if let problem = await transport.examine() {
                return .fail("email", "\(place): \(problem)", "Fix the settings email.smtp.*, or the mail server")
            }
            let signIn = mail.username == nil ? "" : ", and the sign-in works"
            return .ok("email", "\(place) responds (\(mail.security.rawValue))\(signIn)")
        } catch {
            return .fail("email", error.description, "Fix the setting")
        }
    }

    private static func sms(_ configuration: ServerConfiguration) async -> Finding? {
        guard let service = configuration.outbound.sms else {
            guard !configuration.outbound.isSMSGiven else { return nil }
            return absent(
                configuration, "sms",
                "no SMS service is configured, so codes by SMS are unavailable as a second factor. People without another "
                    + "one can sign in only on a linked device, and not at all once their password is found to be common "
                    + "or stolen",
                """
                Use \(Settings.smsWebhookURL.spellings) or \(Settings.twilioAccount.spellings), or do not keep phone numbers \
                in accounts
                """
            )
        }
        let name =
            switch service {
            case .webhook(let url, _): "the SMS webhook \(url)"
            case .twilio(let base, _, _, _): "the SMS service \(base)"
            }
        do {
            guard let transport = try await configuration.outbound.sms() else { return nil }
            if let problem = await transport.examine() {
                return .fail("sms", "\(name): \(problem)", remedy(for: problem, or: "Fix the settings sms.*"))
            }
            return .ok("sms", "\(name) has an address that the server can connect to; nothing was sent")
        } catch {
            return .fail("sms", error.description, "Fix the setting")
        }
    }

    /// One for each service that is configured: without one, people open the app by themselves. A key that cannot be read is a
    /// fault of the configuration.
    private static func push(_ configuration: ServerConfiguration) async -> [Finding] {
        let push = configuration.outbound.push
        var findings: [Finding] = []
        if let apns = push.apns {
            let service = PushConfiguration(apns: apns)
            findings.append(await finding("Apple's push service", of: service, configuration))
            if apns.topic == nil {
                findings.append(
                    .warn(
                        "push", "no topic is set, so an iPhone is reached only if its client has --push-topic",
                        "Use \(Settings.apnsTopic.spellings) with the app's bundle id"))
            }
        }
        if let fcm = push.fcm {
            let name = "Firebase Cloud Messaging, project \(fcm.credentials.project)"
            findings.append(await finding(name, of: PushConfiguration(fcm: fcm), configuration))
        }
        return findings
    }

    private static func finding(
        _ name: String, of push: PushConfiguration, _ configuration: ServerConfiguration
    ) async -> Finding {
        let outbound = configuration.outbound
        let transport = push.transport(policy: outbound.policy, timeout: outbound.deliveryTimeout)
        if let problem = await transport?.examine() {
            return .fail("push", "\(name): \(problem)", remedy(for: problem, or: "Fix the connection"))
        }
        return .ok("push", "\(name): the key is readable, and the service has an address; nothing was sent")
    }

    /// The setting that permits an address where that is what is wrong, otherwise `other`.
    fileprivate static func remedy(for problem: String, or other: String) -> String {
        guard problem.contains(OutboundFault.forbiddenAddress.description) else { return other }
        return "Permit its network with \(Settings.privateNetworks.spellings)"
    }

    /// Normal in the sandbox, where messages are viewed instead of sent.
    private static func absent(
        _ configuration: ServerConfiguration, _ subject: String, _ detail: String, _ remedy: String
    ) -> Finding? {
        configuration.environment == .production ? .warn(subject, detail, remedy) : nil
    }
}

/// Checks that breached passwords can be looked up: reads the file, and requests one range from the service.
enum BreachFindings {
    static func of(_ configuration: ServerConfiguration) async -> [Finding] {
        let breaches = configuration.breaches
        var findings: [Finding] = []
        if let file = breaches.file, let source = breaches.fileSource {
            if let problem = await source.examine() {
                findings.append(
                    .fail("breaches", "the file \(file) \(problem)", "Download it again, ordered by hash, with SHA-1"))
            } else {
                findings.append(.ok("breaches", "the file \(file) is a list of stolen passwords, ordered by hash"))
            }
        }
        if let url = breaches.url, let source = breaches.urlSource {
            if let problem = await source.examine() {
                findings.append(
                    .fail(
                        "breaches", "the service \(url): \(problem); passwords are not checked against it",
                        OutboundFindings.remedy(
                            for: problem, or: "Fix \(Settings.breachesURL.spellings) or the connection")))
            } else {
                findings.append(.ok("breaches", "the service \(url) returns a range of stolen passwords"))
            }
        }
        return findings
    }
}

internal import Core
internal import Outbound
internal import Store
internal import WalletAuthWire

/// Renders a row as text, in the language that the account had, or else that of the page that caused it, and with its brand.
package struct MessageRendering: Sendable {
    struct Rendered: Sendable {
        /// `nil` if the account has no address for the channel.
        var recipient: String?
        var subject: String
        var text: String
        /// The code in the text, if there is one.
        var code: String?
        /// The device of a push, and what it tells of.
        var push: PushRegistration?
        var target: PushTarget?
    }

    let sealing: SealingKeys
    let catalog: MessageCatalog
    let issuer: Issuer
    let vendors: ProviderVendors
    /// The features that know whether what a push tells of still waits.
    let dependents: [any DependentRows]

    /// The member of the stored values that names the brand of a message without an account.
    package static let brandMember = "brand_id"

    /// The rows that rendering needs besides the message.
    struct Facts: Sendable {
        var account: AccountRecord?
        var brand: BrandRecord?
        /// What the kind's ``MessageTemplate/Reading`` found; `nil` if there is nothing left to say.
        var values: [String: String]? = [:]
        /// Only of a push.
        var destination: Destination?
    }

    /// Where a push goes.
    enum Destination: Sendable {
        case device(PushRegistration)
        /// The device is not reached any more, or what the push tells of does not wait any more.
        case gone
    }

    func facts(of record: OutboxRecord, now: Timestamp, on connection: any SQLConnection) throws -> Facts {
        guard let account = try record.accountID.flatMap({ try Accounts.find($0, on: connection) }) else {
            return Facts(
                account: nil,
                brand: try content(of: record)?[Self.brandMember].flatMap { try Brands.find($0, on: connection) })
        }
        return Facts(
            account: account, brand: try Brands.find(account.brandID, on: connection),
            values: try catalog[record.kind].map { try $0.reading(account, vendors, connection) } ?? [:],
            destination: try destination(of: record, account, now: now, on: connection))
    }

    private func destination(
        of record: OutboxRecord, _ account: AccountRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Destination? {
        // A content that does not open fails the delivery, as that of any other message does.
        guard record.channel == .push, let devices = catalog[record.kind]?.devices, let values = content(of: record)
        else { return nil }
        guard account.state == .active, try waits(values, now: now, on: connection),
            let found = try devices.registration(
                in: values, of: account.id, sealing: sealing, now: now, on: connection)
        else { return .gone }
        return .device(found)
    }

    /// The service of a push; `nil` if its device is not reached any more.
    func pushService(of record: OutboxRecord, now: Timestamp, on connection: any SQLConnection) throws -> PushService? {
        guard let account = record.accountID, let devices = catalog[record.kind]?.devices,
            let values = content(of: record)
        else { return nil }
        return try devices.registration(in: values, of: account, sealing: sealing, now: now, on: connection)?.service
    }

    /// Whether what a push tells of still waits, as far as its feature says.
    private func waits(_ values: [String: String], now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        guard let kind = values[PushSubject.kind], let id = values[PushSubject.id].flatMap(UniqueID.init(uuid:)) else {
            return false
        }
        for feature in dependents {
            if let waits = try feature.waits(kind, id, now: now, on: connection) { return waits }
        }
        return true
    }

    /// The stored values; `nil` if they do not open.
    private func content(of record: OutboxRecord) -> [String: String]? {
        guard let bytes = sealing.open(record.sealed, for: .outbox, context: AuditLog.context(record.id)),
            let content = try? JSONValue.object(parsing: bytes)
        else { return nil }
        var stored: [String: String] = [:]
        for member in content.members { stored[member.name] = member.value.string }
        return stored
    }

    /// - Returns: `nil` if no flow declares the kind, there is nothing left to say, or the content does not open: it was dropped, or its
    ///   key is lost.
    func render(_ record: OutboxRecord, _ facts: Facts) -> Rendered? {
        guard let stored = content(of: record), let template = catalog[record.kind], let found = facts.values else {
            return nil
        }
        let profile = facts.brand.flatMap { try? BrandProfile(json: $0.settings) }
        // The account's, or else that of the page on which someone waits for the message. A later choice changes no message that was sent.
        let language = BrandLanguage(
            Language.choose([record.language, stored["language"]].compactMap { $0 }), profile?.texts)
        var values = template.completing(stored.merging(found) { _, found in found }, language)
        values["brand"] = facts.brand?.name ?? issuer.host
        // An SMS has no room for an address.
        values["support"] = BrandProfile.contact(
            values["brand"] ?? "", at: record.channel == .sms ? nil : profile?.support)
        values["account_page"] = issuer.url(path: Endpoints.accountPage.path)
        values["time"] = record.createdAt.minute
        values["minutes"] = String((record.expiresAt - record.createdAt).wholeSeconds / 60)
        let words = Words(
            wording: language.texts(), template: template, text: MessageText(of: record.kind, in: language),
            values: values)
        let text =
            switch record.channel {
            case .push: words.push
            case .sms: words.sms(origin: issuer.host)
            case .email, .none: words.mail
            }
        var rendered = Rendered(
            recipient: stored["to"] ?? address(of: facts.account, for: record.channel), subject: words.subject,
            text: text, code: values["code"])
        if case .device(let device)? = facts.destination {
            rendered.recipient = device.token
            rendered.push = device
            rendered.target = PushTarget(
                service: device.service, isDevelopment: device.isDevelopment, topic: device.topic,
                subject: stored[PushSubject.id] ?? "", subjectKind: stored[PushSubject.kind] ?? "")
        }
        return rendered
    }

    private func address(of account: AccountRecord?, for channel: OutboxChannel) -> String? {
        guard let account else { return nil }
        let vault = AccountVault(sealing)
        return switch channel {
        case .none, .push: nil
        case .email: vault.open(account.email, .email, of: account.id)
        case .sms: vault.open(account.phone, .phone, of: account.id)
        }
    }
}

/// The assembled sentences of one message.
private struct Words {
    let wording: Texts<MessageWording>
    let template: MessageTemplate
    let text: MessageText
    let values: [String: String]

    var subject: String { text[.subject, values] }

    /// The event, and how long a new factor cannot approve payments.
    private var body: String {
        let happened = text[.body, values]
        return values["cooling"] == nil ? happened : "\(happened) \(wording[.cooling, values])"
    }

    /// A lock screen shows it to everyone.
    var push: String { text[.body, values] }

    var mail: String {
        var parts = [body]
        if let code = values["code"] {
            parts += [code, wording[.codeLife, values]]
        }
        var facts = [wording[.time, values]]
        if values["account_name"] != nil { facts.append(wording[.accountName, values]) }
        if values["device"] != nil { facts.append(wording[.device, values]) }
        parts.append(facts.joined(separator: "\n"))
        parts.append(advice(code: .codeAdvice, .protectAdvice, .askAdvice))
        parts.append("-- \n" + wording[.footer, values])
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The last line binds a code to the server's domain, so that a phone offers it only there (domain-bound one-time codes). The
    /// device's name is omitted, because the person with the device chooses it.
    func sms(origin host: String) -> String {
        if let code = values["code"] {
            let about = template.smsNamesPurpose ? "\(text[.body, values]) " : ""
            return "\(about)\(wording[.smsCode, values])\n\n@\(host) #\(code)"
        }
        let advice = advice(code: nil, .smsProtectAdvice, .smsAskAdvice)
        return advice.isEmpty ? body : "\(body) \(advice)"
    }

    /// - Parameter code: what to say about a code; `nil` where the text with the code says it.
    private func advice(code: MessageWording?, _ protect: MessageWording, _ ask: MessageWording) -> String {
        let key: MessageWording? =
            switch template.advice {
            case .code: code
            case .recoveryCode: code == nil ? nil : .recoveryAdvice
            case .newContactCode: code == nil ? nil : .newContactAdvice
            case .ignore: code == nil ? nil : .ignoreAdvice
            case .protect, .protectRemoving: protect
            case .ask: ask
            case .refusal: code == nil ? ask : .refusalAdvice
            }
        var values = self.values
        if case .protectRemoving(let remedy) = template.advice {
            values["remedy"] = wording[remedy, values]
        } else {
            values["remedy"] = wording[.removeDevices, values]
        }
        return key.map { wording[$0, values] } ?? ""
    }
}

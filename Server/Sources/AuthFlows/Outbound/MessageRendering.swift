internal import AuthCore
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

/// Renders a row as text, in the account's language and with its brand.
struct MessageRendering: Sendable {
    struct Rendered: Sendable {
        /// `nil` if the account has no address for the channel.
        var recipient: String?
        var subject: String
        var text: String
        /// The code in the text, if there is one.
        var code: String?
    }

    let context: ServerContext

    /// The rows that rendering needs besides the message.
    struct Facts: Sendable {
        var account: AccountRecord?
        var brand: BrandRecord?

        static func of(_ record: OutboxRecord, on connection: any SQLConnection) throws -> Facts {
            let account = try record.accountID.flatMap { try Accounts.find($0, on: connection) }
            return Facts(account: account, brand: try account.flatMap { try Brands.find($0.brandID, on: connection) })
        }
    }

    /// - Returns: `nil` if the content does not open: it was dropped, or its key is lost.
    func render(_ record: OutboxRecord, _ facts: Facts) -> Rendered? {
        guard let bytes = context.open(record.sealed, for: .outbox, context: AuditLog.context(record.id)),
            let content = try? JSONValue.object(parsing: bytes), let kind = MessageKind(rawValue: record.kind)
        else { return nil }
        let language = SecretQuestion.Language.choose([facts.account?.locale].compactMap { $0 })
        let wording = MessageWording.of(language)
        let code = content["code"]?.string
        var values = [
            "brand": facts.brand?.name ?? context.settings.issuer.host, "time": Self.time(record.createdAt),
            "minutes": String((record.expiresAt - record.createdAt).wholeSeconds / 60),
        ]
        values["code"] = code
        values["device"] = content["device"]?.string
        values["cooling"] = content["cooling"]?.string
        values["service"] = content["service"]?.string
        for name in ["type", "amount"] { values[name] = content[name]?.string }
        values["kind"] = content["type"]?.string
            .map { (try? WalletOperationType($0))?.name(in: language) ?? $0 }
        for name in ["payee", "payee_account"] { values[name] = content[name]?.string.map(Self.apart) }
        var words = Words(wording: wording, kind: kind, values: values)
        if [.consentCode, .consentRefused].contains(kind) { words.values["operation"] = words.operation }
        return Rendered(
            recipient: content["to"]?.string ?? address(of: facts.account, for: record.channel),
            subject: words.fill(wording.text(kind).subject),
            text: record.channel == .sms ? words.sms(origin: context.settings.issuer.host) : words.mail, code: code)
    }

    private func address(of account: AccountRecord?, for channel: OutboxChannel) -> String? {
        guard let account else { return nil }
        let vault = AccountVault(context: context)
        return switch channel {
        case .none: nil
        case .email: vault.open(account.email, .email, of: account.id)
        case .sms: vault.open(account.phone, .phone, of: account.id)
        }
    }

    /// External text for use within a sentence: runs of spaces are collapsed, and right-to-left text is isolated (UAX #9), because it
    /// would otherwise reorder the text around it.
    private static func apart(_ text: String) -> String {
        let words = text.unicodeScalars.split { $0.properties.generalCategory == .spaceSeparator }
        let line = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return line.unicodeScalars.contains(where: isRightToLeft) ? "\u{2068}\(line)\u{2069}" : line
    }

    /// The Unicode blocks of right-to-left scripts.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    /// UTC in ISO 8601 order, which reads the same in every language.
    private static func time(_ time: Timestamp) -> String {
        let text = Date(timeIntervalSince1970: TimeInterval(time.seconds)).formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}

/// The assembled sentences of one message.
private struct Words {
    let wording: MessageWording
    let kind: MessageKind
    var values: [String: String]

    /// The purpose of a consent: amount and payee, if there are any (RTS article 5(1)(a)), and its effect beyond this payment.
    var operation: String {
        switch (values["type"] ?? "", values["amount"], values["payee"]) {
        case (WalletOperationType.beginSeries.rawValue, _?, _?): return fill(wording.series)
        case (WalletOperationType.trustPayee.rawValue, _, _?): return fill(wording.trust)
        case (WalletOperationType.distrustPayee.rawValue, _, _?): return fill(wording.distrust)
        default: break
        }
        return switch (values["amount"], values["payee"]) {
        case (_?, _?): fill(wording.payment)
        case (let amount?, nil): "\(amount) (\(values["kind"] ?? ""))"
        case (nil, let payee?): "\(payee), \(values["payee_account"] ?? "") (\(values["kind"] ?? ""))"
        case (nil, nil): values["kind"] ?? ""
        }
    }

    /// The event, and how long a new factor cannot approve payments.
    private var body: String {
        let happened = fill(wording.text(kind).body)
        return values["cooling"] == nil ? happened : "\(happened) \(fill(wording.cooling))"
    }

    var mail: String {
        var parts = [body]
        if let code = values["code"] {
            parts += [code, fill(wording.codeLife)]
        }
        var facts = [fill(wording.time)]
        if values["device"] != nil { facts.append(fill(wording.device)) }
        parts.append(facts.joined(separator: "\n"))
        parts.append(fill(advice(code: wording.codeAdvice, wording.protectAdvice, wording.askAdvice)))
        parts.append("-- \n" + fill(wording.footer))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The last line binds a code to the server's domain, so that a phone offers it only there (domain-bound one-time codes). The
    /// device's name is omitted, because the person with the device chooses it.
    func sms(origin host: String) -> String {
        if let code = values["code"] {
            // The purpose comes first: a phone's lock screen shows only the beginning.
            let about = kind == .consentCode ? "\(fill(wording.text(kind).body)) " : ""
            return "\(about)\(fill(wording.smsCode))\n\n@\(host) #\(code)"
        }
        let advice = fill(advice(code: "", wording.smsProtectAdvice, wording.smsAskAdvice))
        return "\(body) \(advice)"
    }

    private func advice(code: String, _ protect: String, _ ask: String) -> String {
        switch kind.advice {
        case .code: code
        case .recoveryCode: code.isEmpty ? "" : wording.recoveryAdvice
        case .protect: protect
        case .ask: ask
        case .refusal: code.isEmpty ? ask : wording.refusalAdvice
        }
    }

    /// Fills the placeholders in one pass, so that a value that looks like a placeholder stays unchanged.
    func fill(_ sentence: String) -> String {
        var filled = ""
        var rest = sentence[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            filled += values[String(rest[rest.index(after: open)..<close])] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}

internal import Foundation
internal import WalletAuthWire

/// A dialogue with a mail server (RFC 5321), from the greeting on.
struct SMTPSession: Sendable {
    /// A negative reply.
    struct Refusal: Error, Sendable {
        let step: String
        let reply: SMTPReply
    }

    /// The server lacks a required extension.
    enum MissingCapability: Error, Sendable {
        /// It offers no STARTTLS, or a party in between removed the offer.
        case startTLS
        /// It offers no authentication mechanism that is supported here.
        case authentication
        case internationalAddresses
    }

    private let connection: SMTPConnection
    private let settings: SMTPSettings
    private let extensions: [String: [String]]

    /// Reads the greeting, begins TLS if configured, and signs in.
    static func begin(on connection: SMTPConnection, _ settings: SMTPSettings, tls: SMTPClientTLS) async throws
        -> SMTPSession
    {
        try accept(await connection.greet(), in: "greeting")
        var session = try await hello(on: connection, settings)
        if settings.security == .starttls {
            guard session.extensions["STARTTLS"] != nil else { throw MissingCapability.startTLS }
            try accept(await connection.send("STARTTLS"), in: "STARTTLS")
            try await connection.startTLS(tls)
            // Replies sent in clear do not count (RFC 3207 §4.2).
            session = try await hello(on: connection, settings)
        }
        if let credentials = settings.credentials { try await session.authenticate(credentials) }
        return session
    }

    private static func hello(on connection: SMTPConnection, _ settings: SMTPSettings) async throws -> SMTPSession {
        let reply = try accept(await connection.send("EHLO \(settings.clientName)"), in: "EHLO")
        var extensions: [String: [String]] = [:]
        for line in reply.lines.dropFirst() {
            let words = line.split(separator: " ").map { $0.uppercased() }
            guard let keyword = words.first else { continue }
            // Some old servers write AUTH=LOGIN as well.
            let name = keyword.hasPrefix("AUTH=") ? "AUTH" : keyword
            extensions[name, default: []] += keyword == name ? words.dropFirst() : [String(keyword.dropFirst(5))]
        }
        return SMTPSession(connection: connection, settings: settings, extensions: extensions)
    }

    private func authenticate(_ credentials: SMTPSettings.Credentials) async throws {
        let mechanisms = extensions["AUTH"] ?? []
        func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
        if mechanisms.contains("PLAIN") {
            let response = base64("\0\(credentials.username)\0\(credentials.password)")
            try Self.accept(await connection.send("AUTH PLAIN \(response)"), in: "AUTH")
        } else if mechanisms.contains("LOGIN") {
            try Self.expect(334, await connection.send("AUTH LOGIN"), in: "AUTH")
            try Self.expect(334, await connection.send(base64(credentials.username)), in: "AUTH")
            try Self.accept(await connection.send(base64(credentials.password)), in: "AUTH")
        } else {
            throw MissingCapability.authentication
        }
    }

    /// - Throws: ``Refusal``, ``MissingCapability`` or ``OutboundFault``.
    func transfer(_ mail: MailText) async throws {
        var parameters = ""
        if mail.recipient.address.needsSMTPUTF8 || mail.sender.address.needsSMTPUTF8 {
            guard extensions["SMTPUTF8"] != nil, extensions["8BITMIME"] != nil else {
                throw MissingCapability.internationalAddresses
            }
            parameters = " BODY=8BITMIME SMTPUTF8"
        }
        try Self.accept(await connection.send("MAIL FROM:<\(mail.sender.address.addrSpec)>\(parameters)"), in: "MAIL")
        try Self.accept(await connection.send("RCPT TO:<\(mail.recipient.address.addrSpec)>"), in: "RCPT")
        try Self.expect(354, await connection.send("DATA"), in: "DATA")
        // `send` adds the text's last line break.
        try Self.accept(await connection.send(String(mail.data.dropLast())), in: "message")
    }

    /// Sends QUIT. The reply does not matter.
    func end() async {
        let connection = connection
        _ = try? await within(.now + .seconds(2)) { try await connection.send("QUIT") }
    }

    @discardableResult
    private static func accept(_ reply: SMTPReply, in step: String) throws -> SMTPReply {
        guard reply.isPositive else { throw Refusal(step: step, reply: reply) }
        return reply
    }

    private static func expect(_ code: Int, _ reply: SMTPReply, in step: String) throws {
        guard reply.code == code else { throw Refusal(step: step, reply: reply) }
    }
}

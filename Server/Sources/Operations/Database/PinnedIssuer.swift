internal import Core
internal import Kernel
package import Store
package import WalletAuthWire

/// The issuer under which a database was first served.
///
/// It appears in every token, and clients and links know it. A server started under another URL by mistake would refuse all of
/// them, so the database remembers its own.
package enum PinnedIssuer {
    private static let name = "issuer"

    /// The database's issuer; `nil` if it was never served.
    package static func read(_ database: any Database) async throws -> String? {
        try await database.read { try Meta.value(name, on: $0) }
    }

    /// Records the issuer unless there is one.
    /// - Returns: the database's issuer: this one or an earlier one.
    package static func establish(_ issuer: Issuer, in database: any Database) async throws -> String {
        try await database.write { try Meta.establish(name, as: issuer.rawValue, on: $0) }
    }

    static func set(_ issuer: Issuer, on connection: any SQLConnection) throws {
        try Meta.set(name, to: issuer.rawValue, on: connection)
    }

    /// The recorded issuer, inside a transaction.
    static func value(on connection: any SQLConnection) throws -> String? {
        try Meta.value(name, on: connection)
    }

    /// The consequences of changing the issuer.
    package static let consequences = """
        tokens of the old issuer are refused, passkeys of another domain do not work, payments in progress are \
        cancelled, and every client, backend and registered link needs the new URL
        """
}

/// Assigns the database to another issuer. A running server keeps its own until its next start.
struct IssuerChange: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let environment: ServerSettings.Environment

    func change(to text: String) async throws -> AdministrationAnswer {
        let now = clock.now()
        let issuer: Issuer
        do {
            issuer = try Issuer(text)
        } catch {
            throw AdministrationRefusal("\(text) is not an issuer: it \(error.reason).", code: "malformed")
        }
        guard environment == .sandbox || !issuer.isInsecure else {
            throw AdministrationRefusal("In production the issuer must be an https URL.", code: "malformed")
        }
        let (former, details) = try await database.write { connection in
            let former = try PinnedIssuer.value(on: connection)
            guard former != issuer.rawValue else {
                throw AdministrationRefusal("The issuer is already \(issuer.rawValue).", code: "no_change")
            }
            if let former { try FormerIssuer.remember(former, on: connection) }
            try PinnedIssuer.set(issuer, on: connection)
            var details = JSONObject()
            details.set("issuer", issuer)
            details.set("former", former)
            try auditLog.administration(AdministrationEvent.issuerChanged, details: details, now: now).write(
                on: connection)
            return (former, details)
        }
        var lines = [
            "The database's issuer is \(issuer.rawValue)\(former.map { "; it was \($0)" } ?? "").",
            "Start the server under it. From then on \(PinnedIssuer.consequences).",
        ]
        if issuer.rawValue.hasSuffix("/") {
            lines.append(
                """
                It ends with a slash. Without the slash it would be another issuer: write it this way everywhere, or \
                change it again.
                """
            )
        }
        return .done(lines, details)
    }
}

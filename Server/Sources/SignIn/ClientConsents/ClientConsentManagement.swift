package import Core
internal import Kernel
package import Store
package import WalletAuthWire

/// Lets the holder list apps with access and withdraw it on the account's page.
///
/// Requires a sign-in on this page, minutes old, and nothing more. Withdrawal only takes something from an app, so neither a
/// second factor nor a cooling period delays it.
struct ClientConsentManagement: Sendable {
    let database: any Database
    let clock: any Clock
    let clients: ClientDirectory
    let auditLog: AuditLog
    let stepUp: StepUp

    func manage(call: PageCaller) async throws -> Result<[ClientAccess], FactorRefusal> {
        if let refusal = refusal(of: call) { return .failure(refusal) }
        let account = call.account.id
        return .success(try await database.read { try ClientAccess.list(of: account, on: $0) })
    }

    /// Withdraws an app's access. The app is signed out at once.
    func withdraw(_ client: String, call: PageCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = refusal(of: call) { return .failure(refusal) }
        // A text that names no client must not reach the audit log.
        guard let id = try? ClientID(client) else { return .failure(.notFound) }
        let entry = try auditLog.entry(
            ClientConsentEvent.withdrawn, account: call.account.id, client: id.rawValue, origin: call.origin,
            now: call.now,
            details: .withdrawn(by: .holder))
        let isFirstParty = try await clients.find(id, now: call.now)?.isFirstParty ?? false
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            guard !isFirstParty,
                try ClientConsentWithdrawal.take(
                    id.rawValue, of: call.account.id, now: clock.writeTime(since: call.now), on: connection)
            else { return .failure(.notFound) }
            try entry.write(on: connection)
            return .success(())
        }
    }

    private func refusal(of call: PageCaller) -> FactorRefusal? {
        StepUpPolicy(stepUp, call).isFresh
            ? nil
            : .strongerSignIn(
                maximumAge: stepUp.freshness.wholeSeconds, acr: AuthenticationStrength.singleFactor)
    }
}

package enum ClientConsentWithdrawer: String, Sendable {
    case holder
    case `operator`
}

extension JSONObject {
    package static func withdrawn(by who: ClientConsentWithdrawer) -> JSONObject {
        var details = JSONObject()
        details.set("by", who.rawValue)
        return details
    }
}

/// Withdrawal of a consent, by its holder or an operator. It is in one place so that no session outlives the consent.
package enum ClientConsentWithdrawal {
    /// Withdraws it and ends the client's sessions of the account. Pending codes become void, because the consent that they
    /// name is gone.
    /// - Parameters:
    ///   - client: a third-party client.
    ///   - now: the time of the write.
    /// - Returns: whether there was a consent or a session.
    /// - Throws: `StoreError`.
    package static func take(
        _ client: String, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let consent = try ClientConsentRecords.remove(account, to: client, on: connection)
        let ended = try Sessions.endAll(
            of: account, grantedTo: client, because: .consentWithdrawn, now: now, on: connection)
        return consent != nil || ended > 0
    }
}

/// The events of consent to third-party clients in the audit log.
package enum ClientConsentEvent: String, SecurityEventKind, CaseIterable {
    case granted = "client_consent.granted"
    case withdrawn = "client_consent.withdrawn"
}

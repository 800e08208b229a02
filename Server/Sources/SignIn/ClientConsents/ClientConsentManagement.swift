internal import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// Lets the holder list apps with access and withdraw it on the account's page.
///
/// Requires a sign-in on this page, minutes old, and nothing more. Withdrawal only takes something from an app, so neither a
/// second factor nor a cooling period delays it.
struct ClientConsentManagement: Sendable {
    let context: ServerContext
    let call: PageCaller

    func manage() async throws -> Result<[ClientAccess], FactorRefusal> {
        if let refusal { return .failure(refusal) }
        let account = call.account.id
        return .success(try await context.database.read { try ClientAccess.list(of: account, on: $0) })
    }

    /// Withdraws an app's access. The app is signed out at once.
    func withdraw(_ client: String) async throws -> Result<Void, FactorRefusal> {
        if let refusal { return .failure(refusal) }
        // A text that names no client must not reach the audit log.
        guard let id = try? ClientID(client) else { return .failure(.notFound) }
        let entry = try context.auditLog.entry(
            ClientConsentEvent.withdrawn, account: call.account.id, client: id.rawValue, origin: call.origin,
            now: call.now,
            details: .withdrawn(by: .holder))
        let isFirstParty = try await context.clients.find(id, now: call.now)?.isFirstParty ?? false
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            guard !isFirstParty,
                try ClientConsentWithdrawal.take(
                    id.rawValue, of: call.account.id, now: context.writeTime(since: call.now), on: connection)
            else { return .failure(.notFound) }
            try entry.write(on: connection)
            return .success(())
        }
    }

    private var refusal: FactorRefusal? {
        let policy = StepUpPolicy(context: context, call: call)
        return policy.isFresh
            ? nil
            : .strongerSignIn(
                maximumAge: context.settings.devices.enrollmentFreshness.wholeSeconds,
                acr: AuthenticationStrength.singleFactor)
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

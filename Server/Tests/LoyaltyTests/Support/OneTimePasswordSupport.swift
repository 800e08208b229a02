import Core
import Operations
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Loyalty

extension Integrator {
    func send(
        _ phone: String, provedBy token: AccessToken? = nil, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<Void, LoyaltyFailure> {
        try await server.loyalty.oneTimePasswords.send(
            OneTimePasswordRequest(merchantID: merchant, mobilePhone: phone, accessToken: token), call: call())
    }

    func redeem(
        _ code: String, _ phone: String, provedBy token: AccessToken? = nil, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await self.token(
            .oneTimePassword(mobilePhone: phone, OneTimeCode(code), provedBy: token), merchant: merchant)
    }

    /// A signed-in guest proves a number. Afterwards no message is left, and another one may be sent at once.
    func prove(
        _ phone: String, with token: AccessToken, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await send(phone, provedBy: token, merchant: merchant).get()
        let code = try #require(try await server.sentCodes().first?.code)
        let outcome = try await redeem(code, phone, provedBy: token, merchant: merchant)
        try await server.change("DELETE FROM outbox")
        server.clock.advance(by: .hours(3))
        return outcome
    }
}

extension LoyaltyServer {
    /// The codes that were sent, the newest first.
    func sentCodes() async throws -> [(code: String, to: String, channel: OutboxChannel)] {
        try await messages("second_factor_code").map { ($0.content["code"]?.string ?? "", $0.to, $0.channel) }
    }

    /// The addresses and numbers to which messages of a kind were sent, the newest first.
    func recipients(_ kind: String) async throws -> [String] { try await messages(kind).map(\.to) }

    private func messages(
        _ kind: String
    ) async throws -> [(content: JSONObject, to: String, channel: OutboxChannel)] {
        try await read { try Outbox.recent(limit: 100, on: $0) }.filter { $0.kind == kind }.map {
            let bytes = context.sealing.open($0.sealed, for: .outbox, context: AuditLog.context($0.id)) ?? []
            let content = try JSONValue.object(parsing: bytes)
            return (content, content["to"]?.string ?? "", $0.channel)
        }
    }

    /// The events of an account.
    func events(_ username: String) async throws -> [String] {
        let exported = try await administer(["account", "export", username])
        return exported["events"]?.array?.compactMap { $0.object?["event"]?.string } ?? []
    }
}

import Foundation
import WalletAuthWire

/// What this device keeps of one enrollment's long-lived session: the token, until when it serves, and what the person said.
struct DeviceTokenBook: Sendable {
    let core: WalletCore
    let enrollment: Enrollment

    /// What is kept. A version, so that a later one can tell what it reads.
    struct Page: Codable, Sendable {
        /// What the person said, and what became of it.
        enum State: String, Codable, Sendable {
            case active
            case expired
            case declined
        }

        var version = 1
        var state: State
        var token: String?
        /// By the server's clock.
        var endsAt: Instant?
        /// How long a use lets it serve on, in seconds.
        var life: Int64?

        static let expired = Page(state: .expired)
        static let declined = Page(state: .declined)
    }

    private var store: any SecureStore { core.enroller.book.store }

    func page() async throws -> Page? {
        guard let data = try await store.get(enrollment.deviceTokenItem) else { return nil }
        guard let page = try? JSONDecoder().decode(Page.self, from: data), page.version == 1 else { return nil }
        return page
    }

    func keep(_ page: Page) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try await store.put(try encoder.encode(page), for: enrollment.deviceTokenItem)
    }

    func keep(_ response: DeviceTokenResponse) async throws {
        try await keep(
            Page(
                state: .active, token: response.token.reveal(),
                endsAt: core.keeper.clock.now + .seconds(response.expiresIn), life: response.expiresIn))
    }

    /// A use lets it serve on.
    func noteUse() async throws {
        guard var page = try await page(), page.state == .active, let life = page.life else { return }
        page.endsAt = core.keeper.clock.now + .seconds(life)
        try await keep(page)
    }

    /// The token.
    /// - Throws: ``WalletError`` `no_device_token` (1003) where none is kept; `device_token_expired` where it is over.
    func token(during operation: WalletError.Operation) async throws -> DeviceAuthenticationToken {
        guard let page = try await page(), page.state == .active, let text = page.token,
            let token = try? DeviceAuthenticationToken(text)
        else {
            throw WalletError(
                .noDeviceToken, .refused, during: operation, statusCode: ErrorCode.noDeviceToken.statusCode(),
                reason: "no long-lived session is kept on this device")
        }
        return token
    }

    /// Refuses where there is no token that could be ended.
    /// - Throws: ``WalletError``: `no_device_token` (1003), `token_already_expired` (403).
    func requireLiving(during operation: WalletError.Operation) async throws {
        guard try await page()?.state != .expired else {
            throw WalletError(
                .tokenAlreadyExpired, .refused, during: operation,
                statusCode: ErrorCode.tokenAlreadyExpired.statusCode(), reason: "the long-lived session is over"
            )
        }
        _ = try await token(during: operation)
    }

    /// How it stands, as far as this device knows.
    func state() async throws -> Wallet.DeviceAuthenticationTokenState {
        guard let page = try await page() else { return .none }
        switch page.state {
        case .declined: return .declined
        case .expired: return .expired
        case .active:
            guard let endsAt = page.endsAt, core.keeper.clock.now < endsAt else { return .expired }
            return .active(until: endsAt.date)
        }
    }
}

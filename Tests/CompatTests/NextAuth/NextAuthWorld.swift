import Foundation
import NextAuthCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// A scripted server, and a phone whose app moved here from nextAuth.
struct NextAuthWorld: Sendable {
    let clock = ManualClock()
    let server: ScriptedServer
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()
    let nextAuth = NextAuth()

    init() {
        server = ScriptedServer(clock: clock, settings: .init())
        server.addPerson("alice", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
    }

    /// A phone that is enrolled for alice, with a key behind her presence. The scripted server knows no PIN of a device.
    static func enrolled() async throws -> NextAuthWorld {
        let world = NextAuthWorld()
        try await world.nextAuth.configure(world.configuration())
        try await world.enroll("alice", "correct horse")
        return world
    }

    func configuration() throws -> WalletAuth.Wallet.Configuration {
        WalletAuth.Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil),
            ports: WalletAuth.Wallet.Ports(
                transport: server, store: store, userAgent: server.browser(of: "alice"), keys: keys,
                presence: ScriptedUserPresence(), time: clock, appleCredentials: ScriptedAppleCredentials()))
    }

    /// Signs in and enrolls this device.
    func enroll(_ username: String, _ password: String) async throws {
        let wallet = try nextAuth.wallet
        _ = try await wallet.login(username: username, password: password)
        try await wallet.devices.enroll(name: "Phone", username: username)
        let device = wallet.deviceAuthentication
        let enrollment = try await device.signedInEnrollment(during: .enableBiometrics)
        try await device.adoptPresenceKey(try await device.makePresenceKey(of: enrollment), of: enrollment)
    }

    /// The bytes of a QR code for 12.50 EUR to Café Zürich.
    func code() throws -> Data {
        let request = try TransactionRequest(
            account: nil, type: WalletOperationType("PURCHASE"), amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: "No. 42")], requiredSecondFactor: .any,
            expiresIn: TransactionRequest.defaultLifetime)
        return Data(try server.createTransaction(request).utf8)
    }

    var statuses: [TransactionStatus] { server.transactions.map(\.status) }
}

/// Answers the questions of a flow, and keeps what it received.
@MainActor
final class NextAuthRecorder: NextAuthObserver {
    var chooses: (CurrentUserInteraction) -> Void = { $0.cancel() }
    var confirms: (CurrentUserInteraction) -> Void = { $0.confirm() }
    var picks: (CurrentUserInteraction) -> Void = { $0.choose(number: 47) }
    var proves: (CurrentUserInteraction) -> Void = { $0.inputSecondFactor(biometrics: "Sign") }

    private(set) var steps: [String] = []
    private(set) var updates: [NextAuthCompat.FlowUpdate] = []
    private(set) var events: [String] = []
    private let (told, tell) = AsyncStream.makeStream(of: Void.self)

    func flowUpdate(_ update: NextAuthCompat.FlowUpdate) {
        MainActor.assertIsolated()
        updates.append(update)
        let interaction = update.currentUserInteraction
        steps.append([update.itsState.rawValue, interaction?.type.rawValue].compactMap(\.self).joined(separator: " "))
        switch interaction?.type {
        case .chooseAccount: interaction.map(chooses)
        case .confirmTransaction: interaction.map(confirms)
        case .confirm: interaction.map(picks)
        case .verifySecondFactor: interaction.map(proves)
        case nil: break
        }
        tell.yield()
    }

    func accountUpdate(_ account: Account) { note("updated \(account.username ?? "")") }
    func accountDeleted(_ account: Account) { note("deleted \(account.username ?? "")") }
    func error(_ error: NextAuthError) { note("error \(error.code.rawValue)") }

    private func note(_ event: String) {
        MainActor.assertIsolated()
        events.append(event)
        tell.yield()
    }

    /// Waits until the condition holds after a callback.
    func wait(until condition: () -> Bool) async {
        guard !condition() else { return }
        for await _ in told where condition() { return }
    }

    /// Waits for the end of so many flows.
    func ends(_ count: Int = 1) async {
        await wait { updates.count { $0.state == .done || $0.state == .error } == count }
    }
}

import ArgumentParser
import Foundation
import PaydiantCompat
import WalletAuth
import WalletAuthPIN

/// An app with the calls of Paydiant's authentication module.
struct PaydiantApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paydiant",
        abstract:
            "Signs in by password and second factor, PIN and device token, and shows the numbers of Paydiant's page.")

    @OptionGroup var server: ServerOptions

    func run() async throws {
        let configuration = try server.configuration()
        try await PDAthenticationCoordinator.configure(configuration)
        let wallet = try WalletAuth.Wallet(configuration: configuration)
        try await play(wallet)
    }

    /// - Parameter wallet: another wallet with the same store, for the PIN, which the page has no call for.
    @MainActor
    private func play(_ wallet: WalletAuth.Wallet) async throws {
        let coordinator = PDAthenticationCoordinator()
        let screens = LoginScreens()
        coordinator.setDelegate(screens)

        Dialogue.show("loginByUsernamePassword, with a wrong password")
        coordinator.loginByUsernamePassword(server.username, password: "not the password")
        await screens.next()

        let password = try await Dialogue.ask("Password of \(server.username)")
        Dialogue.show("loginByUsernamePassword")
        coordinator.loginByUsernamePassword(server.username, password: password)
        await screens.next()
        guard let token = screens.question else { throw ExitCode(1) }
        token.answer = try await Dialogue.ask("Code: \(token.question ?? "")")
        Dialogue.show("registerWithMFA")
        coordinator.registerWithMFA(token)
        await screens.next()

        try await wallet.setUp()
        let pin = try await wallet.setPIN()
        Dialogue.show("logout")
        coordinator.logout()
        await screens.next()
        Dialogue.show("loginByPIN")
        coordinator.loginByPIN(pin)
        await screens.next()

        try await useDeviceToken(coordinator, screens, password, pin)

        Dialogue.show("logout")
        coordinator.logout()
        await screens.next()
        Dialogue.show("logout, again")
        coordinator.logout()
        await screens.next()
        withExtendedLifetime(screens) {}
    }

    @MainActor
    private func useDeviceToken(
        _ coordinator: PDAthenticationCoordinator, _ screens: LoginScreens, _ password: String, _ pin: String
    ) async throws {
        Dialogue.show("expireDeviceAuthenticationToken, without one")
        coordinator.expireDeviceAuthenticationToken(
            completion: { screens.note("completion block") }, failure: { screens.note("failure block", $0) })
        await screens.next()
        Dialogue.show("generateDeviceAuthenticationTokenForUsername")
        coordinator.generateDeviceAuthenticationToken(
            forUsername: PDGenerateDeviceAuthenticationRequest(username: server.username, password: password),
            completion: { screens.note("completion block") }, failure: { screens.note("failure block", $0) })
        await screens.next()
        Dialogue.show("isAuthroizationTokenExist: \(coordinator.isAuthroizationTokenExist())")
        Dialogue.show("logout")
        coordinator.logout()
        await screens.next()
        Dialogue.show("loginWithDeviceAuthenticationToken")
        coordinator.loginWithDeviceAuthenticationToken(
            completion: { screens.note("completion block") }, failure: { screens.note("failure block", $0) })
        await screens.next()
        Dialogue.show("loginWithDeviceAuthenticationToken(pin:)")
        coordinator.loginWithDeviceAuthenticationToken(
            pin: pin, completion: { screens.note("completion block") },
            failure: { screens.note("failure block", $0) })
        await screens.next()
        Dialogue.show("expireDeviceAuthenticationToken")
        coordinator.expireDeviceAuthenticationToken(
            completion: { screens.note("completion block") }, failure: { screens.note("failure block", $0) })
        await screens.next()
        Dialogue.show("isAuthroizationTokenExist: \(coordinator.isAuthroizationTokenExist())")
    }
}

/// The app's delegate, which prints what it is told.
@MainActor
private final class LoginScreens: PDAuthenticationDelegate {
    private let (calls, call) = AsyncStream<Void>.makeStream()
    private(set) var question: PDMFAToken?

    func authenticationDidSucceed(
        _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any]
    ) {
        let names = additionalAttributes.keys.sorted().joined(separator: ", ")
        note("authenticationDidSucceed: withAdditionalAttributes: \(names)")
    }

    func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken) {
        question = mfaQuestionToken
        note("mfaQuestionDidPrompt: \(mfaQuestionToken.question ?? "")")
    }

    func authenticationDidFail(_ authenticationError: PDPaydiantError) {
        note("authenticationDidFail", authenticationError)
    }

    func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError) {
        note("authenticationInvocationDidFail", authenticationError)
    }

    func finishedLogout() { note("finishedLogout") }

    func note(_ name: String, _ error: PDPaydiantError? = nil) {
        Dialogue.show(
            "    " + name + (error.map { ": \($0.code) \($0.walletError.code.rawValue), \($0.domain)" } ?? ""))
        call.yield()
    }

    /// Waits for the next call.
    func next() async {
        for await _ in calls { return }
    }
}

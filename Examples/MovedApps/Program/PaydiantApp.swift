import ArgumentParser
import Foundation
import PaydiantCompat
import PaydiantPage
import PaydiantPageSwift5
import WalletAuth

/// An app with the calls of Paydiant's authentication module.
struct PaydiantApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paydiant",
        abstract:
            "Signs in by password and second factor, PIN and device token, and shows the numbers of Paydiant's page.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var mode: LanguageMode

    func run() async throws {
        let configuration = try server.configuration()
        try await PDAthenticationCoordinator.configure(configuration)
        let wallet = try WalletAuth.Wallet(configuration: configuration)
        try await play(wallet)
    }

    /// - Parameter wallet: another wallet with the same store, for the PIN, which the page has no call for.
    @MainActor
    private func play(_ wallet: WalletAuth.Wallet) async throws {
        let page: any LoginPage = mode.isSwift5 ? Swift5PaydiantPage() : Swift6PaydiantPage()
        await page.show("loginByUsernamePassword, with a wrong password") {
            page.signIn(username: server.username, password: "not the password")
        }
        let password = try await Dialogue.ask("Password of \(server.username)")
        await page.show("loginByUsernamePassword") { page.signIn(username: server.username, password: password) }
        guard let question = page.question?.question else { throw ExitCode(1) }
        let code = try await Dialogue.ask("Code: \(question)")
        await page.show("registerWithMFA") { page.answer(code) }

        try await wallet.setUp()
        let pin = try await wallet.setPIN()
        await page.show("logout") { page.leave() }
        await page.show("loginByPIN") { page.signIn(pin: pin) }

        await page.show("expireDeviceAuthenticationToken, without one") { page.revert() }
        await page.show("generateDeviceAuthenticationTokenForUsername") {
            page.stayLoggedIn(username: server.username, password: password)
        }
        await page.show("logout") { page.leave() }
        await page.show("isAuthroizationTokenExist, loginWithDeviceAuthenticationToken") { page.resume() }
        await page.show("loginWithDeviceAuthenticationToken(pin:)") { page.resume(pin: pin) }
        await page.show("expireDeviceAuthenticationToken") { page.revert() }
        await page.show("isAuthroizationTokenExist") { page.resume() }
        await page.show("logout") { page.leave() }
        await page.show("logout, again") { page.leave() }
    }
}

/// The page's calls in one of the two language modes.
@MainActor
private protocol LoginPage: AnyObject {
    var attributes: [String: Any] { get }
    var question: PDMFAToken? { get }
    var error: PDPaydiantError? { get }
    func signIn(username: String, password: String)
    func signIn(pin: String)
    func answer(_ answer: String)
    func stayLoggedIn(username: String, password: String)
    func resume()
    func resume(pin: String)
    func revert()
    func leave()
    func result(of call: () -> Void) async -> String
}

extension Swift6PaydiantPage: LoginPage {}
extension Swift5PaydiantPage: LoginPage {}

extension LoginPage {
    /// Runs a call, and shows what its delegate or its blocks were given.
    fileprivate func show(_ name: String, _ call: () -> Void) async {
        Dialogue.show(name)
        let event = await result(of: call)
        Dialogue.show("    \(event)\(details(of: event))")
    }

    private func details(of event: String) -> String {
        switch event {
        case "signed in, with attributes": ": " + attributes.keys.sorted().joined(separator: ", ")
        case "question": ": \(question?.question ?? "")"
        case let failure where failure.hasPrefix("error") || failure.hasPrefix("unreached"):
            error.map { ": \($0.walletError.code.rawValue), \($0.domain)" } ?? ""
        default: ""
        }
    }
}

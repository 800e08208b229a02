import ArgumentParser
import CloverCompat
import CloverPage
import CloverPageSwift5
import Foundation
import WalletAuth

/// An app that does what Clover's page on OAuth describes.
struct CloverApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clover",
        abstract: "Signs in by Full OAuth, renews, is started again and signs out, as Clover's page says.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var mode: LanguageMode

    @Option(help: ArgumentHelp("The redirect URI, as registered.", valueName: "uri"))
    var redirectURI: String

    func run() async throws { try await play() }

    @MainActor
    private func play() async throws {
        let browser = SceneUserAgent()
        try configure(browser)
        let app = makeApp()
        Dialogue.show("addOnTokenChangeCallback, then setup(configuration:) with FullOAuth")
        try await app.launch()
        Dialogue.show("    \(app.shown[0]), and the browser shows the page: isLoggedIn \(Self.isLoggedIn)")
        guard let url = await browser.nextURL() else { throw ExitCode(1) }
        Dialogue.show("scene delegate: receivedOAuthCodeOrToken")
        app.scene(opened: url)
        try await app.show(from: 1)

        Dialogue.show("the token is renewed")
        try await CloverPaymentSDK.shared.wallet.refresh()
        try await app.show(from: 2)
        Dialogue.show("removeOnTokenChangeCallback(identifier:)")
        Dialogue.show("    \(app.quit())")

        Dialogue.show("the app is started again: addOnTokenChangeCallback, then setup(configuration:)")
        try configure(browser)
        let restarted = makeApp()
        try await restarted.launch()
        Dialogue.show("    \(restarted.shown[0]), without a page: isLoggedIn \(Self.isLoggedIn)")
        Dialogue.show("logout()")
        restarted.logOut()
        Dialogue.show("    at once, isLoggedIn \(Self.isLoggedIn)")
        // Had restoring fired a callback, it would be the next line.
        try await restarted.show(from: 1)
    }

    private static var isLoggedIn: Bool { CloverPaymentSDK.shared.isLoggedIn }

    /// The line that the app adds; it may be in Info.plist instead.
    private func configure(_ browser: SceneUserAgent) throws {
        let wallet = try server.configuration(userAgent: browser)
        CloverPaymentSDK.shared.configure(issuer: wallet.environment.issuer) { $0.ports = wallet.ports }
    }

    @MainActor
    private func makeApp() -> any FullOAuthPage {
        mode.isSwift5
            ? Swift5FullOAuthApp(values: Swift5CloverAppValues(appID: server.clientID), redirectURI: redirectURI)
            : Swift6FullOAuthApp(values: Swift6CloverAppValues(appID: server.clientID), redirectURI: redirectURI)
    }
}

/// The page's code in one of the two language modes.
@MainActor
private protocol FullOAuthPage: AnyObject {
    var shown: [String] { get }
    func launch() async throws
    func scene(opened url: URL)
    func logOut()
    func quit() -> Bool
}

extension Swift6FullOAuthApp: FullOAuthPage {}
extension Swift5FullOAuthApp: FullOAuthPage {}

extension FullOAuthPage {
    /// Waits until the token change callback has shown something, and shows it.
    /// - Parameter count: how much the app has shown before.
    fileprivate func show(from count: Int) async throws {
        while shown.count == count { try await Task.sleep(for: .milliseconds(20)) }
        for line in shown.dropFirst(count) {
            Dialogue.show("    token change callback: \(line), isLoggedIn \(CloverPaymentSDK.shared.isLoggedIn)")
        }
    }
}

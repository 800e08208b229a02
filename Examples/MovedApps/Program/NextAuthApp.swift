import ArgumentParser
import Foundation
import NextAuthCompat
import NextAuthPage
import NextAuthPageSwift5

/// An app with the code of nextAuth's page on signing transactions.
struct NextAuthApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nextauth",
        abstract: "Signs the transaction of a QR code, and two that the app begins, with the code of nextAuth's page.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var mode: LanguageMode

    func run() async throws {
        try await NextAuth.default.configure(server.configuration())
        let pin = try await NextAuth.default.wallet.enroll(server.username)
        try await Self.sign(pin, isSwift5: mode.isSwift5)
    }

    @MainActor
    private static func sign(_ pin: String, isSwift5: Bool) async throws {
        let page: any SigningPage = isSwift5 ? Swift5Page() : Swift6Page()
        let accounts = NextAuth.default.accounts.compactMap(\.username)
        Dialogue.show("NextAuth.default.accounts: \(accounts.joined(separator: ", "))")
        // The page's callbacks answer the questions, and this one tells of them.
        let observer = page.observer(pin: pin)
        let printer = FlowPrinter()
        NextAuth.default.delegate = observer
        NextAuth.default.addObserver(printer)

        let code = try await Dialogue.ask("Scan the shop's code")
        Dialogue.show("flowService.start(with: data)")
        page.scanned(Data(code.utf8))
        try await printer.waitForEnd(unless: page.error)

        Dialogue.show("NextAuth.default.create(transaction: Transaction())")
        page.sign()
        try await printer.waitForEnd(unless: page.error)

        Dialogue.show("NextAuth.default.create(transaction:) with requiredSecondFactorType: .pin")
        page.signByPIN()
        try await printer.waitForEnd(unless: page.error)

        Dialogue.show("flowService.start(with: data) with something else than a code")
        page.scanned(Data("com.nextauth.client:AAAA".utf8))
        Dialogue.show("    catch: \((page.error as? NextAuthError)?.code.rawValue ?? "nothing")")
        withExtendedLifetime(observer) {}
    }
}

/// The page's code in one of the two language modes.
@MainActor
private protocol SigningPage {
    var error: (any Error)? { get }
    func scanned(_ data: Data)
    func sign()
    func signByPIN()
    func observer(pin: String) -> any NextAuthObserver
}

@MainActor
private struct Swift6Page: SigningPage {
    private let screen = Swift6SigningScreen()
    var error: (any Error)? { screen.error }
    func scanned(_ data: Data) { screen.scanned(data) }
    func sign() { screen.sign() }
    func signByPIN() { screen.signByPIN() }
    func observer(pin: String) -> any NextAuthObserver { Swift6SigningObserver { _ in pin } }
}

@MainActor
private struct Swift5Page: SigningPage {
    private let screen = Swift5SigningScreen()
    var error: (any Error)? { screen.error }
    func scanned(_ data: Data) { screen.scanned(data) }
    func sign() { screen.sign() }
    func signByPIN() { screen.signByPIN() }
    func observer(pin: String) -> any NextAuthObserver { Swift5SigningObserver { _ in pin } }
}

/// Prints each callback in the page's words.
@MainActor
private final class FlowPrinter: NextAuthObserver {
    private let (ends, end) = AsyncStream<Void>.makeStream()

    func flowUpdate(_ update: FlowUpdate) {
        var line = "    \(update.itsState.rawValue) as its State"
        if let interaction = update.currentUserInteraction {
            line += ", CurrentUserInteraction.Type \(interaction.type.rawValue)"
            if let shown = interaction.transaction, let amount = shown.amount {
                line += ": \(shown.payee?.name ?? ""), \(amount.decimal) \(amount.currency.rawValue)"
            }
        }
        if let error = update.error { line += ": \(error.code.rawValue)" }
        Dialogue.show(line)
        if update.itsState == .done || update.itsState == .error { end.yield() }
    }

    /// Waits until a flow has ended.
    /// - Parameter error: the error of its start.
    func waitForEnd(unless error: (any Error)?) async throws {
        if let error {
            Dialogue.show("    catch: \(error)")
            throw ExitCode(1)
        }
        for await _ in ends { return }
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthLoopback
import WalletAuthTesting

/// An app that consists of the README's sample. It finds another issuer and a test's device where the sample names a sandbox
/// and a phone has its own; everything else is as the README prints it.
private final class ReadmeApp {
    private let issuer: URL
    private let device: Device
    private(set) var printed: [String] = []

    init(issuer: URL, device: Device) {
        self.issuer = issuer
        self.device = device
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private func Wallet(configuration: WalletAuth.Wallet.Configuration) throws -> WalletAuth.Wallet {
        var onDevice = configuration
        onDevice.ports = device.ports
        return try WalletAuth.Wallet(configuration: onDevice)
    }

    private func print(_ items: Any...) {
        printed.append(items.map { "\($0)" }.joined(separator: " "))
    }

    // swift-format-ignore: NeverForceUnwrap
    func run() async {
        let callback = URL(string: "com.example.wallet:/callback")!
        do {
            let wallet = try Wallet(
                configuration: .init(
                    environment: .sandbox(issuer: issuer), clientID: "com.example.wallet",
                    signIn: .full(redirectURI: callback),
                    scopes: ["openid", "profile"]))
            try await wallet.restore()
            try await wallet.signIn()
            let (data, response) = try await wallet.perform(URLRequest(url: issuer.appending(path: "oauth2/userinfo")))
            print(response.statusCode, String(decoding: data, as: UTF8.self))
        } catch {
            print(error)
        }
    }
}

/// The README, as far as a newcomer copies from it.
private struct Readme {
    private let text: String

    init() throws {
        text = try String(contentsOf: Programs.repository.appending(path: "README.md"), encoding: .utf8)
    }

    /// The arguments of its first command that begins like this, across continued lines.
    func command(_ beginning: String) throws -> [String] {
        let start = try #require(text.range(of: "\n\(beginning) "))
        let line = text[start.lowerBound...].dropFirst().replacing("\\\n", with: " ").prefix { $0 != "\n" }
        let words = line.matches(of: #/"([^"]*)"|(\S+)/#).map { String($0.output.1 ?? $0.output.2 ?? "") }
        return Array(words.prefix { $0 != "#" }.dropFirst())
    }

    /// The statements of its first sample, from a line on.
    func sample(from beginning: String) throws -> String {
        let sample = try #require(text.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
        return String(sample[try #require(sample.range(of: beginning)).lowerBound...])
    }
}

/// Code without its layout and comments.
private func essence(of code: String) -> String {
    let lines = code.split(separator: "\n").map { (line: Substring) in
        line.firstRange(of: "  //").map { line[..<$0.lowerBound] } ?? line
    }
    return lines.joined().filter { !$0.isWhitespace }
}

/// The lines that the sandbox shows with a client that it created, here for the compiler.
// swift-format-ignore: NeverForceUnwrap
private func sandboxLines() async {
    let issuer = URL(string: "ISSUER")!
    let clientID = "CLIENT"
    #if os(Linux)
        let callback = URL(string: "http://127.0.0.1/callback")!
        let ports: Wallet.Ports? = .linux(
            clientID: clientID, userAgent: LoopbackUserAgent(opener: SystemBrowser.openOrPrint))
    #else
        let callback = URL(string: "com.example.wallet:/callback")!
        let ports: Wallet.Ports? = nil
    #endif
    do {
        let wallet = try Wallet(
            configuration: .init(
                environment: .sandbox(issuer: issuer), clientID: clientID,
                signIn: .full(redirectURI: callback), scopes: ["openid", "profile"], ports: ports))
        try await wallet.restore()
        try await wallet.signIn()
        let (data, _) = try await wallet.perform(URLRequest(url: issuer.appending(path: "oauth2/userinfo")))
        print(String(decoding: data, as: UTF8.self))
    } catch {
        print(error)
    }
}

@Suite("The README's sample", .onceForAllEngines)
struct ReadmeSampleTests {
    @Test("As printed, it signs in at the sandbox and prints the person's claims; started again, it opens no page")
    func runs() async throws {
        let readme = try Readme()
        try await withServer { server in
            try await server.require(try readme.command("walletauth client create"))
            let account = try readme.command("walletauth account create")
            #expect(account.starts(with: ["account", "create", "ada"]))
            let person = try await server.makeAccount("ada")
            let device = Device(
                ledger: server.ledger, person: person, redirectURI: "com.example.wallet:/callback")

            let app = ReadmeApp(issuer: await server.issuer, device: device)
            await app.run()
            #expect(app.printed.count == 1)
            #expect(app.printed.first?.hasPrefix(#"200 {"#) == true, "\(app.printed)")
            #expect(app.printed.first?.contains(#""preferred_username":"#) == true)

            let next = ReadmeApp(issuer: await server.issuer, device: device)
            await next.run()
            #expect(next.printed == app.printed)
            #expect(device.browser.presented.count == 1, "the second launch opens no page")
        }
    }

    @Test("The code that the test above runs is the README's")
    func asPrinted() throws {
        let sample = try Readme().sample(from: "let callback")
        let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        #expect(essence(of: own).contains(essence(of: sample)))
    }

    @Test("The lines that the sandbox shows with a client are Swift that compiles")
    func sandbox() async throws {
        try await withServer { server in
            let issuer = await server.issuer
            let web = WebClient(ledger: server.ledger)
            let pressed = try await web.post(issuer.appending(path: "sandbox/clients"), form: [:])
            let address = try #require(pressed.header("location").flatMap { URL(string: $0, relativeTo: issuer) })
            let page = String(decoding: try await web.get(address.absoluteURL).body, as: UTF8.self)
            let id = try #require(page.firstMatch(of: /clientID = &quot;([^&]+)&quot;/)).output.1
            let shown = try #require(page.firstMatch(of: /<pre class="lines"><code>([^<]+)<\/code>/)).output.1
                .replacing("&quot;", with: "\"").replacing(issuer.absoluteString, with: "ISSUER").replacing(
                    id, with: "CLIENT")
            let lines = String(shown[try #require(shown.range(of: "let issuer")).lowerBound...])
            let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
            #expect(essence(of: own).contains(essence(of: lines)))
        }
    }
}

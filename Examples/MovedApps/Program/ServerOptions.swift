import ArgumentParser
import Foundation
import WalletAuth

/// The options of every app.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's URL.", valueName: "url"))
    var issuer: String

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The app's client id.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("The user name of the person.", valueName: "name"))
    var username: String

    @Option(help: ArgumentHelp("The folder in which the app stores its session and keys.", valueName: "folder"))
    var home: String

    func validate() throws {
        guard let url = URL(string: issuer), url.scheme != nil, url.host != nil else {
            throw ValidationError("--issuer is not a URL: \(issuer)")
        }
    }

    /// The one thing that an app adds when it moves: which server it has, as which client.
    /// - Parameters:
    ///   - signIn: how it signs in.
    ///   - userAgent: shows its pages.
    func configuration(
        _ signIn: Wallet.SignIn = .partial(codeResponse: nil), userAgent: any UserAgent = NoUserAgent()
    ) throws -> Wallet.Configuration {
        guard let url = URL(string: issuer) else { throw ValidationError("--issuer is not a URL: \(issuer)") }
        var configuration = Wallet.Configuration(
            environment: url.scheme == "http" ? .sandbox(issuer: url) : .production(issuer: url), clientID: clientID,
            signIn: signIn)
        #if os(Linux)
            configuration.ports = .linux(directory: URL(fileURLWithPath: home), userAgent: userAgent)
        #endif
        return configuration
    }

    func redirectURI(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw ValidationError("--redirect-uri is not a URL: \(text)") }
        return url
    }
}

/// The option of an app whose code is compiled twice.
struct LanguageMode: ParsableArguments {
    @Flag(name: .customLong("swift5"), help: "Run the code as it was compiled in Swift 5 mode.")
    var isSwift5 = false
}

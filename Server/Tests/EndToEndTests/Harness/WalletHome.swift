import Foundation
import Testing

/// The `wallet` program with a home of its own, whichever server it is for.
struct WalletHome: Sendable {
    /// Where it runs, and where what it prints is kept.
    let folder: URL
    let environment: [String: String]

    func run(
        _ arguments: [String], input: String = "", environment more: [String: String] = [:]
    ) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.wallet, arguments, environment: environment.merging(more) { $1 }, folder: folder, input: input)
    }

    /// Runs a command that is answered while it runs.
    /// - Parameters:
    ///   - first: what is typed at once.
    ///   - letter: what is typed once it has come; `nil` as long as it has not.
    func run(
        _ arguments: [String], typing first: String, then letter: @escaping @Sendable () async throws -> String?
    ) async throws -> CommandResult {
        let log = newLog("typed")
        let process = try ChildProcess(
            Programs.wallet, arguments, environment: environment, folder: folder, log: log, input: nil)
        process.write(Data(first.utf8))
        return try await within(.patience, "wallet \(arguments.joined(separator: " "))") {
            process.write(Data(try await firstResult("what is typed", letter).utf8))
            process.endInput()
            return try await process.result(errors: log)
        } otherwise: {
            process.send(SIGKILL)
        }
    }

    /// Starts a command and does not wait for it.
    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            Programs.wallet, arguments, environment: environment, folder: folder, log: newLog("started"))
    }

    /// A sign-in in the browser that has begun.
    struct BrowserSignIn: Sendable {
        let process: ChildProcess
        /// What the program prints on its standard output.
        let log: URL
        let page: URL
        let redirectURI: String
    }

    /// Starts a sign-in in the browser; the wallet tells the page's address on its standard error.
    func startSignIn(_ arguments: [String], input: String = "") async throws -> BrowserSignIn {
        let log = newLog("sign-in")
        let process = try ChildProcess(
            Programs.wallet, ["sign-in", "--no-open", "--json"] + arguments, environment: environment,
            folder: folder, log: log, watching: .standardError, input: Data(input.utf8))
        return try await Self.begun(process, log: log)
    }

    /// Waits until a program that signs in tells its page.
    static func begun(_ process: ChildProcess, log: URL) async throws -> BrowserSignIn {
        let (page, told) = try await within(.patience, "the page's address") {
            var told: [String] = []
            for await line in process.lines {
                if let match = line.firstMatch(of: /Open this page to sign in: (http:\/\/\S+)/) {
                    return (String(match.output.1), told)
                }
                told.append(line)
            }
            return ("", told)
        }
        return BrowserSignIn(
            process: process, log: log, page: try #require(URL(string: page), "no page, but: \(told)"),
            redirectURI: try #require(queryItems(of: page)["redirect_uri"]))
    }

    private func newLog(_ name: String) -> URL { folder.appending(path: "\(name)-\(UUID().uuidString).log") }
}

/// Runs a test's body with the wallet program at a server that is not there: for commands that ask none.
func withWalletAlone(_ body: (WalletHome) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await body(
        WalletHome(
            folder: folder.url,
            environment: [
                "WALLET_ISSUER": "http://127.0.0.1:1", "WALLET_CLIENT_ID": "com.example.wallet",
                "WALLET_HOME": folder.url.appending(path: "wallet").path,
            ]))
}

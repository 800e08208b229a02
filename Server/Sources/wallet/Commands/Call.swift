import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Call: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends a request with your access token and prints the response.",
        discussion: """
            The token is renewed first if needed. If the session is bound to a key, the request carries a DPoP proof. \
            Redirects are shown, not followed. Exits with 1 if the response status is 400 or higher.

            A token that is not bound to a key could be used by any server that gets it, so it goes only to the server that \
            issued it and to those that you name once with --send-token. They are remembered for that issuer until you name one \
            for another issuer.
            """)

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    @Argument(help: ArgumentHelp("The URL to call: https, or http for a server on this machine.", valueName: "url"))
    var url: String

    @Option(name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The method.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp("The request body; JSON unless a Content-Type header differs.", valueName: "body"))
    var body: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, \"Name: value\"; may be repeated.", valueName: "field"))
    var headers: [String] = []

    @Flag(
        name: .customLong("send-token"),
        help: ArgumentHelp(
            """
            Send your token to the URL's server, although another server issued it. Remembered for one issuer at a time.
            """))
    var sendToken = false

    func validate() throws {
        _ = try target
        if let method, method.wholeMatch(of: #/[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}/#) == nil {
            throw ValidationError("--request \"\(method)\" is not a method: use a word such as GET or POST")
        }
        for header in headers where header.split(separator: ":", maxSplits: 1).count != 2 {
            throw ValidationError("\"\(header)\" is not a header field of the form \"Name: value\"")
        }
    }

    /// The URL of the request.
    /// - Throws: `ValidationError` if a token must not be sent there.
    private var target: URL {
        get throws {
            guard let target = URL(string: url), let scheme = target.scheme?.lowercased(),
                let host = target.host(percentEncoded: true), !host.isEmpty
            else {
                throw ValidationError("\"\(url)\" is not a URL: use the full URL, such as https://api.example.com/me")
            }
            switch scheme {
            case "https": return target
            case "http" where target.isOnThisMachine: return target
            case "http":
                throw ValidationError(
                    "\(url) is plain http, so anyone on the network could steal the token: use https; plain http is only for a "
                        + "server on this machine (http://127.0.0.1:PORT)")
            default: throw ValidationError("a token may be sent over https only, not over \(scheme)")
            }
        }
    }

    private struct CallReport: Report {
        let status: Int
        let headers: [String: String]
        let body: String

        var lines: [String] {
            guard !body.isEmpty else { return [] }
            return body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        }
    }

    func run() async throws {
        let target = try target
        try await connection.running(calling: target) { terminal in
            let profile = try connection.profileInUse()
            let recipients = TokenRecipients(issuer: profile.issuer, folder: connection.folder)
            let wallet = try await recipients.wallet(calling: target, sendToken: sendToken) { resources in
                try Wallet.of(profile, in: connection.folder, resources: resources)
            }
            let (data, response) = try await wallet.perform(request(to: target))
            let headers = response.allHeaderFields.reduce(into: [String: String]()) { headers, field in
                headers["\(field.key)"] = "\(field.value)"
            }
            terminal.print(
                CallReport(
                    status: response.statusCode, headers: headers, body: String(decoding: data, as: UTF8.self)),
                orPassOn: data)
            guard response.statusCode < 400 else {
                let advice = Self.advice(
                    response.statusCode, challenges: response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "")
                terminal.say("wallet: the server returned \(response.statusCode); \(advice)")
                throw ExitCode(1)
            }
        }
    }

    private func request(to target: URL) -> URLRequest {
        var request = URLRequest(url: target)
        request.httpMethod = method ?? (body == nil ? "GET" : "POST")
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1)
            request.setValue(
                parts[1].trimmingCharacters(in: .whitespaces), forHTTPHeaderField: String(parts[0]))
        }
        return request
    }

    /// What to do after a refusal.
    /// - Parameter challenges: the response's `WWW-Authenticate`.
    static func advice(_ status: Int, challenges: String) -> String {
        switch status {
        case 401 where challenges.contains(#"error="invalid_dpop_proof""#):
            "it refused the DPoP proof and not the token: see its response, and compare the URL that it expects, and its clock"
        case 401: "it does not accept this token: sign in again, or request other scopes"
        case 403: "you are not allowed to do this; see its response for the reason"
        case 404: "check the URL"
        case 429, 500...: "try again later"
        default: "see its response for the reason"
        }
    }
}

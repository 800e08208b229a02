import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// Apple's answer to a phone, and its source in this program.
struct AppleOptions: ParsableArguments {
    @Option(
        name: .customLong("apple-stand-in"),
        help: ArgumentHelp(
            "The stand-in for Apple that acts as the phone's sheet. By default /sandbox/apple on the server.",
            valueName: "url"))
    var standIn: String?

    @Option(
        name: .customLong("apple-account"),
        help: ArgumentHelp(
            "The account that the stand-in for Apple signs in; any name works. By default ada.", valueName: "name"))
    var account: String?

    @Flag(
        name: .customLong("credential-stdin"),
        help: "Read Apple's code and identity token from standard input: JSON with code and id_token.")
    var credentialFromStandardInput = false

    /// The name of Apple as a provider.
    static let providerName = "apple"
    private static let standInPath = "/sandbox/apple"

    /// Whether any of these options is given.
    var isNamed: Bool { standIn != nil || account != nil || credentialFromStandardInput }

    /// Apple's answer, from the stand-in, or from a phone that asked Apple itself.
    /// - Parameters:
    ///   - wallet: creates the nonce that Apple signs.
    ///   - clientID: the app's bundle id, if it is not the client id of the profile.
    ///   - terminal: shows the nonce to the person.
    func credential(
        for wallet: Wallet, _ profile: Profile, clientID: String?, _ terminal: Terminal
    ) async throws -> AppleCredential {
        guard !credentialFromStandardInput else {
            let nonce = try await wallet.federatedNonce()
            terminal.say("The nonce for Apple, verbatim: \(nonce.value)")
            return try AppleStandInSheet.credential(nonce: nonce) {
                try Answers.standardInput.next(asking: "Apple's code and id_token", shown: .hidden)
            }
        }
        guard let base = URL(string: standIn ?? profile.issuer + Self.standInPath) else {
            throw ValidationError("--issuer is not a URL")
        }
        let sheet = try AppleStandInSheet(
            base: base, clientID: clientID ?? profile.clientID, transport: TerminalTransport())
        return try await sheet.credential(of: account, nonce: wallet.federatedNonce())
    }
}

/// The phone's sheet of Sign in with Apple, simulated by the stand-in at `/native`.
///
/// A terminal cannot show Apple's own sheet, and Apple's web page does not redirect to loopback addresses.
struct AppleStandInSheet {
    let base: URL
    /// The app's bundle id at Apple.
    let clientID: String
    let transport: any HTTPTransport

    /// Simulates a person who agrees.
    /// - Parameters:
    ///   - account: the person's name at the stand-in; nil for its default person.
    ///   - nonce: goes into the identity token verbatim.
    /// - Throws: ``Failure``; `CancellationError`.
    func credential(of account: String?, nonce: FederatedNonce) async throws -> AppleCredential {
        var json = JSONObject()
        json.set("client_id", clientID)
        json.set("nonce", nonce.value)
        json.set("account", account)
        let native = base.appending(path: "native")
        let request = HTTPRequest(
            method: "POST", url: native,
            headers: ["Accept": "application/json", "Content-Type": "application/json"], body: Data(json.bytes))
        let response: HTTPResponse
        do { response = try await transport.send(request) } catch is TransportFailure { throw notThere }
        switch response.status {
        case 200: return try Self.credential(in: response.body, nonce: nonce)
        case 404, 405: throw notThere
        case let status:
            throw Failure(
                code: "apple_refused",
                message:
                    "the stand-in for Apple refused \(account ?? "to sign in") with \(clientID) (status \(status))",
                advice: "use another --apple-account or --provider-client-id; its console is at \(base.absoluteString)"
            )
        }
    }

    /// Reads Apple's answer from elsewhere, which may be several lines of JSON.
    /// - Parameters:
    ///   - nonce: the nonce of the request to Apple.
    ///   - next: returns the next line.
    /// - Throws: ``Failure``, and the errors of `next`.
    static func credential(nonce: FederatedNonce, reading next: () throws -> String) throws -> AppleCredential {
        var text = try next()
        for _ in 0..<longestDocument where !text.trimmingCharacters(in: .whitespaces).hasSuffix("}") {
            text += "\n" + (try next())
        }
        return try credential(in: Data(text.utf8), nonce: nonce)
    }

    /// The most lines of a document after the first.
    private static let longestDocument = 8

    private static func credential(in body: Data, nonce: FederatedNonce) throws -> AppleCredential {
        guard let object = try? JSONValue.object(parsing: Array(body)), let code = object["code"]?.string,
            let token = object["id_token"]?.string
        else {
            throw Failure(
                code: "no_credential", message: "that is not Apple's response, which is JSON with code and id_token",
                advice: "paste all of it, from { to }")
        }
        return AppleCredential(authorizationCode: code, identityToken: token, nonce: nonce)
    }

    private var notThere: Failure {
        Failure(
            code: "no_stand_in", message: "there is no stand-in for Apple at \(base.absoluteString)",
            advice: "only a sandbox server has one; use another with --apple-stand-in, or use Apple on a phone"
        )
    }
}

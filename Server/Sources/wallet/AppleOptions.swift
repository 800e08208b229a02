import ArgumentParser
import Foundation
import WalletAuth

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
        let sheet = AppleStandInSheet(
            base: base, clientID: clientID ?? profile.clientID, transport: URLSessionTransport())
        return try await sheet.credential(of: account, nonce: wallet.federatedNonce())
    }
}

import ArgumentParser
import Foundation
import WalletAuth

/// What Apple gives to a phone, and where it comes from here.
struct AppleOptions: ParsableArguments {
    @Option(
        name: .customLong("apple-stand-in"),
        help: ArgumentHelp(
            "The stand-in for Apple that plays the phone's sheet. By default /sandbox/apple of the server.",
            valueName: "url"))
    var standIn: String?

    @Option(
        name: .customLong("apple-account"),
        help: ArgumentHelp(
            "Whom the stand-in for Apple signs in: any name is an account. By default ada.", valueName: "name"))
    var account: String?

    @Flag(
        name: .customLong("credential-stdin"),
        help: "Read Apple's code and identity token from standard input: JSON with code and id_token.")
    var credentialFromStandardInput = false

    /// The name that Apple has as a provider.
    static let providerName = "apple"
    private static let standInPath = "/sandbox/apple"

    /// Whether one of these options is there.
    var isNamed: Bool { standIn != nil || account != nil || credentialFromStandardInput }

    /// What Apple gives: its stand-in here, or Apple itself to a phone.
    /// - Parameters:
    ///   - wallet: makes the nonce that Apple signs.
    ///   - profile: the server, and the client whose id is the app's bundle id.
    ///   - clientID: the app's bundle id, where it is another one.
    ///   - terminal: where a person reads the nonce.
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

import WalletAuth

extension Failure {
    /// Whether a web page answered, mostly that of a network that wants a sign-in first.
    static func isWebPage(_ error: WalletError) -> Bool {
        // The SDK's words for it.
        error.reason.contains("with a web page instead of JSON")
    }

    /// Whether a web page answered in place of the metadata.
    private static func isWebPageAsMetadata(_ error: WalletError) -> Bool {
        error.code == .unsupportedByServer && error.outcome == .misconfigured && error.answeredBy == nil
            && isWebPage(error)
    }

    static let networkSignIn = "if this network has a sign-in page, open it in a browser and try again"

    /// The name for scripts. What a network's page says is not for good, and nothing that the server lacks.
    static func code(of error: WalletError) -> String {
        (isWebPageAsMetadata(error) ? WalletError.Code.malformedAnswer : error.code).rawValue
    }

    /// The server has another name than the one it was called by. What a shell could misread is left to the person.
    static func textOfAnotherIssuer(_ error: WalletError) -> Text {
        // The SDK's words for it.
        guard
            let told = error.reason.wholeMatch(
                of: #/(the server calls itself (https?:\/\/[A-Za-z0-9._~:\/-]+)): configure that issuer/#)
        else { return Text(reason(error), "use the exact issuer: wallet sign-in --issuer URL, or WALLET_ISSUER") }
        return Text(String(told.1), "use that URL: wallet sign-in --issuer \(told.2)")
    }

    /// Features that other servers do not offer, and the alternatives.
    static func textOfOtherServer(_ error: WalletError, _ place: Place) -> Text? {
        guard error.code == .unsupportedByServer else { return nil }
        let server = place.server ?? "the server"
        if isWebPageAsMetadata(error) {
            return Text(
                "\(server) responded with a web page instead of the server's metadata (\(reason(error)))",
                "\(networkSignIn); otherwise check --issuer")
        }
        switch error.operation {
        case .refresh where error.answeredBy == nil:
            return Text(
                "the server issued no refresh token, so this session ends with its access token",
                "many servers issue one for: wallet sign-in --again --scope \"openid offline_access\"")
        case .checkRegistration, .loginByUsernamePassword, .loginByAccountPIN, .loginByNonce, .loginByFederatedIdentity,
            .loginByApple, .recover:
            return Text("\(server) supports sign-in only on its own pages", "use: wallet sign-in --browser")
        case .refresh, .setUp, .signIn, .stepUp, .authenticate: return nil
        case _ where error.answeredBy != nil:
            return Text(
                "\(server) has no account management here; only a walletauth server does",
                "you stay signed in; manage your account on the server's own pages")
        case .enrollDevice:
            return Text(
                "this device cannot be enrolled: \(reason(error))",
                "only walletauth servers enroll devices, in sessions bound to a key on the device")
        default: return nil
        }
    }
}

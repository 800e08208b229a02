import WalletAuth

extension Failure {
    /// Features that other servers do not offer, and the alternatives.
    static func textOfOtherServer(_ error: WalletError, _ place: Place) -> Text? {
        guard error.code == .unsupportedByServer else { return nil }
        let server = place.server ?? "the server"
        // The SDK's words for HTML in a document's place.
        if error.outcome == .misconfigured, error.reason.contains("with a web page instead of JSON") {
            return (
                "what answered at \(server) was a web page, not the server's metadata (\(reason(error)))",
                "if this network has a sign-in page, open it in a browser and try again; otherwise check --issuer"
            )
        }
        switch error.operation {
        case .refresh where error.answeredBy == nil:
            return (
                "the server gave no refresh token, so this session ends with its access token",
                "many servers issue one for: wallet sign-in --again --scope \"openid offline_access\""
            )
        case .checkRegistration, .loginByUsernamePassword, .loginByAccountPIN, .loginByNonce, .loginByFederatedIdentity,
            .loginByApple, .recover:
            return ("\(server) supports sign-in only on its own pages", "use: wallet sign-in --browser")
        case .refresh, .setUp, .signIn, .stepUp, .authenticate: return nil
        case _ where error.answeredBy != nil:
            return (
                "\(server) has no account management here; only a walletauth server does",
                "you stay signed in; manage your account on the server's own pages"
            )
        case .enrollDevice:
            return (
                "this device cannot be enrolled: \(reason(error))",
                "only walletauth servers enroll devices, in sessions bound to a key on the device"
            )
        default: return nil
        }
    }
}

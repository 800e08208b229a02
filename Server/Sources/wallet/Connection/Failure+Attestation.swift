import WalletAuth

extension Failure {
    /// Failures of what the platform says about the app, and of the keys that it vouches for.
    static func textOfAttestation(_ error: WalletError) -> Text? {
        switch error.code {
        case .attestationRequired:
            Text(
                "the server enrolls attested apps only",
                "use the app; to pass for it at a test server, see: wallet attester create --help")
        case .attestationInvalid:
            Text(
                "the server does not believe the attester of \(TerminalAttester.variable)",
                "the operator finds the reason with: walletauth audit tail")
        case .presenceNotAttested:
            Text(
                "the server accepts no face or fingerprint of this wallet",
                "use your PIN; the operator decides with "
                    + "devices.biometricKeys")
        case .biometricsNotEnabled:
            Text("face or fingerprint is not turned on here", "turn it on with: wallet biometrics enable")
        default: nil
        }
    }
}

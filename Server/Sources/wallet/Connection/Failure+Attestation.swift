import WalletAuth

extension Failure {
    /// Failures of what the platform says about the app, and of the keys that it vouches for.
    static func textOfAttestation(_ error: WalletError, _ place: Place) -> Text? {
        switch error.code {
        case .attestationRequired:
            Text(
                "the server enrolls attested apps only",
                "use the app; the operator lets a terminal enroll with: \(recording(place)); to pass for the app at a test server, see: "
                    + "wallet attester create --help")
        case .attestationInvalid:
            Text(
                "the server does not believe the attester of \(TerminalAttester.variable)",
                "the operator finds the reason with: walletauth "
                    + (place.username == nil ? "audit tail" : "account explain NAME")
                    + "; and lets a terminal enroll without one with: "
                    + recording(place))
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

    /// How the operator has attestation recorded, and no longer required.
    private static func recording(_ place: Place) -> String {
        "walletauth client update \(place.client ?? "CLIENT-ID") --attest recorded"
    }
}

import Kernel

/// Which apps' and keys' platforms are believed.
extension Settings {
    static let biometricKeys = Setting(
        "devices.biometricKeys", type: "attested-app, hardware or never", default: DevicePolicy().biometricKeys,
        """
        Which biometric keys count in production: those that an attested app vouches for, those whose own attestation says that \
        they recognize their holder (Android only), or none.
        """, parse: SettingTypes.choice(BiometricKeyAcceptance.self))

    static let appleRoots = Setting(
        "devices.appleRoots", type: "path", fallback: "Apple's App Attestation Root CA",
        "Certificates in PEM instead.", parse: SettingTypes.text)

    static let androidRoots = Setting(
        "devices.androidRoots", type: "path", fallback: "Google's two roots",
        "Certificates in PEM instead.", parse: SettingTypes.text)

    static let androidRevocations = Setting(
        "devices.androidRevocations", type: "path", fallback: "none",
        """
        Google's list of revoked keys, from https://android.googleapis.com/attestation/status. A changed file is read again.
        """, parse: SettingTypes.text)

    static let attestation: [any DeclaredSetting] = [
        biometricKeys, appleRoots, androidRoots, androidRevocations,
    ]
}

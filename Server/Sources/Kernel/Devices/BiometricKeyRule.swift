package import WalletAuthWire

/// Which biometric keys count in production.
package enum BiometricKeyAcceptance: String, Sendable, Hashable, CaseIterable {
    /// Those that an attested app vouches for, or their own attestation.
    case attestedApp = "attested-app"
    /// Those whose own attestation says that they sign after a check of their holder.
    case hardware
    case never
}

/// Decides whether a biometric key is a factor.
package struct BiometricKeyRule: Sendable, Hashable {
    package let environment: ServerSettings.Environment
    package let acceptance: BiometricKeyAcceptance

    /// Without a voucher the key may be in software and verify no one: it counts only in the sandbox, where apps are tried on
    /// simulators.
    package func accepts(_ voucher: BiometricKeyVoucher?) -> Bool {
        if environment == .sandbox { return true }
        return switch acceptance {
        case .attestedApp: voucher != nil
        case .hardware: voucher == .key
        case .never: false
        }
    }
}

extension ServerSettings {
    package var biometricKeyRule: BiometricKeyRule {
        BiometricKeyRule(environment: environment, acceptance: devices.biometricKeys)
    }
}

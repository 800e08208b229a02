/// What a platform said about the app that vouches for a key, after a server verified it. The same for all platforms.
public struct AppAttestation: WireMessage {
    /// Whose word it is.
    public enum Platform: String, Hashable, Sendable, Codable, CaseIterable {
        /// Apple's, by App Attest.
        case apple
        /// That of an Android phone, by its key attestation.
        case android
    }

    /// What the app was built for.
    public enum Environment: String, Hashable, Sendable, Codable, CaseIterable {
        /// For people.
        case production
        /// By its developer, for trying it out.
        case development
    }

    /// Where the attested key lies.
    public enum KeyLevel: String, Hashable, Sendable, Codable, CaseIterable {
        /// In the processor's trusted environment.
        case trustedEnvironment = "trusted_environment"
        /// In a chip of its own.
        case strongBox = "strongbox"
    }

    /// Whose word it is.
    public var platform: Platform
    /// What the app was built for.
    public var environment: Environment
    /// The App ID at Apple, or the Android package.
    public var app: String
    /// Where the key lies; `nil` on Apple's platforms, which attest the app and not the device's key.
    public var keyLevel: KeyLevel?
    /// When the server verified it.
    public var attestedAt: NumericDate

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        platform: Platform, environment: Environment, app: String, keyLevel: KeyLevel?, attestedAt: NumericDate
    ) {
        self.platform = platform
        self.environment = environment
        self.app = app
        self.keyLevel = keyLevel
        self.attestedAt = attestedAt
    }
}

/// On whose word a biometric key signs only after the device recognized its holder.
public enum BiometricKeyVoucher: String, Hashable, Sendable, Codable, CaseIterable {
    /// An attested app's, whose platform says nothing about the check.
    case app
    /// The platform's, in the attestation of the key.
    case key
}

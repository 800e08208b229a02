import Crypto

/// The second factor that a transaction requires.
public enum RequiredSecondFactor: String, Hashable, Sendable, Codable, CaseIterable {
    /// The PIN.
    case pin = "PIN"
    /// The biometric key.
    case biometric = "BIOMETRIC"
    /// Either.
    case any = "ANY"

    /// The factors that satisfy it.
    public var allowed: Set<TransactionFactor> {
        switch self {
        case .pin: [.pin]
        case .biometric: [.biometric]
        case .any: [.pin, .biometric]
        }
    }
}

/// A second factor that signs a transaction.
public enum TransactionFactor: String, Hashable, Sendable, Codable, CaseIterable {
    /// The PIN.
    case pin = "PIN"
    /// The biometric key.
    case biometric = "BIOMETRIC"
}

/// The state of a transaction.
public enum TransactionStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// A backend created it; no device has it yet.
    case created = "CREATED"
    /// A device scanned it.
    case claimed = "CLAIMED"
    /// The person confirmed what they saw; the signature is missing.
    case confirmed = "CONFIRMED"
    /// It is signed.
    case signed = "SIGNED"
    /// The person rejected it.
    case rejected = "REJECTED"
    /// The device's PIN was locked before it was signed.
    case failed = "FAILED"
    /// It was not signed in time.
    case expired = "EXPIRED"
    /// The backend withdrew it, or the device was removed.
    case cancelled = "CANCELLED"

    /// Whether the state is final.
    public var isFinal: Bool {
        switch self {
        case .created, .claimed, .confirmed: false
        case .signed, .rejected, .failed, .expired, .cancelled: true
        }
    }
}

/// The reason a person rejected a transaction.
public enum RejectionReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The data is wrong: another amount, another payee.
    case wrongData = "WRONG_DATA"
    /// The person did not ask for it.
    case unexpected = "UNEXPECTED"
    /// Another reason.
    case other = "OTHER"
}

/// The reason a transaction was cancelled.
public enum CancellationReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The backend cancelled it.
    case backend = "BACKEND"
    /// The device that had claimed it was removed.
    case deviceRemoved = "DEVICE_REMOVED"
    /// The database was restored from a backup in which it was open; it may have ended differently since.
    case restore = "RESTORE"
}

/// The SHA-256 of data that is signed with a transaction but not shown, as base64url.
public struct TransactionDataHash: WireValue {
    /// The form of its text.
    public static var form: TextForm { .sha256 }

    /// 43 characters of base64url.
    public let rawValue: String

    /// Validates a hash's form.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "dataHash") }

    /// Hashes data.
    /// - Parameter data: the data.
    public init(of data: some Collection<UInt8>) {
        rawValue = Base64URL.encode(Array(SHA256.hash(data: Array(data))))
    }
}

/// The secret in a transaction's QR code: base64url of 16 random bytes. A device that sends it has scanned the code.
public typealias TransactionSecret = Secret<SecretKinds.TransactionSecret>
/// A transaction that an app began, sealed by the server until the app returns it signed.
public typealias TransactionDraft = Secret<SecretKinds.TransactionDraft>

extension SecretKinds {
    /// ``WalletAuthWire/TransactionSecret``.
    public enum TransactionSecret: SecretKind {
        /// `qrData`.
        public static let field = "qrData"
        /// Base64url of 16 bytes.
        public static func fault(in text: String) -> String? {
            Base64URL.decode(text)?.count == 16 ? nil : "has no secret of 16 bytes"
        }
        /// The form of its text.
        public static var form: TextForm {
            .own(22...22, pattern: "^[A-Za-z0-9_-]{21}[AQgw]$", example: String(repeating: "A", count: 22))
        }
    }
    /// ``WalletAuthWire/TransactionDraft``.
    public enum TransactionDraft: SecretKind {
        /// `draft`.
        public static let field = "draft"
        /// Letters, digits, `-`, `.`, `_`, `~`; long enough for the data to sign.
        public static var form: TextForm { .identifier(1...24_576) }
    }
}

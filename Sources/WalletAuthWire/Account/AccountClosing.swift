/// The closing of an account by its holder (`POST /v1/account/closing`). Every session has ended.
public struct AccountClosing: WireMessage {
    /// When everything about the person is erased.
    public var eraseAt: NumericDate
    /// The code that takes the closing back until then. The messages to the person have it as well.
    public var keepCode: KeepCode

    /// Creates a value. Each parameter sets the property of the same name.
    public init(eraseAt: NumericDate, keepCode: KeepCode) {
        self.eraseAt = eraseAt
        self.keepCode = keepCode
    }
}

/// Takes the closing of an account back (`POST /v1/account/closing/keep`).
public struct AccountKeeping: WireRequest {
    /// The code of the closing, as typed.
    public var keepCode: KeepCode

    /// Creates a request.
    /// - Parameter keepCode: the code of the closing.
    public init(keepCode: KeepCode) {
        self.keepCode = keepCode
    }
}

/// A code that takes the closing of an account back.
public typealias KeepCode = Secret<SecretKinds.KeepCode>

extension SecretKinds {
    /// ``WalletAuthWire/KeepCode``.
    public enum KeepCode: SecretKind {
        /// `keepCode`.
        public static let field = "keepCode"
        /// Short, because people type it.
        public static var form: TextForm { .visible(1...64, spaces: true) }
    }
}

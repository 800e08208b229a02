/// An answer to an SCA challenge: a typed code, or a ``SignedAssertion``.
public typealias SCAValue = Secret<SecretKinds.SCAValue>

extension SecretKinds {
    /// ``WalletAuthWire/SCAValue``.
    public enum SCAValue: SecretKind {
        /// `value`.
        public static let field = "value"
        /// An assertion is the longest; people type spaces into codes.
        public static func fault(in text: String) -> String? { TextRule.visible(text, 1...8192, from: 0x20) }
    }
}

internal import Consent
internal import Kernel
internal import SignIn
internal import Tokens

extension MessageCatalog {
    /// The messages of every flow. A message that is missing here cannot be rendered.
    static let flows = MessageCatalog(flowKinds)

    static let flowKinds: [any SecurityMessageKind] = {
        let flows: [[any SecurityMessageKind]] = [
            AccountMessage.allCases, AccountPINMessage.Kind.allCases, ConsentMessage.Kind.allCases,
            ContactMessage.Kind.allCases, DeviceMessage.Kind.allCases, DeviceTokenMessage.Kind.allCases,
            FactorMessage.Kind.allCases, IdentityMessage.Kind.allCases, LoginMessage.Kind.allCases,
            PasskeyMessage.Kind.allCases, PINMessage.Kind.allCases, RecoveryMessage.Kind.allCases,
            SessionMessage.allCases,
        ]
        return flows.flatMap { $0 }
    }()
}

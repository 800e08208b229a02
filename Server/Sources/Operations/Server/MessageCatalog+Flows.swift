internal import Consent
internal import Kernel
internal import SignIn
internal import Tokens

extension MessageCatalog {
    /// The messages of every flow. A message that is missing here cannot be rendered.
    static let flows = MessageCatalog(flowKinds)

    static let flowKinds: [any SecurityMessageKind] =
        SignInFeatures.messages + TokenFeature.messages + ConsentFeature.messages
}

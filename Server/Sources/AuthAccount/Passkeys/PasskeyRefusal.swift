internal import AuthCore

/// Why a change is refused.
enum PasskeyRefusal: Error, Sendable, Hashable {
    /// The refusal of any factor.
    case factor(FactorRefusal)
    /// The registration is invalid; the log says why.
    case notTaken
    /// The account has reached the limit.
    case tooMany
    /// The account has no passkey with this ID.
    case unknown
    /// The name is empty, too long, or contains characters that change the direction of text.
    case unusableName
}

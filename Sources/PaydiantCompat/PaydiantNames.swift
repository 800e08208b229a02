// What the page names and Swift does not export to Objective-C: see Examples/MovedApps/PaydiantObjectiveC.

// MARK: The keys of an app's error messages, which are the `domain` of each call's errors

/// The domain of the errors of `loginByUsernamePassword`.
public let kUserErrorLoginWithUsernamePasswordDomain = "kUserErrorLoginWithUsernamePasswordDomain"
/// The domain of the errors of `loginByPIN`.
public let kUserErrorLoginWithPinDomain = "kUserErrorLoginWithPinDomain"
/// The domain of the errors of `loginByNonce`.
public let kUserErrorLoginWithNonceDomain = "kUserErrorLoginWithNonceDomain"
/// The domain of the errors of `loginByFederatedIdentity`.
public let kUserErrorLoginWithFederatedIdentityDomain = "kUserErrorLoginWithFederatedIdentityDomain"
/// The domain of the errors of `generateDeviceAuthenticationTokenForUsername`.
public let kUserErrorGenerateDeviceAuthenticationTokenDomain = "kUserErrorGenerateDeviceAuthenticationTokenDomain"
/// The domain of the errors of `loginWithDeviceAuthenticationToken`.
public let kUserErrorLoginWithDeviceAuthenticationTokenDomain = "kUserErrorLoginWithDeviceAuthenticationTokenDomain"
/// The domain of the errors of `expireDeviceAuthenticationToken`.
public let kUserErrorExpireDeviceAuthenticationTokenDomain = "kUserErrorExpireDeviceAuthenticationTokenDomain"
/// The domain of the errors of `logout`.
public let kUserErrorLogoutDomain = "kUserErrorLogoutDomain"
/// The domain of the errors of `retrieveMfaQuestionsWithMetadata`.
public let kUserErrorRetrieveMfaQuestionsWithMetadataDomain = "kUserErrorRetrieveMfaQuestionsWithMetadataDomain"
/// The domain of the errors of `createUser` and `confirmUser`.
public let kUserErrorCreateUserDomain = "kUserErrorCreateUserDomain"

// MARK: Blocks

/// The form of the page's completion blocks.
public typealias PDCompletion = @MainActor @Sendable () -> Void
/// The form of the page's failure blocks.
public typealias PDFailure = @MainActor @Sendable (_ error: PDPaydiantError) -> Void

/// Called once a long-running session exists.
public typealias GenerateDeviceAuthenticationTokenForUsernameCompletionBlock = PDCompletion
/// Called with the reason that no long-running session exists.
public typealias GenerateDeviceAuthenticationTokenForUsernameFailureBlock = PDFailure
/// Called once the person is signed in.
public typealias LoginWithDeviceAuthenticationTokenCompletionBlock = PDCompletion
/// Called with the reason that the person is not signed in.
public typealias LoginWithDeviceAuthenticationTokenFailureBlock = PDFailure
// The page writes these two with a small letter.
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Called once the long-running session has ended.
public typealias expireDeviceAuthenticationTokenCompletionBlock = PDCompletion
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Called with the reason that the long-running session has not ended.
public typealias expireDeviceAuthenticationTokenFailureBlock = PDFailure
/// Called with whether the device is linked to an account, and whether it may be used.
public typealias IsDeviceRegisteredCompletionBlock =
    @MainActor @Sendable (_ isRegistered: Bool, _ isActive: Bool) -> Void
/// Called with the reason that the question could not be answered.
public typealias IsDeviceRegisteredFailureBlock = PDFailure
/// Called with the secret questions.
public typealias RetrieveMFAQuestionsWithMetadataCompletionBlock =
    @MainActor @Sendable (_ response: PDRetrieveMFAQuestionsWithMetadataResponse) -> Void
/// Called with the reason that there are no questions.
public typealias RetrieveMFAQuestionsWithMetadataFailureBlock = PDFailure
/// Called with the token that takes the code.
public typealias CreateUserCompletionBlock = @MainActor @Sendable (_ token: PDEnrollmentToken) -> Void
/// Called with the reason that no code was sent, or no account made.
public typealias CreateUserFailureBlock = PDFailure

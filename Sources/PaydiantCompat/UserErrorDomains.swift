// The page configures an app's error messages by these names. Here they are the `domain` of each call's errors.

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

// What Swift does not export to Objective-C: the names of the error domains and of the blocks. An app in Objective-C copies this
// file, and imports it after <PaydiantCompat/PaydiantCompat-Swift.h>.

#import <Foundation/Foundation.h>

@class PDEnrollmentToken;
@class PDPaydiantError;
@class PDRetrieveMFAQuestionsWithMetadataResponse;

static NSString *const kUserErrorLoginWithUsernamePasswordDomain = @"kUserErrorLoginWithUsernamePasswordDomain";
static NSString *const kUserErrorLoginWithPinDomain = @"kUserErrorLoginWithPinDomain";
static NSString *const kUserErrorLoginWithNonceDomain = @"kUserErrorLoginWithNonceDomain";
static NSString *const kUserErrorLoginWithFederatedIdentityDomain = @"kUserErrorLoginWithFederatedIdentityDomain";
static NSString *const kUserErrorGenerateDeviceAuthenticationTokenDomain = @"kUserErrorGenerateDeviceAuthenticationTokenDomain";
static NSString *const kUserErrorLoginWithDeviceAuthenticationTokenDomain = @"kUserErrorLoginWithDeviceAuthenticationTokenDomain";
static NSString *const kUserErrorExpireDeviceAuthenticationTokenDomain = @"kUserErrorExpireDeviceAuthenticationTokenDomain";
static NSString *const kUserErrorLogoutDomain = @"kUserErrorLogoutDomain";
static NSString *const kUserErrorRetrieveMfaQuestionsWithMetadataDomain = @"kUserErrorRetrieveMfaQuestionsWithMetadataDomain";
static NSString *const kUserErrorCreateUserDomain = @"kUserErrorCreateUserDomain";

typedef void (^GenerateDeviceAuthenticationTokenForUsernameCompletionBlock)(void);
typedef void (^GenerateDeviceAuthenticationTokenForUsernameFailureBlock)(PDPaydiantError *authenticationError);
typedef void (^LoginWithDeviceAuthenticationTokenCompletionBlock)(void);
typedef void (^LoginWithDeviceAuthenticationTokenFailureBlock)(PDPaydiantError *authenticationError);
typedef void (^expireDeviceAuthenticationTokenCompletionBlock)(void);
typedef void (^expireDeviceAuthenticationTokenFailureBlock)(PDPaydiantError *authenticationError);
typedef void (^IsDeviceRegisteredCompletionBlock)(BOOL isRegistered, BOOL isActive);
typedef void (^IsDeviceRegisteredFailureBlock)(PDPaydiantError *deviceManagementError);
typedef void (^RetrieveMFAQuestionsWithMetadataCompletionBlock)(PDRetrieveMFAQuestionsWithMetadataResponse *response);
typedef void (^RetrieveMFAQuestionsWithMetadataFailureBlock)(PDPaydiantError *userEnrollmentError);
typedef void (^CreateUserCompletionBlock)(PDEnrollmentToken *token);
typedef void (^CreateUserFailureBlock)(PDPaydiantError *userEnrollmentError);

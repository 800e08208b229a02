// The page's Objective-C, and an app around it.

#import "PaydiantCompat-Swift.h"
#import "PaydiantNames.h"

@interface PageController : NSObject <PDAuthenticationDelegate> {
    PDAthenticationCoordinator *authenticationCoordinator;
    PDDeviceCoordinator *deviceCoordinator;
    PDUserEnrollmentCoordinator *userEnrollmentCoordinator;
}
@property (nonatomic, retain) PDAthenticationCoordinator *authenticationCoordinator;
@property (nonatomic, retain) PDDeviceCoordinator *deviceCoordinator;
@property (nonatomic, retain) PDUserEnrollmentCoordinator *userEnrollmentCoordinator;
@end

@implementation PageController

@synthesize authenticationCoordinator;
@synthesize deviceCoordinator;
@synthesize userEnrollmentCoordinator;

- (void)start {
    // MARK: As printed. The page lacks the first bracket of the second line.
    self.authenticationCoordinator = [[PDAthenticationCoordinator alloc] init];
    [self.authenticationCoordinator setDelegate:self];
    // MARK: The app's own
    self.deviceCoordinator = [[PDDeviceCoordinator alloc] init];
    [self.deviceCoordinator isDeviceRegisteredWithCompletion:^(BOOL isRegistered, BOOL isActive) {}
                                                     failure:^(PDPaydiantError *deviceManagementError) {}];
}

- (void)enroll:(NSString *)emailAddress password:(NSString *)password {
    self.userEnrollmentCoordinator = [[PDUserEnrollmentCoordinator alloc] init];
    PDUser *user = [[PDUser alloc] init];
    user.emailAddress = emailAddress;
    user.password = password;
    CreateUserFailureBlock failure = ^(PDPaydiantError *userEnrollmentError) {
        if ([userEnrollmentError.domain isEqualToString:kUserErrorCreateUserDomain]) { NSLog(@"%@", userEnrollmentError.message); }
    };
    CreateUserCompletionBlock completion = ^(PDEnrollmentToken *token) {
        token.code = [@"" stringByPaddingToLength:token.digits withString:@"1" startingAtIndex:0];
        [self.userEnrollmentCoordinator confirmUser:user token:token completion:^{} failure:failure];
    };
    [self.userEnrollmentCoordinator createUser:user completion:completion failure:failure];
}

- (void)showQuestions {
    RetrieveMFAQuestionsWithMetadataCompletionBlock completion = ^(PDRetrieveMFAQuestionsWithMetadataResponse *response) {
        PDMFAQuestionWithMetadata *question = [response.mfaQuestions objectAtIndex:0];
        NSLog(@"%@: %ld", question.question, (long)response.minimumQuestions);
    };
    RetrieveMFAQuestionsWithMetadataFailureBlock failure = ^(PDPaydiantError *userEnrollmentError) {};
    [self.userEnrollmentCoordinator retrieveMfaQuestionsWithMetadataWithCompletion:completion failure:failure];
}

- (void)signIn:(NSString *)username password:(NSString *)password pin:(NSString *)pin {
    [self.authenticationCoordinator loginByUsernamePassword:username password:password];
    [self.authenticationCoordinator loginByPIN:pin];
}

- (void)signInWithNonce:(NSString *)nonce {
    PDAuthenticationAdditionalData *data = [[PDAuthenticationAdditionalData alloc] init];
    data.additionalDataKey = @"hostIP";
    data.additionalDataValue = @"10.9.23.65";
    PDLoginByNonceRequest *request = [[PDLoginByNonceRequest alloc] init];
    request.nonce = nonce;
    request.additionalData = [NSArray arrayWithObject:data];
    [self.authenticationCoordinator loginByNonce:request];
}

- (void)signInWithCode:(NSString *)code provider:(NSString *)provider {
    PDLoginByFederatedIdentityRequest *request = [[PDLoginByFederatedIdentityRequest alloc] init];
    request.authorizationCode = code;
    request.identityProvider = provider;
    [self.authenticationCoordinator loginByFederatedIdentity:request];
}

- (void)stayLongRunning:(NSString *)username password:(NSString *)password {
    PDGenerateDeviceAuthenticationRequest *request = [[PDGenerateDeviceAuthenticationRequest alloc] init];
    request.username = username;
    request.password = password;
    GenerateDeviceAuthenticationTokenForUsernameCompletionBlock completion = ^{};
    GenerateDeviceAuthenticationTokenForUsernameFailureBlock failure = ^(PDPaydiantError *authenticationError) {
        if (authenticationError.code == 432) { NSLog(@"%@", authenticationError.message); }
    };
    [self.authenticationCoordinator generateDeviceAuthenticationTokenForUsername:request completion:completion failure:failure];
    [self.authenticationCoordinator generateDeviceAuthenticationTokenForUsername:request];
}

- (void)resume {
    if (![self.authenticationCoordinator isAuthroizationTokenExist]) { return; }
    LoginWithDeviceAuthenticationTokenCompletionBlock completion = ^{};
    LoginWithDeviceAuthenticationTokenFailureBlock failure = ^(PDPaydiantError *authenticationError) {};
    [self.authenticationCoordinator loginWithDeviceAuthenticationTokenWithCompletion:completion failure:failure];
    [self.authenticationCoordinator loginWithDeviceAuthenticationToken];
}

- (void)leave {
    expireDeviceAuthenticationTokenCompletionBlock completion = ^{};
    expireDeviceAuthenticationTokenFailureBlock failure = ^(PDPaydiantError *authenticationError) {};
    [self.authenticationCoordinator expireDeviceAuthenticationTokenWithCompletion:completion failure:failure];
    [self.authenticationCoordinator expireDeviceAuthenticationToken];
    [self.authenticationCoordinator logout];
}

// MARK: The delegate. The page prints the first three with other punctuation.

- (void)authenticationDidSucceed {}
- (void)authenticationDidSucceed:(PDLoginResponse *)loginResponse withAdditionalAttributes:(NSDictionary *)additionalAttributes {}
- (void)authenticationDidSucceed:(PDLoginResponse *)loginResponse {}

- (void)mfaQuestionDidPrompt:(PDMFAToken *)mfaQuestionToken {
    mfaQuestionToken.answer = mfaQuestionToken.question;
    [self.authenticationCoordinator registerWithMFA:mfaQuestionToken];
}

- (void)authenticationDidFail:(PDPaydiantError *)authenticationError {
    if ([authenticationError.domain isEqualToString:kUserErrorLoginWithPinDomain] && authenticationError.code == 401) {
        NSLog(@"%@", authenticationError.message);
    }
}

- (void)authenticationInvocationDidFail:(PDPaydiantError *)authenticationError {}
- (void)finishedLogout {}

@end

// The declarations of the header that Xcode generates from PaydiantCompat, without its macros. A test compares the selectors with the
// Swift sources.

#import <Foundation/Foundation.h>

@class PDPaydiantError;

@interface PDObject : NSObject
@end

@interface PDAuthenticationAdditionalData : PDObject
@property (nonatomic, copy) NSString *additionalDataKey;
@property (nonatomic, copy) NSString *additionalDataValue;
- (instancetype)initWithAdditionalDataKey:(NSString *)additionalDataKey additionalDataValue:(NSString *)additionalDataValue;
@end

@interface PDLoginRequest : PDObject
@property (nonatomic, copy) NSArray *additionalData;
@end

@interface PDLoginByNonceRequest : PDLoginRequest
@property (nonatomic, copy) NSString *nonce;
@end

@interface PDLoginByFederatedIdentityRequest : PDLoginRequest
@property (nonatomic, copy) NSString *authorizationCode;
@property (nonatomic, copy) NSString *identityProvider;
@property (nonatomic, copy) NSString *username;
@property (nonatomic, copy) NSString *password;
@property (nonatomic, copy) NSURL *redirectURI;
@property (nonatomic, copy) NSString *codeVerifier;
@end

@interface PDGenerateDeviceAuthenticationRequest : PDObject
@property (nonatomic, copy) NSString *username;
@property (nonatomic, copy) NSString *password;
@end

@interface PDUser : PDObject
@property (nonatomic, copy) NSString *emailAddress;
@property (nonatomic, copy) NSString *phoneNumber;
@property (nonatomic, copy) NSString *username;
@property (nonatomic, copy) NSString *password;
@property (nonatomic, copy) NSString *locale;
@property (nonatomic, copy) NSString *acceptedTerms;
@end

@interface PDEnrollmentToken : PDObject
@property (nonatomic, copy) NSString *code;
@property (nonatomic, readonly) NSInteger digits;
@property (nonatomic, readonly) BOOL wasSent;
@end

@interface PDMFAQuestionWithMetadata : PDObject
@property (nonatomic, readonly, copy) NSString *key;
@property (nonatomic, readonly, copy) NSString *question;
@end

@interface PDRetrieveMFAQuestionsWithMetadataResponse : PDObject
@property (nonatomic, readonly, copy) NSArray *mfaQuestions;
@property (nonatomic, readonly) NSInteger minimumQuestions;
@property (nonatomic, readonly) NSInteger maximumQuestions;
@end

@interface PDLoginResponse : PDObject
@property (nonatomic, readonly, copy) NSArray *additionalData;
@end

@interface PDMFAToken : PDObject
@property (nonatomic, copy) NSString *question;
@property (nonatomic, copy) NSString *answer;
@end

@interface PDPaydiantError : NSError
@property (nonatomic, readonly, copy) NSString *message;
@property (nonatomic, readonly, copy) NSString *reason;
@end

@protocol PDAuthenticationDelegate
@optional
- (void)authenticationDidSucceed;
- (void)authenticationDidSucceed:(PDLoginResponse *)loginResponse withAdditionalAttributes:(NSDictionary *)additionalAttributes;
- (void)authenticationDidSucceed:(PDLoginResponse *)loginResponse;
- (void)mfaQuestionDidPrompt:(PDMFAToken *)mfaQuestionToken;
- (void)authenticationDidFail:(PDPaydiantError *)authenticationError;
- (void)authenticationInvocationDidFail:(PDPaydiantError *)authenticationError;
- (void)finishedLogout;
@end

@interface PDCoordinator : NSObject
@end

@interface PDAthenticationCoordinator : PDCoordinator
@property (nonatomic, assign) id<PDAuthenticationDelegate> delegate;
- (void)loginByUsernamePassword:(NSString *)username password:(NSString *)paramPassword;
- (void)loginByPIN:(NSString *)pin;
- (void)loginByNonce:(PDLoginByNonceRequest *)request;
- (void)loginByFederatedIdentity:(PDLoginByFederatedIdentityRequest *)request;
- (void)federatedNonceWithCompletion:(void (^)(NSString *))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)registerWithMFA:(PDMFAToken *)mfaToken;
- (void)logout;
- (BOOL)isAuthroizationTokenExist;
- (BOOL)isAuthorizationTokenExist;
- (void)generateDeviceAuthenticationTokenForUsername:(PDGenerateDeviceAuthenticationRequest *)request;
- (void)generateDeviceAuthenticationTokenForUsername:(PDGenerateDeviceAuthenticationRequest *)request completion:(void (^)(void))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)loginWithDeviceAuthenticationToken;
- (void)loginWithDeviceAuthenticationTokenWithCompletion:(void (^)(void))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)loginWithDeviceAuthenticationTokenWithPin:(NSString *)pin completion:(void (^)(void))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)expireDeviceAuthenticationToken;
- (void)expireDeviceAuthenticationTokenWithCompletion:(void (^)(void))completion failure:(void (^)(PDPaydiantError *))failure;
@end

@interface PDDeviceCoordinator : PDCoordinator
- (void)isDeviceRegisteredWithCompletion:(void (^)(BOOL, BOOL))completion failure:(void (^)(PDPaydiantError *))failure;
@end

@interface PDUserEnrollmentCoordinator : PDCoordinator
- (void)retrieveMfaQuestionsWithMetadataWithCompletion:(void (^)(PDRetrieveMFAQuestionsWithMetadataResponse *))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)createUser:(PDUser *)user completion:(void (^)(PDEnrollmentToken *))completion failure:(void (^)(PDPaydiantError *))failure;
- (void)confirmUser:(PDUser *)user token:(PDEnrollmentToken *)token completion:(void (^)(void))completion failure:(void (^)(PDPaydiantError *))failure;
@end

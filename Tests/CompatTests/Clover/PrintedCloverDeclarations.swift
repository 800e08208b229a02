import CloverCompat

// What the page prints of the class, the configuration and the three flows, as protocols: that the types conform is the test.
// `init` of the configuration is not printed; its labels are those of the members.

protocol PrintedCloverPaymentSDK: AnyObject {
    associatedtype Configuration
    func setup(configuration: Configuration) async throws
    var isLoggedIn: Bool { get }
    func logout()
    func addOnTokenChangeCallback(_ callback: @escaping () -> Void) -> String
    func removeOnTokenChangeCallback(identifier: String) -> Bool
    func updateToken(_ token: String) async throws
}

protocol PrintedCloverConfiguration {
    var environment: CloverEnvironment.EnvironmentType { get }
    var appID: String { get }
    var appSecret: String { get }
    var apiKey: String { get }
    var apiSecret: String { get }
    var oauthFlowType: any OAuthFlowType { get set }
    init(
        environment: CloverEnvironment.EnvironmentType, appID: String, appSecret: String, apiKey: String,
        apiSecret: String,
        oauthFlowType: any OAuthFlowType)
}

protocol PrintedFullOAuth: OAuthFlowType {
    var redirectURI: String { get set }
}

protocol PrintedPartialOAuth: OAuthFlowType {
    associatedtype OAuthCodeResponse
    var codeResponse: OAuthCodeResponse? { get set }
}

protocol PrintedNoOAuth: OAuthFlowType {
    var token: String { get set }
}

extension CloverPaymentSDK: PrintedCloverPaymentSDK {}
extension CloverPaymentSDK.Configuration: PrintedCloverConfiguration {}
extension CloverPaymentSDK.FullOAuth: PrintedFullOAuth {}
extension CloverPaymentSDK.PartialOAuth: PrintedPartialOAuth {}
extension CloverPaymentSDK.NoOAuth: PrintedNoOAuth {}

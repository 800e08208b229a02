extension CloverPaymentSDK {
    /// The app's id, its environment and its way to sign in.
    ///
    /// The app secret, API key and API secret of the other SDK have no use here. The initializer that accepts them drops them:
    /// they are neither stored nor sent. What an app contains is no secret, so revoke them.
    public struct Configuration: Sendable {
        /// Which of the two servers is used.
        public let environment: CloverEnvironment.EnvironmentType
        /// The app's client id at the authorization server.
        public let appID: String
        /// The way to sign in: ``FullOAuth``, ``PartialOAuth`` or ``NoOAuth``.
        public var oauthFlowType: any OAuthFlowType

        /// Creates a configuration.
        /// - Parameters:
        ///   - environment: which of the two servers is used.
        ///   - appID: the app's client id.
        ///   - oauthFlowType: the way to sign in.
        public init(
            environment: CloverEnvironment.EnvironmentType, appID: String, oauthFlowType: any OAuthFlowType
        ) {
            self.environment = environment
            self.appID = appID
            self.oauthFlowType = oauthFlowType
        }

        /// Creates a configuration as the other SDK does, without its secrets.
        /// - Parameters:
        ///   - environment: which of the two servers is used.
        ///   - appID: the app's client id.
        ///   - appSecret: dropped.
        ///   - apiKey: dropped.
        ///   - apiSecret: dropped.
        ///   - oauthFlowType: the way to sign in.
        @available(
            *, deprecated,
            message: """
                Revoke the app secret, API key and API secret, since anyone can read them in the app. They are not used here: \
                call init(environment:appID:oauthFlowType:).
                """
        )
        public init(
            environment: CloverEnvironment.EnvironmentType, appID: String, appSecret: String, apiKey: String,
            apiSecret: String, oauthFlowType: any OAuthFlowType
        ) {
            self.init(environment: environment, appID: appID, oauthFlowType: oauthFlowType)
        }

        /// Always empty.
        @available(*, deprecated, message: "Revoke the app secret. It is not used here.")
        public var appSecret: String { "" }
        /// Always empty.
        @available(*, deprecated, message: "Revoke the API key. It is not used here.")
        public var apiKey: String { "" }
        /// Always empty.
        @available(*, deprecated, message: "Revoke the API secret. It is not used here.")
        public var apiSecret: String { "" }
    }
}

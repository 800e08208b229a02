internal import WalletAuthWire

extension NativeSignIn {
    /// The members that every step of a native sign-in has, at either endpoint.
    struct Opening: Sendable {
        var clientID: ClientID
        var scope: Scope?
        var codeChallenge: CodeChallenge
        var merchantID: MerchantID?
        var acrValues: [String] = []
        var properties: [String: String] = [:]
        var requestedAttributes: [String] = []

        init(
            clientID: ClientID, scope: Scope, codeChallenge: CodeChallenge, merchantID: MerchantID?,
            acrValues: [String]
        ) {
            self.clientID = clientID
            self.scope = scope
            self.codeChallenge = codeChallenge
            self.merchantID = merchantID
            self.acrValues = acrValues
        }

        init(_ request: AuthorizeChallengeRequest) {
            clientID = request.clientID
            scope = request.scope
            codeChallenge = request.codeChallenge
            merchantID = request.merchantID
            acrValues = request.acrValues
            properties = request.properties
            requestedAttributes = request.requestedAttributes
        }
    }
}

import Foundation

#if canImport(ObjectiveC)
    /// Receives the results of ``PDAthenticationCoordinator``'s calls, on the main actor. Every method is optional.
    ///
    /// The page overloads the success of a sign-in. One of the three methods is called, once: the most specific one that is
    /// implemented.
    @MainActor @objc public protocol PDAuthenticationDelegate: AnyObject {
        /// The person is signed in.
        @objc optional func authenticationDidSucceed()

        /// The person is signed in; with attributes of the wallet.
        /// - Parameters:
        ///   - loginResponse: the same attributes as texts.
        ///   - additionalAttributes: `lastLogin`, `lastPasswordUpdate`, `passwordExpiresAt` and others. Times are seconds since 1970.
        @objc optional func authenticationDidSucceed(
            _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any])

        /// The person is signed in, by a nonce or by another provider.
        /// - Parameter loginResponse: attributes of the wallet, and the properties of the request.
        @objc optional func authenticationDidSucceed(_ loginResponse: PDLoginResponse)

        /// The device is not linked to the account (412): ask the person, and continue with `registerWithMFA`.
        ///
        /// If it is not implemented, ``authenticationDidFail(_:)`` gets the 412.
        /// - Parameter mfaQuestionToken: the question.
        @objc optional func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken)

        /// The attempt failed, or needs another step: see ``PDPaydiantError/outcome``.
        /// - Parameter authenticationError: why.
        @objc optional func authenticationDidFail(_ authenticationError: PDPaydiantError)

        /// The call did not reach the service.
        /// - Parameter authenticationError: why.
        @objc optional func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError)

        /// The person is signed out on this device.
        @objc optional func finishedLogout()
    }

    extension PDAuthenticationDelegate {
        /// Reports a sign-in to the most specific method that is implemented.
        func succeed(_ response: PDLoginResponse) {
            let simple: (() -> Void)? = authenticationDidSucceed
            let withResponse: ((PDLoginResponse) -> Void)? = authenticationDidSucceed
            let withAttributes = authenticationDidSucceed(_:withAdditionalAttributes:)
            if let withResponse, response.precedesAttributes || withAttributes == nil { return withResponse(response) }
            if let withAttributes { return withAttributes(response, response.attributes) }
            simple?()
        }

        /// Asks for a second factor.
        func ask(_ token: PDMFAToken) {
            if let prompt = mfaQuestionDidPrompt { prompt(token) } else if let error = token.error { fail(error) }
        }

        /// Reports an error.
        func fail(_ error: PDPaydiantError) {
            (error.code == 0 ? authenticationInvocationDidFail : authenticationDidFail)?(error)
        }

        /// Reports the end of a session.
        func end() { finishedLogout?() }
    }
#else
    /// Receives the results of ``PDAthenticationCoordinator``'s calls, on the main actor. Every method is optional.
    ///
    /// The page overloads the success of a sign-in. One of the three methods is called, once: the most specific one that is
    /// implemented.
    @MainActor public protocol PDAuthenticationDelegate: AnyObject {
        /// The person is signed in.
        func authenticationDidSucceed()

        /// The person is signed in; with attributes of the wallet.
        /// - Parameters:
        ///   - loginResponse: the same attributes as texts.
        ///   - additionalAttributes: `lastLogin`, `lastPasswordUpdate`, `passwordExpiresAt` and others. Times are seconds since 1970.
        func authenticationDidSucceed(
            _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any])

        /// The person is signed in, by a nonce or by another provider.
        /// - Parameter loginResponse: attributes of the wallet, and the properties of the request.
        func authenticationDidSucceed(_ loginResponse: PDLoginResponse)

        /// The device is not linked to the account (412): ask the person, and continue with `registerWithMFA`.
        ///
        /// If it is not implemented, ``authenticationDidFail(_:)`` gets the 412.
        /// - Parameter mfaQuestionToken: the question.
        func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken)

        /// The attempt failed, or needs another step: see ``PDPaydiantError/outcome``.
        /// - Parameter authenticationError: why.
        func authenticationDidFail(_ authenticationError: PDPaydiantError)

        /// The call did not reach the service.
        /// - Parameter authenticationError: why.
        func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError)

        /// The person is signed out on this device.
        func finishedLogout()
    }

    // Without Objective-C, a method that a class does not implement is one of these. It passes on to the next less specific one.

    extension PDAuthenticationDelegate {
        /// Does nothing.
        public func authenticationDidSucceed() {}
        /// Passes on to the method without attributes.
        public func authenticationDidSucceed(
            _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any]
        ) { authenticationDidSucceed(loginResponse) }
        /// Passes on to the method that comes after it for this sign-in.
        public func authenticationDidSucceed(_ loginResponse: PDLoginResponse) {
            guard loginResponse.precedesAttributes else { return authenticationDidSucceed() }
            loginResponse.precedesAttributes = false
            succeed(loginResponse)
        }
        /// Passes on to ``authenticationDidFail(_:)``.
        public func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken) { mfaQuestionToken.error.map(fail) }
        /// Does nothing.
        public func authenticationDidFail(_ authenticationError: PDPaydiantError) {}
        /// Does nothing.
        public func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError) {}
        /// Does nothing.
        public func finishedLogout() {}

        /// Reports a sign-in to the most specific method that is implemented.
        func succeed(_ response: PDLoginResponse) {
            guard !response.precedesAttributes else { return authenticationDidSucceed(response) }
            authenticationDidSucceed(response, withAdditionalAttributes: response.attributes)
        }

        /// Asks for a second factor.
        func ask(_ token: PDMFAToken) { mfaQuestionDidPrompt(token) }

        /// Reports an error.
        func fail(_ error: PDPaydiantError) {
            (error.code == 0 ? authenticationInvocationDidFail : authenticationDidFail)(error)
        }

        /// Reports the end of a session.
        func end() { finishedLogout() }
    }
#endif

import Foundation

#if canImport(ObjectiveC)
    /// Receives the results of ``PDAthenticationCoordinator``'s calls, on the main actor. Every method is optional.
    ///
    /// The page overloads the success of a sign-in. One of the three methods is called, once: the most specific one that is
    /// implemented.
    @MainActor
    @objc(PDAuthenticationDelegate)
    public protocol PDAuthenticationDelegate: AnyObject {
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
        /// Calls a method.
        /// - Returns: whether it is implemented.
        func call(_ method: DelegateCall) -> Bool {
            switch method {
            case .success:
                let method: (() -> Void)? = authenticationDidSucceed
                return method?() != nil
            case .attributes(let response, let attributes):
                return authenticationDidSucceed(_:withAdditionalAttributes:)?(response, attributes) != nil
            case .response(let response):
                let method: ((PDLoginResponse) -> Void)? = authenticationDidSucceed
                return method?(response) != nil
            case .question(let token): return mfaQuestionDidPrompt?(token) != nil
            case .failure(let error): return authenticationDidFail?(error) != nil
            case .invocationFailure(let error): return authenticationInvocationDidFail?(error) != nil
            case .logout: return finishedLogout?() != nil
            }
        }
    }
#else
    /// Receives the results of ``PDAthenticationCoordinator``'s calls, on the main actor. Every method is optional.
    ///
    /// The page overloads the success of a sign-in. One of the three methods is called, once: the most specific one that is
    /// implemented.
    @MainActor
    public protocol PDAuthenticationDelegate: AnyObject {
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

    // Without Objective-C, a method that a class does not implement is one of these. It notes that it ran.

    extension PDAuthenticationDelegate {
        /// Does nothing.
        public func authenticationDidSucceed() { Unimplemented.note("success") }
        /// Does nothing.
        public func authenticationDidSucceed(
            _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any]
        ) { Unimplemented.note("attributes") }
        /// Does nothing.
        public func authenticationDidSucceed(_ loginResponse: PDLoginResponse) { Unimplemented.note("response") }
        /// Does nothing.
        public func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken) { Unimplemented.note("question") }
        /// Does nothing.
        public func authenticationDidFail(_ authenticationError: PDPaydiantError) {}
        /// Does nothing.
        public func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError) {}
        /// Does nothing.
        public func finishedLogout() {}

        /// Calls a method.
        /// - Returns: whether it is implemented.
        func call(_ method: DelegateCall) -> Bool {
            switch method {
            case .success: return Unimplemented.isNot("success") { authenticationDidSucceed() }
            case .attributes(let response, let attributes):
                return Unimplemented.isNot("attributes") {
                    authenticationDidSucceed(response, withAdditionalAttributes: attributes)
                }
            case .response(let response):
                return Unimplemented.isNot("response") { authenticationDidSucceed(response) }
            case .question(let token): return Unimplemented.isNot("question") { mfaQuestionDidPrompt(token) }
            case .failure(let error): authenticationDidFail(error)
            case .invocationFailure(let error): authenticationInvocationDidFail(error)
            case .logout: finishedLogout()
            }
            return true
        }
    }

    /// The default implementations that ran.
    @MainActor
    private enum Unimplemented {
        private static var names: Set<String> = []

        static func note(_ name: String) { names.insert(name) }

        static func isNot(_ name: String, _ call: () -> Void) -> Bool {
            names.remove(name)
            call()
            return names.remove(name) == nil
        }
    }
#endif

/// A method of the delegate, with its arguments.
enum DelegateCall {
    case success
    case attributes(PDLoginResponse, [String: Any])
    case response(PDLoginResponse)
    case question(PDMFAToken)
    case failure(PDPaydiantError)
    case invocationFailure(PDPaydiantError)
    case logout
}

extension PDAuthenticationDelegate {
    /// Calls the first of the methods that is implemented.
    func callFirst(of methods: [DelegateCall]) { _ = methods.first { call($0) } }

    /// Reports a failure.
    func fail(_ error: PDPaydiantError) {
        _ = call(error.isOfAttempt ? .failure(error) : .invocationFailure(error))
    }
}

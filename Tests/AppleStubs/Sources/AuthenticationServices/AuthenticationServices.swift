// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: AuthenticationServices, the web authentication session; Sign in with Apple is in a file of its own. Bodies never run.
public import Foundation

/// `UIWindow` on iOS, `NSWindow` on macOS; both are bound to the main actor.
@MainActor open class ASPresentationAnchor: NSObject {
    nonisolated public override init() {}
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error, Sendable {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }
    public let code: Code
    public init(code: Code) { self.code = code }
}

@available(macOS 10.15, iOS 12.0, *)
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
    open class Callback: NSObject {
        public class func customScheme(_ customScheme: String) -> Callback { Callback() }
        public class func https(host: String, path: String) -> Callback { Callback() }
    }

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        complete = completionHandler
    }

    @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        complete = completionHandler
    }

    @available(macOS 10.15, iOS 13.0, *)
    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    @available(macOS 10.15, iOS 13.0, *)
    open var prefersEphemeralWebBrowserSession = false
    @discardableResult open func start() -> Bool { WebAuthenticationScript.behavior(self) }
    open func cancel() { WebAuthenticationScript.cancelled += 1 }

    /// No part of Apple's framework: what a test has the system call, on a queue of the system's own.
    public let complete: CompletionHandler
}

/// No part of Apple's framework: what a test has the sessions do. One test at a time.
public enum WebAuthenticationScript {
    public nonisolated(unsafe) static var behavior: (ASWebAuthenticationSession) -> Bool = { _ in false }
    public nonisolated(unsafe) static var cancelled = 0
}

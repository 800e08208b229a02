import CloverCompat
import Foundation

// The page describes its three flows in prose. These are the apps that follow the prose step by step, with its names and the
// members that it prints. Each step is quoted above its code.

// MARK: - The app's own

/// What the developer page told the app.
public struct CloverAppValues: Sendable {
    /// "App ID registered on your Clover Developer Portal": the client id.
    public var appID: String
    /// "App Secret obtained from your Clover Developer Portal."
    public var appSecret = "app-secret-of-the-developer-page"
    /// "API Key for server access."
    public var apiKey = "api-key-of-the-representative"
    /// "API Secret for server access."
    public var apiSecret = "api-secret-of-the-representative"

    /// Creates the values of an app.
    public init(appID: String) { self.appID = appID }
}

/// Hides that the line which passes the secrets is deprecated, because warnings are errors here. A real app sees the warning.
private protocol CloverConfigurationMaking {
    static func configuration(
        _ values: CloverAppValues, _ flow: CloverPaymentSDK.OAuthFlowType
    ) -> CloverPaymentSDK.Configuration
}

private enum CloverConfigurations: CloverConfigurationMaking {
    // MARK: As described: "passing in your configuration object", with the members that the page prints

    @available(*, deprecated)
    static func configuration(
        _ values: CloverAppValues, _ flow: CloverPaymentSDK.OAuthFlowType
    ) -> CloverPaymentSDK.Configuration {
        CloverPaymentSDK.Configuration(
            environment: CloverEnvironment.EnvironmentType.sandbox,
            appID: values.appID,
            appSecret: values.appSecret,
            apiKey: values.apiKey,
            apiSecret: values.apiSecret,
            oauthFlowType: flow)
    }
}

private func configuration(
    _ values: CloverAppValues, _ flow: CloverPaymentSDK.OAuthFlowType
) -> CloverPaymentSDK.Configuration {
    func make<Maker: CloverConfigurationMaking>(_ maker: Maker.Type) -> CloverPaymentSDK.Configuration {
        maker.configuration(values, flow)
    }
    return make(CloverConfigurations.self)
}

// MARK: - Full OAuth

/// An app whose SDK manages the full flow.
@MainActor
public final class FullOAuthApp {
    private let values: CloverAppValues
    private let redirectURI: String
    private var identifier: String?
    /// What the app showed, in order.
    public private(set) var shown: [String] = []

    /// Creates the app; it does nothing yet.
    public init(values: CloverAppValues, redirectURI: String) {
        self.values = values
        self.redirectURI = redirectURI
    }

    /// What the app does when it starts.
    public func launch() async throws {
        // "Add a token change callback using CloverPaymentSDK.shared.addOnTokenChangeCallback."
        identifier = CloverPaymentSDK.shared.addOnTokenChangeCallback { [weak self] in
            self?.tokenChanged()
        }
        // "Attempt to initialize the SDK by calling CloverPaymentSDK.shared.setup, passing in your configuration object. In the
        // configuration object, include a CloverPaymentSDK.FullOAuth object for full OAuth Support."
        try await CloverPaymentSDK.shared.setup(
            configuration: configuration(values, CloverPaymentSDK.FullOAuth(redirectURI: redirectURI)))
        shown.append("launched")
    }

    /// "This enters back into your app using the scene delegate or other appropriate path."
    public func scene(opened url: URL) {
        // "In your handler, pass the full URL containing the code back using CloverPaymentSDK.shared.receivedOAuthCodeOrToken."
        CloverPaymentSDK.shared.receivedOAuthCodeOrToken(url)
    }

    private func tokenChanged() {
        guard CloverPaymentSDK.shared.isLoggedIn else {
            shown.append("signed out")
            return
        }
        // "In your callback, call the CloverPaymentSDK.shared.setup to retry initialization this time with a valid token stored."
        Task {
            do {
                try await CloverPaymentSDK.shared.setup(
                    configuration: configuration(values, CloverPaymentSDK.FullOAuth(redirectURI: redirectURI)))
                shown.append("ready")
            } catch {
                shown.append("failed: \(error)")
            }
        }
    }

    /// The button of the app's settings.
    public func logOut() {
        // "Deletes the OAuth credentials and triggers an onTokenChangeCallback"
        CloverPaymentSDK.shared.logout()
    }

    /// The app ends, and with it its callback.
    /// - Returns: whether the callback was registered.
    public func quit() -> Bool {
        // "Removes an onTokenChangeCallback from the call list"
        CloverPaymentSDK.shared.removeOnTokenChangeCallback(identifier: identifier ?? "")
    }
}

// MARK: - Partial OAuth

/// An app that performs the login flow itself, as far as the code.
@MainActor
public final class PartialOAuthApp {
    private let values: CloverAppValues

    /// Creates the app; it does nothing yet.
    public init(values: CloverAppValues) { self.values = values }

    /// "First Launch"
    /// - Parameter signIn: "In your app, implement the OAuth Login Flow": takes the code challenge and returns the code.
    public func firstLaunch(signIn: (String) async throws -> String) async throws {
        // "the CloverPaymentSDK.OAuthCodeChallenge object may be utilized to facilitate the PKCE flow in your application by
        // generating the verifier and challenge objects for use in the flow."
        let challenge = CloverPaymentSDK.OAuthCodeChallenge()
        // "You only need to get as far as receiving the Code response before returning and passing that information to the SDK."
        let code = try await signIn(challenge.challenge)
        // "In the PartialOAuth object, include the Code received from the OAuth Login flow already completed, along with the
        // Challenge information you used with the PKCE flow."
        let codeResponse = OAuthCodeResponse(code: code, challenge: challenge)
        try await CloverPaymentSDK.shared.setup(
            configuration: configuration(values, CloverPaymentSDK.PartialOAuth(codeResponse: codeResponse)))
    }

    /// "Subsequent Launches"
    public func subsequentLaunch() async throws {
        // "In the Partial OAuth object, set the code to nil to signal to the SDK that you do not have a new code, and to simply
        // use the previously stored token."
        try await CloverPaymentSDK.shared.setup(
            configuration: configuration(values, CloverPaymentSDK.PartialOAuth(codeResponse: nil)))
    }
}

// MARK: - No OAuth

/// An app that manages the flow itself, and gives the SDK a token.
@MainActor
public final class NoOAuthApp {
    private let values: CloverAppValues

    /// Creates the app; it does nothing yet.
    public init(values: CloverAppValues) { self.values = values }

    /// What the app does when it starts and has a token.
    public func launch(token: String) async throws {
        // "In the NoOAuth object, include the token obtained in step 1. You must include the token every time you call setup."
        try await CloverPaymentSDK.shared.setup(
            configuration: configuration(values, CloverPaymentSDK.NoOAuth(token: token)))
    }

    /// What the app does when it has renewed its token.
    public func refreshed(token: String) async throws {
        // "Whenever you need to update the token, pass in the updated token via CloverPaymentSDK.shared.updateToken."
        try await CloverPaymentSDK.shared.updateToken(token)
    }
}

import Foundation
import WalletAuth

#if canImport(SwiftUI)
    import SwiftUI
#endif

// What an app has of its own, and the samples call.

/// The screens of an app.
struct ExampleScreens: Sendable {
    func showHome(lastLogin: String? = nil) {}
    func showWaiting() {}
    func say(_ text: String) {}
    func showLongSessionOffer() {}
    func showSignIn(because text: String? = nil) {}
    func showTryAgain(after wait: Duration? = nil) {}
    func showRefusal(_ code: WalletError.Code) {}
    func show(_ data: Data) {}
    func show(_ text: String) {}
    func report(_ error: WalletError) {}
    func send(toSupport text: String) {}
}

@MainActor func showSignedIn() {}

/// Follows the transaction of a link.
@MainActor func showTransaction(_ link: URL) {}

/// Tells the person that a sign-in led nowhere.
@MainActor func showSignInFailed(_ error: any Error) {}

/// A person who fills in what is asked.
struct ExamplePerson: Sendable {
    var answers: [String: String] = [:]
    func ask(_ question: String) async -> String { answers[question] ?? "" }
}

/// An identity provider, as the app calls it.
struct ExampleProvider: Sendable {
    struct Answer: Sendable {
        var code: String
        var redirectURI: URL
        var codeVerifier: String
    }

    var page: @Sendable (String) async throws -> Answer
    func signIn(nonce: String) async throws -> Answer { try await page(nonce) }
}

/// What an app keeps in memory about a person.
actor ExampleCache {
    private(set) var isEmpty = false
    func removeAll() { isEmpty = true }
}

/// An app's own backend, which gets and renews tokens.
struct ExampleBackend: Sendable {
    var fetch: @Sendable () async throws -> (token: String, expiresAt: Date)
    func fetchToken() async throws -> (token: String, expiresAt: Date) { try await fetch() }
    func loginNonce(for key: String?) async throws -> String { try await fetch().token }
}

#if canImport(SwiftUI)
    struct ContentView: View {
        let wallet: Wallet
        var body: some View { EmptyView() }
    }
#else
    struct ContentView: View {
        let wallet: Wallet
    }
#endif

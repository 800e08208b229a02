// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import WalletAuth
import WalletAuthLoopback

#if canImport(SwiftUI)
    import SwiftUI
#endif
#if canImport(UIKit)
    import UIKit
#endif
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

func signInWithFiveLines() async throws {
    let wallet = try Wallet(
        configuration: .init(
            environment: .production(issuer: URL(string: "https://auth.example.com")!),
            clientID: "com.example.wallet",
            signIn: .full(redirectURI: URL(string: "https://app.example.com/callback")!),
            scopes: ["openid", "profile"]))
    try await wallet.restore()
    try await wallet.signIn()
    let (data, response) = try await wallet.perform(URLRequest(url: URL(string: "https://api.example.com/me")!))
    _ = (data, response)
}

func runTheReadme() async {
    let issuer = URL(string: "http://127.0.0.1:8700")!
    let callback = URL(string: "com.example.wallet:/callback")!
    do {
        let wallet = try Wallet(
            configuration: .init(
                environment: .sandbox(issuer: issuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: callback),
                scopes: ["openid", "profile"]))
        try await wallet.restore()
        try await wallet.signIn()
        let (data, response) = try await wallet.perform(URLRequest(url: issuer.appending(path: "oauth2/userinfo")))
        print(response.statusCode, String(decoding: data, as: UTF8.self))
    } catch {
        print(error)
    }
}

#if os(Linux)
    func signInOnLinux() async {
        let issuer = URL(string: "http://127.0.0.1:8700")!
        do {
            let wallet = try Wallet(
                configuration: .init(
                    environment: .sandbox(issuer: issuer), clientID: "com.example.wallet",
                    signIn: .full(redirectURI: URL(string: "http://127.0.0.1/callback")!),
                    scopes: ["openid", "profile"],
                    ports: .linux(
                        clientID: "com.example.wallet", userAgent: LoopbackUserAgent(opener: SystemBrowser.openOrPrint)
                    )))
            try await wallet.restore()
            try await wallet.signIn()
            let (data, _) = try await wallet.perform(URLRequest(url: issuer.appending(path: "oauth2/userinfo")))
            print(String(decoding: data, as: UTF8.self))
        } catch {
            print(error)
        }
    }
#endif

extension ExampleScreens {
    func launched(_ wallet: Wallet) async {
        do {
            if try await wallet.restore() != nil { showHome() } else { showSignIn() }
        } catch {
            // The keychain is locked, for instance. It does not say who is signed in, so offer to try again.
            showTryAgain()
        }
    }

    func signInPressed(_ wallet: Wallet) async {
        do {
            switch try await wallet.signIn() {
            case .restored, .signedIn: showHome()
            case .awaitingCallback: showWaiting()
            }
        } catch let error as WalletError {
            // Nil if the person closed the page: there is nothing to say.
            showSignIn(because: UserErrorMessages.builtIn.text(for: error))
        } catch {
            showSignIn()
        }
    }
}

func sandboxConfiguration() -> Wallet.Configuration {
    let configuration = Wallet.Configuration(
        environment: .sandbox(issuer: URL(string: "http://127.0.0.1:8700")!),
        clientID: "com.example.wallet",
        signIn: .full(redirectURI: URL(string: "com.example.wallet:/callback")!))
    return configuration
}

struct ExampleApp: App {
    private let wallet: Wallet

    init() {
        do {
            wallet = try Wallet.configure(
                .init(
                    environment: .production(issuer: URL(string: "https://auth.example.com")!),
                    clientID: "com.example.wallet",
                    signIn: .full(redirectURI: URL(string: "https://app.example.com/callback")!)))
        } catch {
            // A mistake in the configuration above, caught at the first launch. The text names every fault.
            fatalError("\(error)")
        }
    }

    var body: some Scene {
        WindowGroup {
            ContentView(wallet: wallet)
                .onOpenURL { url in
                    Task { await receive(url) }
                }
        }
    }

    private func receive(_ url: URL) async {
        do {
            switch try await wallet.handle(url) {
            case .signIn: showSignedIn()
            case .transaction: showTransaction(url)
            case .consent, .unrelated: break
            }
        } catch {
            showSignInFailed(error)
        }
    }
}

#if !os(macOS)
    final class AppDelegate: UIResponder, UIApplicationDelegate {
        // Before any scene, because a URL may launch the app.
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            do {
                try Wallet.configure(
                    .init(
                        environment: .production(issuer: URL(string: "https://auth.example.com")!),
                        clientID: "com.example.wallet",
                        signIn: .full(redirectURI: URL(string: "https://app.example.com/callback")!)))
            } catch {
                // A mistake in the configuration above, caught at the first launch. The text names every fault.
                fatalError("\(error)")
            }
            return true
        }
    }

    final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        // The URL launched the app.
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
            options.urlContexts.forEach { receive($0.url) }
            options.userActivities.compactMap(\.webpageURL).forEach(receive)
        }

        // The app was already running: a custom scheme …
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
            contexts.forEach { receive($0.url) }
        }

        // … or a claimed https link.
        func scene(_ scene: UIScene, continue activity: NSUserActivity) {
            if let url = activity.webpageURL { receive(url) }
        }

        private func receive(_ url: URL) {
            Task {
                do {
                    switch try await Wallet.instance.handle(url) {
                    case .signIn: showSignedIn()
                    case .transaction: showTransaction(url)
                    case .consent, .unrelated: break
                    }
                } catch {
                    showSignInFailed(error)
                }
            }
        }
    }
#endif

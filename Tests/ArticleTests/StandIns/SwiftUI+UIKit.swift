import Foundation
import WalletAuth

// The samples of an app's entry points are for Apple platforms. Elsewhere these declarations take the place of the few
// symbols of Apple's frameworks that the samples name, so that their calls of the SDK are compiled everywhere.

#if !canImport(SwiftUI)
    @MainActor protocol View {}
    @MainActor protocol Scene {}

    @MainActor protocol App {
        associatedtype Body: Scene
        var body: Body { get }
        init()
    }

    struct WindowGroup<Content: View>: Scene {
        let content: Content
        init(content: () -> Content) { self.content = content() }
    }

    struct OpeningURLs<Content: View>: View {
        let content: Content
        let perform: (URL) -> Void
    }

    extension View {
        func onOpenURL(perform: @escaping (URL) -> Void) -> some View { OpeningURLs(content: self, perform: perform) }
    }
#endif

#if !canImport(UIKit)
    @MainActor class UIResponder {}
    @MainActor protocol UIApplicationDelegate {}
    @MainActor protocol UIWindowSceneDelegate {}

    @MainActor final class UIApplication {
        struct LaunchOptionsKey: Hashable {}
    }

    @MainActor final class UISceneSession {}

    struct UIOpenURLContext: Hashable {
        let url: URL
    }

    @MainActor final class UIScene {
        final class ConnectionOptions {
            let urlContexts: Set<UIOpenURLContext> = []
            let userActivities: Set<NSUserActivity> = []
        }
    }
#endif

#if !canImport(Darwin)
    final class NSUserActivity: Hashable {
        let webpageURL: URL? = nil
        static func == (left: NSUserActivity, right: NSUserActivity) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
#endif

#if !canImport(AuthenticationServices)
    struct AppleSignInSheet {
        func credential(nonce: FederatedNonce) async throws -> AppleCredential {
            throw UserAgentFailure(.unavailable, reason: "Apple's sheet is not on this platform")
        }
    }
#endif

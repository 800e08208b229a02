import Foundation
import WalletAuth

/// The phone's default browser, which a person uses: the URL that it comes back to opens the app.
struct SceneUserAgent: UserAgent {
    private let urls: AsyncStream<URL>
    private let arrive: AsyncStream<URL>.Continuation

    init() { (urls, arrive) = AsyncStream.makeStream() }

    /// The next URL that opens the app, for its scene delegate; nil if the person never came back.
    func nextURL() async -> URL? {
        for await url in urls { return url }
        return nil
    }

    func begin(redirectURI: URL) async throws -> any UserAgentSession {
        SceneSession(redirectURI: redirectURI, arrive: arrive)
    }
}

private struct SceneSession: UserAgentSession {
    let redirectURI: URL
    let arrive: AsyncStream<URL>.Continuation

    func present(_ authorizationURL: URL) async throws -> UserAgentOutcome {
        Task {
            guard let url = try? await Dialogue.open(authorizationURL, until: redirectURI.absoluteString) else {
                return arrive.finish()
            }
            arrive.yield(url)
        }
        return .opened
    }

    func close() async {}
}

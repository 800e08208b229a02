import Foundation
import Programs
import WalletAuth
import WalletAuthWire

extension Wallet {
    /// The wallet of a profile.
    /// - Parameters:
    ///   - profile: the server and the client, and the scopes to request, if any.
    ///   - folder: the storage of the wallet.
    ///   - signIn: how to sign in; by default only a stored session is used.
    ///   - deviceName: the name of this device when a second factor links it; nil if it should not be linked.
    ///   - resources: where the wallet's tokens may go; by default to the issuer alone.
    ///   - consentPage: the redirect URI of the consent page; nil if the page is not offered.
    ///   - prompt: the `prompt` of the sign-in page; nil lets the SDK choose.
    ///   - opener: shows a page to the person.
    ///   - listening: a page's session that listens already; nil if it begins to with the sign-in.
    static func of(
        _ profile: Profile, in folder: URL, signIn: SignIn = .partial(codeResponse: nil),
        resources: ResourceOrigins = .only([]), linkedAs deviceName: String? = nil, consentPage: URL? = nil,
        prompt: [AuthorizationRequest.Prompt]? = nil, opener: @escaping @Sendable (URL) async throws -> Void = { _ in },
        listening: (any UserAgentSession)? = nil
    ) throws -> Wallet {
        guard let issuer = URL(string: profile.issuer) else {
            throw Failure(
                code: "invalid_configuration", message: "\"\(profile.issuer)\" is not a URL",
                advice: "use another --issuer")
        }
        // The SDK allows http only to this machine, and reports any other use.
        let environment: Environment = issuer.scheme == "http" ? .sandbox(issuer: issuer) : .production(issuer: issuer)
        var configuration = Configuration(
            environment: environment, clientID: profile.clientID, signIn: signIn, resources: resources)
        if let scopes = profile.scopes { configuration.scopes = scopes }
        configuration.prompt = prompt
        configuration.linksDevice = deviceName != nil
        configuration.deviceName = deviceName
        configuration.consentReturnURL = consentPage
        #if os(Linux)
            let userAgent: any UserAgent =
                if let listening { BegunUserAgent(session: listening) } else { LoopbackUserAgent(opener: opener) }
            var ports = Ports.linux(directory: folder, userAgent: userAgent)
            ports.transport = URLSessionTransport(product: "wallet/\(ProgramVersion.current) (Linux)")
            configuration.ports = ports
        #endif
        return try Wallet(configuration: configuration)
    }
}

/// A user agent whose one session has begun.
private struct BegunUserAgent: UserAgent {
    let session: any UserAgentSession

    func begin(redirectURI: URL) async throws -> any UserAgentSession { session }
}

import Foundation
import Programs
import WalletAuth
import WalletAuthWire

extension Wallet {
    /// The wallet of a profile.
    /// - Parameters:
    ///   - profile: the server and the client; the scopes to ask for, where it names some.
    ///   - folder: where it is kept.
    ///   - signIn: who leads the sign-in; by default nobody, a kept session or none.
    ///   - deviceName: what this device is called when a second factor links it; nil where none should.
    ///   - resources: where else than to the server its tokens may go.
    ///   - consentPage: where a page on which the person agrees to a payment comes back to; nil offers no such page.
    ///   - prompt: what the sign-in page is to show; nil leaves it to the SDK.
    ///   - opener: takes the person to a page.
    static func of(
        _ profile: Profile, in folder: URL, signIn: SignIn = .partial(codeResponse: nil), resources: [URL] = [],
        linkedAs deviceName: String? = nil, consentPage: URL? = nil,
        prompt: [AuthorizationRequest.Prompt]? = nil, opener: @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) throws -> Wallet {
        guard let issuer = URL(string: profile.issuer) else {
            throw Failure(
                code: "invalid_configuration", message: "\"\(profile.issuer)\" is not a URL",
                advice: "name another --issuer")
        }
        // The SDK lets http through to this very machine alone, and says so where it does not.
        let environment: Environment = issuer.scheme == "http" ? .sandbox(issuer: issuer) : .production(issuer: issuer)
        var configuration = Configuration(
            environment: environment, clientID: profile.clientID, signIn: signIn, resources: .only(resources))
        if let scopes = profile.scopes { configuration.scopes = scopes }
        configuration.prompt = prompt
        configuration.linksDevice = deviceName != nil
        configuration.deviceName = deviceName
        configuration.consentReturnURL = consentPage
        #if os(Linux)
            var ports = Ports.linux(directory: folder, userAgent: LoopbackUserAgent(opener: opener))
            ports.transport = URLSessionTransport(product: "wallet/\(ProgramVersion.current) (Linux)")
            configuration.ports = ports
        #endif
        return try Wallet(configuration: configuration)
    }
}

import Foundation
import Programs
import WalletAuth
import WalletAuthLoopback
import WalletAuthWire

/// The data that a profile remembers besides the session. None of it is secret.
struct Profile: Codable, Equatable {
    /// How long the program waits for the browser.
    static let browserPatience = Duration.seconds(600)

    /// What to say while the program waits for it.
    static func waiting(for what: String) -> String {
        "Waiting for the \(what), for \(browserPatience.components.seconds / 60) minutes at most; press Ctrl-C to stop."
    }

    var issuer: String
    var clientID: String
    /// The scopes of the last sign-in.
    var scopes: [String]?
    /// The redirect URI of the last sign-in, if it used the browser.
    var redirectURI: String?
    /// The user name that the person typed in that sign-in. A device is enrolled for it by default.
    var username: String?
    /// The account's own user name, which the person need not have typed: they may sign in with an address, or on a page. Nil if
    /// the sign-in did not give it.
    var accountName: String?

    /// The account's user name, as far as it is known: an address or a number that was typed is none.
    var knownName: String? { accountName ?? username.flatMap(Self.name) }

    /// The known name for the address of a page, which other users of the machine see: none that is an address or a number as well.
    var loginHint: String? { knownName.flatMap(Self.name) }

    /// What the person typed, unless it is an address or a number.
    static func name(typed: String) -> String? {
        typed.contains("@") || typed.wholeMatch(of: #/[+0-9 ()\/.-]+/#) != nil ? nil : typed
    }

    /// Asks for the account's user name, once, with the token of a sign-in that just succeeded. Without the scope for it the
    /// server is not asked, and without an answer the sign-in is as good.
    mutating func learnName(from wallet: Wallet) async {
        let identity = wallet.identity
        // The question must not cost the renewal of a token that hardly lasts.
        guard (identity?.scopes ?? scopes ?? []).contains("profile"), let end = identity?.accessTokenExpiresAt,
            end > Date(timeIntervalSinceNow: 60)
        else { return }
        if let name = try? await wallet.userInfo().claims["preferred_username"]?.string { accountName = name }
    }

    private static func file(in folder: URL) -> SavedFile {
        SavedFile(
            folder: folder, name: "profile.json", recovery: "set the server again with --issuer and --client-id")
    }

    static func load(from folder: URL) throws -> Profile? { try file(in: folder).load() }

    func save(in folder: URL) throws { try Self.file(in: folder).save(self) }

    /// The scopes of the last sign-in if it had the same server and client, otherwise `openid`. A new sign-in by any
    /// method thus keeps the person's permissions.
    func lastScopes(in folder: URL) throws -> [String] {
        let last = try Self.load(from: folder)
        guard last?.issuer == issuer, last?.clientID == clientID else { return ["openid"] }
        return last?.scopes ?? ["openid"]
    }

    /// The redirect URI of the last sign-in, if it had the same server and client. The server may accept no other.
    func lastRedirectURI(in folder: URL) throws -> String? {
        let last = try Self.load(from: folder)
        return last?.issuer == issuer && last?.clientID == clientID ? last?.redirectURI : nil
    }
}

/// A file in which a profile remembers something besides the session.
struct SavedFile {
    let folder: URL
    let name: String
    /// What to do once a damaged file is removed.
    let recovery: String

    private var url: URL { folder.appendingPathComponent(name) }

    func read<Content>(_ decode: (Data) throws -> Content) throws -> Content? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do { return try decode(try Data(contentsOf: url)) } catch {
            throw Failure(
                code: "damaged_profile", message: "\(url.path) cannot be read", advice: "remove it and \(recovery)")
        }
    }

    func write(_ content: Data) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try replace(with: content)
        } catch { throw Failure(notWriting: folder) }
    }

    /// Replaces the file in one step. Only its owner can read it, even in a folder that is open to others.
    private func replace(with content: Data) throws {
        let draft = folder.appendingPathComponent("\(name).\(UUID().uuidString)").path
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try file.write(contentsOf: content)
            try file.synchronize()
            guard rename(draft, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    func load<Content: Decodable>() throws -> Content? {
        try read { try JSONDecoder().decode(Content.self, from: $0) }
    }

    func save(_ content: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(try encoder.encode(content))
    }
}

extension Failure {
    /// What a profile remembers could not be written.
    init(notWriting folder: URL) {
        self.init(
            code: "store_unavailable", message: "\(folder.path) cannot be written to",
            advice: "choose another folder with --home")
    }
}

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
    ///   - watch: learns of each request; not used where the platform's transport is.
    ///   - presence: asks before a passkey, or with an attester a biometric key, is used.
    static func of(
        _ profile: Profile, in folder: URL, signIn: SignIn = .partial(codeResponse: nil),
        resources: ResourceOrigins = .only([]), linkedAs deviceName: String? = nil, consentPage: URL? = nil,
        prompt: [AuthorizationRequest.Prompt]? = nil, opener: @escaping @Sendable (URL) async throws -> Void = { _ in },
        listening: (any UserAgentSession)? = nil, watch: RequestWatch? = nil,
        presence: TerminalPresence = TerminalPresence()
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
                if let listening { BegunUserAgent(session: listening) } else {
                    LoopbackUserAgent(timeout: Profile.browserPatience, opener: opener)
                }
            var ports = Ports.linux(directory: folder, userAgent: userAgent)
            let transport = try TerminalTransport()
            ports.transport = if let watch { WatchedTransport(base: transport, watch: watch) } else { transport }
            ports.passkeys = SoftwarePasskeys(store: ports.store, presence: presence)
            if let attester = try TerminalAttester.named() {
                ports.appAttester = attester
                ports.keys = SoftwareDeviceKeys(store: ports.store, presence: TerminalSensor(presence: presence))
            }
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

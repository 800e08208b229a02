import Foundation
import Synchronization
import Testing

/// An authorization server of other people, while it runs, behind a proxy that makes faults on demand.
final class StandardPeer: Sendable {
    /// Which server. The raw value is the name of its script in `Peers/interoperability`.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case glewlwyd
        case django
        /// The same with its grace period, within which a replaced refresh token is answered once more.
        case djangoWithGrace = "django_grace"
        case authlib
        /// The scripted server, with refresh tokens that stay the same.
        case unrotating

        var testDescription: String {
            switch self {
            case .glewlwyd: "glewlwyd"
            case .django: "django-oauth-toolkit"
            case .djangoWithGrace: "django-oauth-toolkit with a grace period"
            case .authlib: "Authlib"
            case .unrotating: "a server that does not rotate"
            }
        }
    }

    private struct Description: Decodable {
        let issuer: URL
        let resource: URL
        let scope: String
        let control: URL
        let redirectURIs: [String]
        let signIn: URL?
    }

    let kind: Kind
    let ledger = SecretLedger()
    var issuer: URL { description.issuer }
    /// What a token opens there.
    var resource: URL { description.resource }
    var scope: String { description.scope }
    /// Where the proxy takes orders.
    var control: URL { description.control }
    private let description: Description
    private let person: Person
    private let process: ChildProcess
    private let folder: TemporaryFolder
    /// One for each wallet: glewlwyd compares the port as well.
    private let redirectURIs: Mutex<[String]>

    private init(
        _ kind: Kind, _ description: Description, _ person: Person, _ process: ChildProcess, _ folder: TemporaryFolder
    ) {
        self.kind = kind
        self.description = description
        self.person = person
        self.process = process
        self.folder = folder
        redirectURIs = Mutex(description.redirectURIs)
        ledger.enter(person.password)
    }

    /// Starts a server and waits until it is ready.
    static func start(_ kind: Kind) async throws -> StandardPeer {
        let folder = try TemporaryFolder()
        let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
        let (process, ready) = try await PythonPeer.start(
            "serve.py", [kind.rawValue, folder.url.path], folder: folder.url,
            environment: [
                "PEER_PASSWORD": person.password,
                "PEER_GLEWLWYD": Programs.repository.appending(path: ".build-glewlwyd").path,
            ])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            let name = path[path.count - 1].stringValue
            return Name(["redirect_uris": "redirectURIs", "sign_in": "signIn"][name] ?? name)
        }
        return StandardPeer(
            kind, try decoder.decode(Description.self, from: Data(ready.utf8)), person, process, folder)
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// Ends the server, and whatever it started.
    func stop() async {
        process.send(SIGKILL)
        _ = await process.wait()
        folder.remove()
    }

    /// A redirect URI that no other wallet of this run has.
    func takeRedirectURI() throws -> String {
        try #require(redirectURIs.withLock { $0.popLast() }, "the server knows no more redirect URIs")
    }

    /// Does on the server's pages what a person does.
    /// - Returns: where the browser is sent in the end.
    func visit(_ page: URL, until redirectURI: String) async throws -> URL {
        let browser = HeadlessBrowser(ledger: ledger)
        guard let api = description.signIn else {
            return try await browser.signIn(
                at: page, typing: ["username": person.username, "password": person.password], until: redirectURI)
        }
        // glewlwyd's pages are made by a script, which sends this.
        _ = try await browser.open(page, until: redirectURI).shown
        let credentials = try JSONEncoder().encode(["username": person.username, "password": person.password])
        let signedIn = try await browser.send("POST", api, json: String(decoding: credentials, as: UTF8.self))
        #expect(signedIn.status == 200)
        let allowed = try await browser.send(
            "PUT", api.appending(path: "grant/wallet"), json: #"{"scope": "\#(scope)"}"#)
        #expect(allowed.status == 200)
        let goingOn = try #require(URL(string: page.absoluteString + "&g_continue"))
        guard case .callback(let callback) = try await browser.open(goingOn, until: redirectURI) else {
            throw HeadlessBrowser.Stuck(description: "glewlwyd led to no callback")
        }
        return callback
    }
}

/// A script of `Peers/interoperability` that serves until it is ended.
enum PythonPeer {
    /// Starts one.
    /// - Returns: what it printed after `ready `.
    static func start(
        _ script: String, _ arguments: [String] = [], folder: URL, environment: [String: String] = [:]
    ) async throws -> (ChildProcess, ready: String) {
        let log = folder.appending(path: "peer.log")
        let process = try ChildProcess(
            Programs.python,
            [Programs.peers.appending(path: "interoperability").appending(path: script).path] + arguments,
            environment: environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }, folder: folder, log: log)
        let ready = try await within(.patience, "\(script) \(arguments.first ?? "")") {
            for await line in process.lines where line.hasPrefix("ready ") { return String(line.dropFirst(6)) }
            return ""
        } otherwise: {
            process.send(SIGKILL)
        }
        guard !ready.isEmpty else {
            let told = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw CommandFailed(description: "\(script) \(arguments): \(told.suffix(2_000))")
        }
        return (process, ready)
    }
}

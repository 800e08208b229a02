import Foundation
import SoftwareAttesters
import WalletAuth
import WalletAuthWire

/// Attests this program as an app on an Apple device, by a root of the developer's own: only a server whose operator names that root
/// believes it.
struct TerminalAttester: AppAttester {
    /// The environment variable of the attester's folder.
    static let variable = "WALLET_ATTESTER"

    private let authority: AttestationAuthority
    private let appID: String

    /// The attester that the environment names; nil if it names none.
    /// - Throws: ``Failure`` if its folder cannot be used.
    static func named() throws -> TerminalAttester? {
        guard let folder = ProcessInfo.processInfo.environment[variable], !folder.isEmpty else { return nil }
        return try TerminalAttester(AttesterFolder(URL(fileURLWithPath: folder)))
    }

    init(_ folder: AttesterFolder) throws {
        let unusable = Failure(
            code: "invalid_configuration", message: "\(folder.url.path) holds no attester",
            advice: "make one with: wallet attester create, and name its folder in \(Self.variable)")
        guard let certificate = try? String(contentsOf: folder.certificate, encoding: .utf8),
            let key = try? String(contentsOf: folder.key, encoding: .utf8),
            let appID = try? String(contentsOf: folder.appID, encoding: .utf8),
            let authority = try? AttestationAuthority(certificate: certificate, key: key)
        else { throw unusable }
        self.authority = authority
        self.appID = appID.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func attest(_ clientDataHash: Data) async throws -> Data? {
        do {
            return try SoftwareAppAttest(authority, appID: appID).attestation(over: Array(clientDataHash))
                .object.map { Data($0) }
        } catch { throw AppAttesterFailure(reason: "no certificate could be made: \(type(of: error))") }
    }
}

/// The folder of an attester.
struct AttesterFolder {
    let url: URL

    init(_ url: URL) { self.url = url }

    /// The root's certificate, which the operator of a test server names.
    var certificate: URL { url.appendingPathComponent("root.pem") }
    /// The root's private key.
    var key: URL { url.appendingPathComponent("root.key") }
    /// The App ID that the program claims.
    var appID: URL { url.appendingPathComponent("app-id") }

    /// Makes a new root.
    /// - Throws: ``Failure`` if there is one, or the folder cannot be written to.
    func create(for app: String) throws {
        guard !FileManager.default.fileExists(atPath: certificate.path) else {
            throw Failure(
                code: "attester_exists", message: "\(url.path) has an attester",
                advice: "name it in \(TerminalAttester.variable), or choose another folder")
        }
        let authority = try AttestationAuthority("Test root of \(app)")
        for (file, text) in [(appID, app + "\n"), (key, authority.key + "\n"), (certificate, try authority.pem + "\n")]
        {
            try SavedFile(folder: url, name: file.lastPathComponent, recovery: "").write(Data(text.utf8))
        }
    }
}

import Foundation

/// The data that a profile remembers besides the session. None of it is secret.
struct Profile: Codable, Equatable {
    var issuer: String
    var clientID: String
    /// The scopes of the last sign-in.
    var scopes: [String]?
    /// The redirect URI of the last sign-in, if it used the browser.
    var redirectURI: String?
    /// The user name that the person typed in that sign-in. A device is enrolled for it by default.
    var username: String?

    private static func file(in folder: URL) -> URL { folder.appendingPathComponent("profile.json") }

    static func load(from folder: URL) throws -> Profile? {
        guard FileManager.default.fileExists(atPath: file(in: folder).path) else { return nil }
        do {
            return try JSONDecoder().decode(Profile.self, from: Data(contentsOf: file(in: folder)))
        } catch {
            throw Failure(
                code: "damaged_profile", message: "\(file(in: folder).path) cannot be read",
                advice: "remove it and give the server again with --issuer and --client-id")
        }
    }

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

    func save(in folder: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(self).write(to: Self.file(in: folder), options: .atomic)
        } catch {
            throw Failure(
                code: "store_unavailable", message: "\(folder.path) cannot be written to",
                advice: "choose another folder with --home")
        }
    }
}

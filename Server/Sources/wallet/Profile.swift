import Foundation

/// What a profile remembers besides the session: nothing of it is secret.
struct Profile: Codable, Equatable {
    /// The server.
    var issuer: String
    /// The client.
    var clientID: String
    /// What was asked for when somebody last signed in.
    var scopes: [String]?
    /// The redirect URI of that sign-in, where it was one in the browser.
    var redirectURI: String?
    /// The user name that was typed at that sign-in: what a device is enrolled for, where nobody says otherwise.
    var username: String?

    private static func file(in folder: URL) -> URL { folder.appendingPathComponent("profile.json") }

    /// What was remembered, or nil where nothing was.
    static func load(from folder: URL) throws -> Profile? {
        guard FileManager.default.fileExists(atPath: file(in: folder).path) else { return nil }
        do {
            return try JSONDecoder().decode(Profile.self, from: Data(contentsOf: file(in: folder)))
        } catch {
            throw Failure(
                code: "damaged_profile", message: "\(file(in: folder).path) cannot be read",
                advice: "remove it and name the server again with --issuer and --client-id")
        }
    }

    /// What the last sign-in asked for, where it was at this server by this client, or else `openid`: whoever signs in anew, by
    /// whatever method, goes on with what they could do before.
    func lastScopes(in folder: URL) throws -> [String] {
        let last = try Self.load(from: folder)
        guard last?.issuer == issuer, last?.clientID == clientID else { return ["openid"] }
        return last?.scopes ?? ["openid"]
    }

    /// The redirect URI of the last sign-in, where it was at this server by this client: a server may take no other one.
    func lastRedirectURI(in folder: URL) throws -> String? {
        let last = try Self.load(from: folder)
        return last?.issuer == issuer && last?.clientID == clientID ? last?.redirectURI : nil
    }

    /// Remembers.
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

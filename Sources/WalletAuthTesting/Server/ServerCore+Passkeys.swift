import Crypto
import Foundation
import WalletAuth
import WalletAuthWire

/// Passkeys in an app's own screens.
extension ServerCore {
    /// A passkey of an account.
    struct Passkey: Sendable {
        let id: PasskeyID
        let name: String
        let username: String
        let key: PasskeyKey
        let createdAt: NumericDate
    }

    /// What a challenge was issued for.
    enum PasskeyUse: Sendable, Equatable {
        case signIn(CodeChallenge)
        case addition(username: String)
        case registration(session: String)
    }

    /// The options of a sign-in.
    mutating func passkeyOptions(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        _ = try proof(of: request, now: now)
        let wanted = try PasskeyOptionsRequest(request.json)
        return .json(
            PasskeyRequestOptions(
                relyingPartyID: try site.id, challenge: issueChallenge(for: .signIn(wanted.codeChallenge)),
                timeout: 300_000
            ).json)
    }

    /// The options of another passkey for the account.
    mutating func newPasskeyOptions(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let username = try holder(of: request, now: now)
        return .json(try creation(named: username, for: .addition(username: username)).json)
    }

    /// Adds a passkey to the account.
    mutating func addPasskey(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let username = try holder(of: request, now: now)
        let addition = try PasskeyAddition(request.json)
        guard
            let passkey = keep(
                addition.credential, for: .addition(username: username), of: username,
                name: addition.name?.rawValue ?? "Passkey", now: now)
        else { return Self.problem(400, "invalid_passkey") }
        return .json(entry(of: passkey).json, status: 201)
    }

    /// Removes a passkey from the account.
    mutating func removePasskey(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let username = try holder(of: request, now: now)
        let id = request.url.path.split(separator: "/").last.map(String.init)
        guard let found = passkeys.first(where: { $0.value.id.rawValue == id && $0.value.username == username }) else {
            return Self.problem(404, "factor_not_found")
        }
        passkeys[found.key] = nil
        return HTTPResponse(status: 204)
    }

    /// The request to create a passkey.
    mutating func creation(named username: String, for use: PasskeyUse) throws -> PasskeyCreationOptions {
        PasskeyCreationOptions(
            relyingPartyID: try site.id, relyingPartyName: "Scripted server", userHandle: Array(username.utf8),
            userName: username, challenge: issueChallenge(for: use),
            exclude: passkeys.filter { $0.value.username == username }.map {
                PasskeyDescriptor(id: $0.key, transports: [])
            }, timeout: 300_000)
    }

    /// Verifies a new passkey and keeps it; nil if it is not valid.
    mutating func keep(
        _ response: PasskeyRegistrationResponse, for use: PasskeyUse, of username: String, name: String,
        now: NumericDate
    ) -> Passkey? {
        guard let (clientData, site) = checked(response.clientData, .registration, for: use),
            let bytes = try? CBORReader.value(of: response.attestationObject).map?[.text("authData")]?.bytes,
            let data = try? AuthenticatorData(bytes),
            (try? data.check(site)) != nil, data.isUserVerified, let credential = data.credential,
            passkeys[credential.id] == nil, let id = try? PasskeyID(UUID().uuidString.lowercased())
        else { return nil }
        passkeyChallenges[clientData.challenge] = nil
        let passkey = Passkey(id: id, name: name, username: username, key: credential.key, createdAt: now)
        passkeys[credential.id] = passkey
        return passkey
    }

    /// The account whose passkey signed; nil if the response is not valid.
    mutating func person(provedBy response: PasskeyAssertionResponse, for challenge: CodeChallenge) -> String? {
        guard let (clientData, site) = checked(response.clientData, .assertion, for: .signIn(challenge)),
            let data = try? AuthenticatorData(response.authenticatorData), (try? data.check(site)) != nil,
            data.isUserVerified, let passkey = passkeys[response.id],
            response.userHandle == Array(passkey.username.utf8),
            passkey.key.isValid(
                response.signature, for: response.authenticatorData + Array(SHA256.hash(data: response.clientData)),
                rsaVerifier: { _ in nil })
        else { return nil }
        passkeyChallenges[clientData.challenge] = nil
        return passkey.username
    }

    /// The account of a request with a token.
    private mutating func holder(of request: HTTPRequest, now: NumericDate) throws -> String {
        let claims = try authorize(request, now: now)
        guard let found = people.first(where: { $0.value.subject == claims.subject }) else {
            throw OAuthError(.invalidToken)
        }
        return found.key
    }

    private func checked(
        _ json: [UInt8], _ ceremony: PasskeyClientData.Ceremony, for use: PasskeyUse
    ) -> (PasskeyClientData, PasskeyRelyingParty)? {
        guard let clientData = try? PasskeyClientData(json: json), passkeyChallenges[clientData.challenge] == use,
            let site = try? site, (try? clientData.check(ceremony, challenge: clientData.challenge, by: site)) != nil
        else { return nil }
        return (clientData, site)
    }

    private var site: PasskeyRelyingParty {
        get throws {
            guard let site = PasskeyRelyingParty(issuer: try Issuer(issuer)) else {
                throw OAuthError(.invalidRequest, "the issuer's host is no domain", errorCode: .badRequest)
            }
            return site
        }
    }

    private mutating func issueChallenge(for use: PasskeyUse) -> [UInt8] {
        let challenge = Array(Self.randomText().utf8)
        passkeyChallenges[challenge] = use
        return challenge
    }

    private func entry(of passkey: Passkey) -> AccountFactorList.Passkey {
        AccountFactorList.Passkey(id: passkey.id, name: passkey.name, createdAt: passkey.createdAt)
    }
}

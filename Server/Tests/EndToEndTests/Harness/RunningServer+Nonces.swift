import Foundation
import Testing

extension RunningServer {
    /// Has a login nonce issued, as a backend would.
    /// - Parameters:
    ///   - backend: a confidential client with the scope for it.
    ///   - person: whom it vouches for.
    ///   - app: the client that signs in.
    ///   - key: the thumbprint of the key that it is bound to.
    nonisolated func issueNonce(
        by backend: RegisteredClient, for person: Person, app: String, key: String? = nil
    ) async throws -> String {
        let web = WebClient(ledger: ledger)
        let basic = "Basic " + Data("\(backend.id):\(backend.secret ?? "")".utf8).base64EncodedString()
        let token = try await web.post(
            await url("/oauth2/token"), form: ["grant_type": "client_credentials"],
            headers: ["Authorization": basic])
        let access = try #require(token.members["access_token"], "\(token.text)")
        let binding = key.map { #","keyThumbprint":"\#($0)""# } ?? ""
        let answer = try await web.post(
            await url("/v1/login-nonces"),
            json: #"{"username":"\#(person.username)","clientId":"\#(app)"\#(binding)}"#,
            headers: ["Authorization": "Bearer \(access)"])
        let nonce = try #require(answer.members["nonce"], "\(answer.status) \(answer.text)")
        ledger.enter(nonce)
        // A minute is short where other commands run before it is used.
        try await write("UPDATE login_nonces SET expires_at = expires_at + 3600000")
        return nonce
    }
}

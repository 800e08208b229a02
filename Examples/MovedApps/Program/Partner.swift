import ArgumentParser
import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The partner's backend, which redeems the code and moves the money.
struct Partner: Sendable {
    let url: URL

    /// Sends the code and its verifier, and gets the access token.
    func accessToken(code: String, verifier: String, redirectURI: String) async throws -> String {
        var request = URLRequest(url: url.appendingPathComponent("codes"))
        request.httpMethod = "POST"
        request.httpBody = Data(
            JSONObject(strings: ["code": code, "codeVerifier": verifier, "redirectUri": redirectURI]).bytes)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, _) = try await URLSession.shared.data(for: request)
        guard let token = try JSONValue.object(parsing: Array(data)).string("accessToken") else {
            Dialogue.show("the partner's backend refused the code: \(String(decoding: data, as: UTF8.self))")
            throw ExitCode(1)
        }
        return token
    }

    /// The request of a transfer.
    var transfer: URLRequest {
        var request = URLRequest(url: url.appendingPathComponent("transfers"))
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }
}

import Foundation
import WalletAuth

/// The calls of the example backend, Examples/WalletBackend.
struct Backend {
    let wallet: Wallet
    let url: URL

    init(_ wallet: Wallet) throws {
        self.wallet = wallet
        url = try Servers.backend
    }

    /// The balance, as the person's locale writes it.
    func balance() async throws -> String {
        try await read(Balance.self, from: URLRequest(url: url.appending(path: "balance"))).balance.written
    }

    /// Adds a payee. Adding the same one again is harmless.
    func add(_ recipient: Recipient) async throws {
        let (data, response) = try await wallet.perform(request("payees", recipient))
        guard response.statusCode < 300 else { throw Refusal(response, data) }
    }

    /// The request of a transfer. Its key says that it is one transfer, however often it is sent.
    func transfer(_ amount: Money, to recipient: Recipient) throws -> URLRequest {
        var request = try request(
            "transfers", Transfer(to: recipient.name, account: recipient.account, amount: amount))
        request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        return request
    }

    private func request(_ path: String, _ body: some Encodable) throws -> URLRequest {
        var request = URLRequest(url: url.appending(path: path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }

    private func read<Answer: Decodable>(_ type: Answer.Type, from request: URLRequest) async throws -> Answer {
        let (data, response) = try await wallet.perform(request)
        guard response.statusCode == 200 else { throw Refusal(response, data) }
        return try JSONDecoder().decode(type, from: data)
    }
}

/// A payee, as the backend takes one.
struct Recipient: Encodable {
    static let duneBakery = Recipient(name: "Dune Bakery", account: "DE02120300000000202051")

    let name: String
    let account: String
}

private struct Balance: Decodable {
    let balance: Money
}

private struct Transfer: Encodable {
    let to: String
    let account: String
    let amount: Money
}

extension Money {
    /// The amount as the person's locale writes it.
    var written: String { decimal.formatted(.currency(code: currency.rawValue)) }
}

/// A backend's answer that is no success. Its problem (RFC 9457) has a title for people.
struct Refusal: Error {
    let text: String

    init(_ response: HTTPURLResponse, _ data: Data) {
        let problem = try? JSONDecoder().decode(Problem.self, from: data)
        text = problem?.title ?? "The backend answered with status \(response.statusCode)."
    }

    private struct Problem: Decodable {
        let title: String
    }
}

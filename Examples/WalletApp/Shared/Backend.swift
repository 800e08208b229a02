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

    /// The request of a payment. Its key says that it is one transfer, however often it is sent.
    func transfer(_ payment: Payment) throws -> URLRequest {
        let recipient = payment.recipient
        var request = try request(
            "transfers", Transfer(to: recipient.name, account: recipient.account, amount: payment.amount))
        request.setValue(payment.key, forHTTPHeaderField: "Idempotency-Key")
        return request
    }

    /// What the backend answered to a transfer.
    /// - Returns: the receipt.
    /// - Throws: `Refusal`.
    func receipt(_ data: Data, _ response: HTTPURLResponse) throws -> Receipt {
        guard response.statusCode == 201 else { throw Refusal(response, data) }
        return try JSONDecoder().decode(Receipt.self, from: data)
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
struct Recipient: Codable, Equatable {
    static let duneBakery = Recipient(name: "Dune Bakery", account: "DE02120300000000202051")

    let name: String
    let account: String
}

/// A payment that the person began. It is kept until its result is known, so that another tap, or another start of the app,
/// repeats it with its key instead of paying twice.
struct Payment: Codable {
    let key: String
    let amount: Money
    let recipient: Recipient
    private let begunAt: Date

    private static let name = "payment"
    /// How long the backend remembers a key.
    private static let lifetime: TimeInterval = 86_400

    /// The payment that was begun and not settled, or a new one.
    static func begun(_ amount: Money, to recipient: Recipient) throws -> Payment {
        if let kept, kept.amount == amount, kept.recipient == recipient { return kept }
        let payment = Payment(key: UUID().uuidString, amount: amount, recipient: recipient, begunAt: Date())
        UserDefaults.standard.set(try JSONEncoder().encode(payment), forKey: name)
        return payment
    }

    /// Forgets a payment whose result is known.
    static func settle(_ key: String?) {
        if kept?.key == key { UserDefaults.standard.removeObject(forKey: name) }
    }

    private static var kept: Payment? {
        guard let data = UserDefaults.standard.data(forKey: name),
            let payment = try? JSONDecoder().decode(Payment.self, from: data)
        else { return nil }
        return Date().timeIntervalSince(payment.begunAt) < lifetime ? payment : nil
    }
}

/// A transfer that was made.
struct Receipt: Decodable {
    let to: Recipient
    let amount: Money
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
    /// Whether a payment was not made, and will not be. Another answer asks to come back, or may be a gateway's.
    let isFinal: Bool

    init(_ response: HTTPURLResponse, _ data: Data) {
        // 409: an earlier attempt may still pay.
        isFinal = (400..<500).contains(response.statusCode) && ![401, 408, 409, 425, 429].contains(response.statusCode)
        let problem = try? JSONDecoder().decode(Problem.self, from: data)
        text = problem?.title ?? "The backend answered with status \(response.statusCode)."
    }

    private struct Problem: Decodable {
        let title: String
    }
}

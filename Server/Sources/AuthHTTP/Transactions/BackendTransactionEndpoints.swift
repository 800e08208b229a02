import AuthCore
import AuthFlows
import AuthTransactions
import HTTPTypes
import Hummingbird
import QRCodes
import WalletAuthWire

/// `/v1/transactions` for backends: created, waited for, listed, cancelled, drawn as QR codes.
struct BackendTransactionEndpoints: Sendable {
    let transactions: TransactionFlows
    let devices: DeviceTransactionEndpoints
    let answers: TransactionAnswers

    /// A backend's new transaction, or an app's signed draft: the draft tells them apart.
    @Sendable func create(_ request: EndpointRequest) async throws -> Response {
        let body = try request.json()
        if body["draft"] != nil {
            // The assertion says whose it is: the caller has no token to be asked for.
            do { return try await devices.store(body, request) } catch let fault as MalformedValue {
                return answers.malformed(fault, request)
            }
        }
        let call = try request.call()
        guard let key = try request.headers.single(.idempotencyKey) else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        let outcome = try await transactions.ofBackends.create(
            TransactionRequest(body), key: IdempotencyKey(key), call: call)
        return answers.response(to: outcome.map(\.json), call: call, request, .created)
    }

    @Sendable func show(_ request: EndpointRequest) async throws -> Response {
        let call = try request.call()
        let outcome = try await transactions.ofBackends.find(
            request.pathValue("transactionId"), wait: try request.wait(), call: call)
        return answers.response(to: outcome.map(\.json), call: call, request)
    }

    /// A backend's transactions, or the open ones of an app's device.
    @Sendable func list(_ request: EndpointRequest) async throws -> Response {
        let call = try request.call()
        let query = try TransactionQuery(request.query())
        let outcome = try await transactions.ofBackends.list(query, call: call)
        // An app's token is no backend's, which is found out before anything of it is used up.
        guard case .failure(.unauthorized(.invalidToken)) = outcome else {
            return answers.response(to: outcome.map(\.json), call: call, request)
        }
        let own = try await transactions.onDevices.open(after: query.cursor, call: call)
        return answers.response(to: own.map(\.json), call: call, request)
    }

    @Sendable func cancel(_ request: EndpointRequest) async throws -> Response {
        let call = try request.call()
        let outcome = try await transactions.ofBackends.cancel(request.pathValue("transactionId"), call: call)
        return answers.response(to: outcome, call: call, request) { Response(status: .noContent) }
    }

    @Sendable func evidence(_ request: EndpointRequest) async throws -> Response {
        let call = try request.call()
        let outcome = try await transactions.ofBackends.evidence(of: request.pathValue("transactionId"), call: call)
        return answers.response(to: outcome, call: call, request) { document in
            .bytes(type: TransactionEvidence.mediaType, Array(document.rawValue.utf8))
        }
    }

    @Sendable func svg(_ request: EndpointRequest) async throws -> Response {
        try await drawing(request, "image/svg+xml") { Array($0.svg.utf8) }
    }

    @Sendable func png(_ request: EndpointRequest) async throws -> Response {
        try await drawing(request, "image/png") { $0.png() }
    }

    private func drawing(
        _ request: EndpointRequest, _ type: String, _ draw: (QRCode) -> [UInt8]
    ) async throws -> Response {
        let call = try request.call()
        let outcome = try await transactions.ofBackends.link(of: request.pathValue("transactionId"), call: call)
        return answers.response(to: outcome, call: call, request) { link in
            guard let code = QRCode(link.reveal()) else { return Response(status: .internalServerError) }
            var response = Response.bytes(type: type, draw(code))
            response.headers[.cacheControl] = "no-store"
            return response
        }
    }
}

extension TransactionQuery {
    private static let names: Set = ["accountId", "state", "since", "cursor"]

    /// Reads the parameters of a URL.
    /// - Throws: `MalformedValue` for one that is malformed or not known.
    fileprivate init(_ parameters: FormParameters) throws {
        guard parameters.parameters.allSatisfy({ Self.names.contains($0.name) }) else {
            throw MalformedValue(
                field: "query", reason: "has a parameter other than accountId, state, since and cursor")
        }
        self.init()
        account = try parameters["accountId"].map { try AccountID($0) }
        cursor = try parameters["cursor"].map { try TransactionCursor($0) }
        if let names = parameters["state"] {
            for name in names.split(separator: ",") {
                guard let status = TransactionStatus(rawValue: String(name)) else {
                    let all = TransactionStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw MalformedValue(field: "state", reason: "is not one of \(all)")
                }
                statuses.insert(status)
            }
        }
        if let text = parameters["since"] {
            guard let seconds = Int64(text), let date = NumericDate(exactly: seconds) else {
                throw MalformedValue(field: "since", reason: "is not a date in seconds since 1970")
            }
            since = date
        }
    }
}

extension EndpointRequest {
    /// `wait`: the seconds to wait for a change, 0 to 30.
    fileprivate func wait() throws -> Duration {
        guard let text = try query()["wait"] else { return .zero }
        guard let seconds = Int64(text), (0...30).contains(seconds) else {
            throw MalformedValue(field: "wait", reason: "must be 0 to 30 seconds")
        }
        return .seconds(seconds)
    }
}

import HTTPTypes
import Kernel
import QRCodes
import SignIn
import WalletAuthWire
import Web

/// `/v1/transactions` for backends: create, wait, list, cancel, and draw QR codes.
struct BackendTransactionEndpoints: Sendable {
    let transactions: TransactionFlows
    let devices: DeviceTransactionEndpoints
    let answers: TransactionAnswers

    @Sendable func create(_ request: EndpointRequest, _ author: TransactionAuthor) async throws -> EndpointResponse {
        switch author {
        case .app(let draft): return try await devices.store(draft, request)
        case .backend(let call, let body):
            let key = try request.requiredIdempotencyKey()
            let outcome = try await transactions.ofBackends.create(TransactionRequest(body), key: key, call: call)
            return answers.response(to: outcome.map(\.json), request, .created)
        }
    }

    @Sendable func show(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await transactions.ofBackends.find(
            request.pathValue(), wait: try request.wait(), call: call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func list(_ request: EndpointRequest, _ reader: TransactionReader) async throws -> EndpointResponse {
        let query = try TransactionQuery(request.query())
        let page =
            switch reader {
            case .backend(let call): try await transactions.ofBackends.list(query, call: call).json
            case .app(let call): try await transactions.onDevices.open(after: query.cursor, call: call).json
            }
        return .bytes(type: "application/json", page.bytes)
    }

    @Sendable func cancel(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await transactions.ofBackends.cancel(request.pathValue(), call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func evidence(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        let outcome = try await transactions.ofBackends.evidence(of: request.pathValue(), call: call)
        return answers.response(to: outcome, request) { document in
            .bytes(type: TransactionEvidence.mediaType, Array(document.rawValue.utf8))
        }
    }

    @Sendable func svg(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        try await drawing(request, call, "image/svg+xml") { Array($0.svg.utf8) }
    }

    @Sendable func png(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        try await drawing(request, call, "image/png") { $0.png() }
    }

    private func drawing(
        _ request: EndpointRequest, _ call: BackendCaller, _ type: String, _ draw: (QRCode) -> [UInt8]
    ) async throws -> EndpointResponse {
        let outcome = try await transactions.ofBackends.link(of: request.pathValue(), call: call)
        return answers.response(to: outcome, request) { link in
            guard let code = QRCode(link.reveal()) else { return EndpointResponse(status: .internalServerError) }
            var response = EndpointResponse.bytes(type: type, draw(code))
            response.headers[.cacheControl] = "no-store"
            return response
        }
    }
}

/// The author of a new transaction.
enum TransactionAuthor: Sendable {
    /// A backend, with the body of its request.
    case backend(BackendCaller, JSONObject)
    /// An app, with its signed draft. The assertion in it identifies the account, so no token is required.
    case app(draft: JSONObject)
}

extension CallerRequirement where Admitted == TransactionAuthor {
    /// A backend, unless the body contains a draft.
    static var transactionAuthor: Self {
        Self(callers: [.backend(scope: BackendTransactions.scope), .provedByContent]) { request, callers in
            let body = Result { try request.json() }
            if let object = try? body.get(), object["draft"] != nil { return .app(draft: object) }
            let call = try await callers.backend(request.credentials(), scope: BackendTransactions.scope)
            return .backend(call, try body.get())
        }
    }
}

/// The reader of a list of transactions.
enum TransactionReader: Sendable {
    /// A backend. It sees its own transactions.
    case backend(BackendCaller)
    /// An app. It sees its device's open transactions.
    case app(AppCaller)
}

extension CallerRequirement where Admitted == TransactionReader {
    /// A backend or an app. An app's token fails the backend check before anything single-use in the call is consumed.
    static var transactionReader: Self {
        Self(callers: [.backend(scope: BackendTransactions.scope), .app]) { request, callers in
            let call = try request.credentials()
            do {
                return .backend(try await callers.backend(call, scope: BackendTransactions.scope))
            } catch OAuthRefusal.unusableToken(.ofPerson) {
                return .app(try await callers.app(call))
            }
        }
    }
}

extension TransactionQuery {
    fileprivate static let members: [WireObject.Member] = [
        .optional("accountId", .of(AccountID.self)), .optional("state", .text(nil)), .optional("since", .date),
        .optional("cursor", .text(nil)),
    ]

    /// Reads the query.
    /// - Throws: `MalformedValue` for an unknown or malformed parameter.
    fileprivate init(_ parameters: FormParameters) throws {
        try parameters.requireNoOthers(than: Self.members)
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
    /// In seconds.
    private static let waits: ClosedRange<Int64> = 0...30

    fileprivate static let waiting: [WireObject.Member] = [.optional("wait", .integer(waits))]

    /// `wait`: how many seconds to wait for a change, 0 to 30.
    /// - Throws: `MalformedValue` for another parameter, or for another number.
    fileprivate func wait() throws -> Duration {
        let parameters = try query()
        try parameters.requireNoOthers(than: Self.waiting)
        guard let text = parameters["wait"] else { return .zero }
        guard let seconds = Int64(text), Self.waits.contains(seconds) else {
            throw MalformedValue(field: "wait", reason: "must be 0 to 30 seconds")
        }
        return .seconds(seconds)
    }
}

extension BackendTransactionEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = { TransactionRefusal.all.map { .refusal($0, .unknown) } }
        return [
            Route(.get, Endpoints.transactions.path, .problem, by: .transactionReader, list).stating(
                .transactions, "listTransactions", "Lists a backend's transactions, or those open for a device"
            ) {
                Contract(
                    "A page of the list", query: TransactionQuery.members,
                    gives: .either([TransactionPage<TransactionReport>.shape, TransactionPage<DeviceTransaction>.shape])
                )
            },
            Route(.post, Endpoints.transactions.path, body: .json, .problem, by: .transactionAuthor, create).stating(
                .transactions, "createTransaction", "Creates a transaction to be signed, or signs one that an app began"
            ) {
                Contract(
                    "The transaction", takes: .either([TransactionRequest.shape, SignedDraft.shape]),
                    repeats: .requiredWith("\(TransactionRequest.self)"), .created,
                    gives: .either([TransactionCreated.shape, DeviceTransaction.shape]),
                    refuses: refusals() + PINRefusal.all.map { answers.pins.answer(to: $0, .unknown) })
            },
            Route(.get, Endpoints.transaction.path, .problem, by: .backend(BackendTransactions.scope), show).stating(
                .transactions, "getTransaction", "Shows a transaction, and waits for a change if asked to"
            ) {
                Contract(
                    "The transaction with its present status", query: EndpointRequest.waiting,
                    gives: TransactionReport.shape, refuses: refusals())
            },
            Route(.delete, Endpoints.transaction.path, .problem, by: .backend(BackendTransactions.scope), cancel)
                .stating(.transactions, "cancelTransaction", "Cancels a transaction that was not signed") {
                    Contract("It is cancelled, or had ended", .noContent, refuses: refusals())
                },
            Route(
                .get, Endpoints.transactionEvidence.path, .problem, gives: TransactionEvidence.mediaType,
                by: .backend(BackendTransactions.scope), evidence
            ).stating(.transactions, "getTransactionEvidence", "Returns the signed proof of a transaction") {
                Contract("A JWS, to be kept byte for byte", refuses: refusals())
            },
            Route(
                .get, Endpoints.transactionQRCodeSVG.path, .problem, gives: "image/svg+xml",
                by: .backend(BackendTransactions.scope), svg
            ).stating(.transactions, "getTransactionQRCodeSVG", "Draws the QR code of a transaction as SVG") {
                Contract("The picture", refuses: refusals())
            },
            Route(
                .get, Endpoints.transactionQRCodePNG.path, .problem, gives: "image/png",
                by: .backend(BackendTransactions.scope), png
            ).stating(.transactions, "getTransactionQRCodePNG", "Draws the QR code of a transaction as PNG") {
                Contract("The picture", refuses: refusals())
            },
        ]
    }
}

internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import WalletAuthWire
package import Web

/// `POST /v1/account/export`, and the same from the account's page: the holder gets what `account export` gives an operator, with their activity in sentences in place of the
/// audit log's entries.
///
/// It takes a fresh sign-in, is recorded, and the holder is notified. One answer holds at most ``mostRecords`` of a kind and
/// ``mostBytes``; for more, people ask the operator, whose command has no limit.
struct OwnExport: Sendable {
    let account: OwnAccount
    let export: AccountExport
    let answers: OwnAccountAnswers
    let accountPages: AccountPages
    let authorize: AuthorizeEndpoint

    /// Records of one kind, such as operations.
    static let mostRecords = 10_000
    static let mostBytes = 32 << 20

    @Sendable func send(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        if let refusal = try await account.beginExport(call: call) {
            return answers.answer(to: refusal, request.context)
        }
        guard let bytes = try await document(of: call.account, now: call.now) else {
            return answers.answer(to: .exportTooLarge, request.context)
        }
        return .bytes(type: "application/json", bytes)
    }

    /// The form of the page: a file, or the page that says why there is none.
    @Sendable func download(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<Void>
        do { submission = try PageSubmission(request.form(), action: ()) } catch {
            return authorize.malformed(error, request)
        }
        let outcome = try await accountPages.export(
            submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin,
            document: document)
        switch outcome {
        case .page(let answer): return authorize.respond(with: answer, request)
        case .document(let bytes):
            var response = EndpointResponse.bytes(type: "application/json", bytes)
            response.headers[.contentDisposition] = "attachment; filename=\"account.json\""
            response.headers[.cacheControl] = "no-store"
            return response
        }
    }

    /// - Returns: `nil` if it would be too large.
    @Sendable private func document(of holder: AccountRecord, now: Timestamp) async throws -> [UInt8]? {
        do {
            let document = try await export.document(of: holder, now: now, limit: Self.mostRecords) {
                .array(account.sentences(of: holder, events: $0).map { .object($0.json.exported(timesIn: .seconds)) })
            }
            let bytes = document.bytes
            return bytes.count <= Self.mostBytes ? bytes : nil
        } catch is AccountExport.TooLarge {
            return nil
        }
    }

    var routes: [Route] {
        [
            route,
            Route(.post, Endpoints.accountExportPage.path, body: .form, .page, download).stating(
                .pages, "downloadAccount", "What the download button of the account page sends"),
        ]
    }

    private var route: Route {
        let refusals = OwnAccountRefusal.ofFreshCall + [.exportTooLarge]
        return Route(.post, Endpoints.accountExport.path, .problem, by: .app, send).stating(
            .account, "exportAccount", "Everything that is stored about the person, as one document"
        ) {
            Contract(
                "The document. Its members may grow", gives: .anything,
                refuses: refusals.map { answers.answer(to: $0, RequestFacts()) })
        }
    }
}

/// What operations add to the server for the apps of holders.
package enum OperationsFeature {
    package static func routes(_ edge: Edge, _ server: AuthorizationServer) -> [Route] {
        let export = OwnExport(
            account: server.signIn.ownAccount, export: AccountExport(server.administration),
            answers: OwnAccountAnswers(edge), accountPages: server.signIn.accountPages,
            authorize: AuthorizeEndpoint(edge, server.signIn.authorization))
        return export.routes
    }
}

internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
package import Web

/// `POST /v1/account/export`: the holder gets what `account export` gives an operator, with their activity in sentences in place of the
/// audit log's entries.
///
/// It takes a fresh sign-in, is recorded, and the holder is notified. One answer holds at most ``mostRecords`` of a kind and
/// ``mostBytes``; for more, people ask the operator, whose command has no limit.
struct OwnExport: Sendable {
    let account: OwnAccount
    let export: AccountExport
    let auditLog: AuditLog
    let answers: OwnAccountAnswers

    /// Records of one kind, such as operations.
    static let mostRecords = 10_000
    static let mostBytes = 32 << 20

    @Sendable func send(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        if let refusal = try await account.beginExport(call: call, in: auditLog) {
            return answers.answer(to: refusal, request.context)
        }
        do {
            let document = try await export.document(of: call.account, now: call.now, limit: Self.mostRecords) {
                .array(account.sentences(of: call.account, events: $0).map { .object($0.json) })
            }
            let bytes = document.bytes
            guard bytes.count <= Self.mostBytes else { throw AccountExport.TooLarge() }
            return .bytes(type: "application/json", bytes)
        } catch is AccountExport.TooLarge {
            return answers.answer(to: .exportTooLarge, request.context)
        }
    }

    var route: Route {
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
            auditLog: server.context.auditLog, answers: OwnAccountAnswers(edge))
        return [export.route]
    }
}

internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

struct OperatorPending: AdminCommand {
    static let title = "operator pending"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "List the calls over HTTP that wait for a second operator."
    static let discussion = "Another operator carries one out by making the same call, with the same members."

    var effect: CommandEffect { .reads }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        let now = operators.clock.now()
        let requests = try await operators.database.everyPage { after, limit, connection in
            try OperatorRequests.list(after: after?.id, now: now, limit: limit, on: connection)
        }
        let rows = requests.map { request -> AdministrationAnswer.Row in
            var json = JSONObject(strings: ["id": request.id.uuid, "command": request.command])
            json.set("operator", request.account.uuid)
            json.set("about", request.about?.uuid)
            json.set("expiresAt", request.expiresAt.text)
            return (
                [request.command, request.account.uuid, request.about?.uuid ?? "", request.expiresAt.text], json
            )
        }
        return .list(
            "pending", columns: ["COMMAND", "OPERATOR", "ABOUT", "UNTIL"], rows, empty: "No call waits.")
    }
}

package import WalletAuthWire

package struct AdministrationAnswer: Codable, Sendable, Hashable {
    package enum Status: String, Codable, Sendable {
        /// Exit code 0.
        case done
        /// Exit code 1; ``AdministrationAnswer/lines`` gives the reason in one line.
        case refused
    }

    package var status: Status
    /// For people: on standard output if done, on standard error if refused.
    package var lines: [String]
    /// The same as one JSON document, for `--json`.
    package var json: String
    /// Why a role does not allow it, for the console's own words; `nil` for any other answer.
    var decision: OperatorDecision?
}

extension AdministrationAnswer {
    /// ``json``, parsed. The program wrote it itself, so no length is too long.
    package func document() throws(MalformedValue) -> JSONObject {
        try JSONValue.object(parsing: Array(json.utf8), limits: JSONLimits(bytes: json.utf8.count))
    }

    /// The refusal, if the command was refused. A report with faults is no refusal.
    package var refusal: AdministrationRefusal? {
        guard status == .refused, let error = (try? document())?["error"]?.object,
            let code = error["code"]?.string, let message = error["message"]?.string
        else { return nil }
        var refusal = AdministrationRefusal(message, hint: error["hint"]?.string, code: code)
        refusal.decision = decision
        return refusal
    }

    package static func done(_ lines: [String], _ json: JSONObject) -> AdministrationAnswer {
        AdministrationAnswer(status: .done, lines: lines, json: JSONValue.object(json).text)
    }

    package static func done(_ line: String, _ json: JSONObject = JSONObject()) -> AdministrationAnswer {
        .done([line], json)
    }

    /// One row of a list, for people and as JSON.
    package typealias Row = (cells: [String], json: JSONObject)

    /// A list in columns, with a line of headings; in JSON, one object for each row.
    /// - Parameters:
    ///   - members: of the JSON document, after the list.
    ///   - remarks: the lines after the list.
    package static func list(
        _ name: String, columns: [String], _ rows: [Row], empty: String, with members: JSONObject = JSONObject(),
        then remarks: [String] = []
    ) -> AdministrationAnswer {
        var json = JSONObject()
        json[name] = .array(rows.map { .object($0.json) })
        for member in members.members { json[member.name] = member.value }
        let lines = rows.isEmpty ? [empty] : aligned([columns] + rows.map(\.cells))
        return .done(lines + remarks, json)
    }

    /// Each column is as wide as its widest cell, except the last.
    private static func aligned(_ table: [[String]]) -> [String] {
        let widths = table.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return table.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }

    /// One item in full: a line for each fact, with names aligned, then remarks.
    package static func facts(
        _ facts: [(name: String, value: String)], _ json: JSONObject, then remarks: [String] = []
    ) -> AdministrationAnswer {
        let width = facts.map(\.name.count).max() ?? 0
        let lines = facts.map { fact in
            fact.name + String(repeating: " ", count: width - fact.name.count + 2) + fact.value
        }
        return .done(lines + remarks, json)
    }

    package static func refused(_ refusal: AdministrationRefusal) -> AdministrationAnswer {
        var error = JSONObject()
        error.set("code", refusal.code)
        error.set("message", refusal.message)
        error.set("hint", refusal.hint)
        var json = JSONObject()
        json["error"] = .object(error)
        return AdministrationAnswer(
            status: .refused, lines: [refusal.line], json: JSONValue.object(json).text, decision: refusal.decision)
    }
}

package import Operations
package import WalletAuthWire

extension TestServer {
    /// Sends a batch of an import as the program does, with the numbers of the lines from 1.
    /// - Parameter coming: of a dry run: what earlier batches would have made.
    package func importBatch(
        _ lines: [JSONObject], run: String = "a", source: String = "file", coming: [String] = [], _ options: [String]
    ) async -> AdministrationAnswer {
        let input = lines.enumerated().map { number, content in
            var line = JSONObject()
            line.set("line", Int64(number + 1))
            line["account"] = .object(content)
            if !coming.isEmpty { line.set("coming", coming) }
            return JSONValue.object(line).text
        }
        let words = ["account", "import-batch", "--source", source, "--run", run] + options
        return await flows.administration.execute(AdminRequest(words, input: input.joined(separator: "\n")))
    }
}

extension AdministrationAnswer {
    /// Accounts made, lines passed over, faults.
    package func importCounts() throws -> [Int64?] {
        let document = try document()
        return [
            document["created"]?.integer, document["present"]?.integer, Int64(document["faults"]?.array?.count ?? -1),
        ]
    }

    package func importFaults() throws -> [String] {
        try document()["faults"]?.array?.compactMap { $0.object?["reason"]?.string } ?? []
    }
}

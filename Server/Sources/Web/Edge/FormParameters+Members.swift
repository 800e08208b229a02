package import WalletAuthWire

extension FormParameters {
    /// - Throws: `MalformedValue` for a parameter that is not among the members.
    package func requireNoOthers(than members: [WireObject.Member]) throws(MalformedValue) {
        let known = members.map(\.name)
        guard let other = parameters.first(where: { !known.contains($0.name) })?.name else { return }
        // Any other name could deceive the reader.
        let isPlain = other.utf8.count <= 64 && other.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        throw MalformedValue(
            field: isPlain ? other : "query",
            reason:
                "\(isPlain ? "is not a parameter" : "has an unknown parameter"); known: \(known.joined(separator: ", "))"
        )
    }
}

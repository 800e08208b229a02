package import WalletAuthWire

extension OperationEvidenceClaims.Circumstances {
    /// How much of a `User-Agent` is kept: a document has room for as many steps as there can be with so much in each.
    static let keptUserAgentBytes = 256

    /// The part of a request's origin that evidence keeps.
    package init(_ origin: RequestOrigin) {
        self.init(
            address: origin.address, userAgent: origin.userAgent.map { Self.beginning(of: $0) },
            traceID: origin.traceID)
    }

    /// What is kept of a `User-Agent`: whole characters, and none that JSON writes as six.
    private static func beginning(of agent: String) -> String {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in agent.unicodeScalars where scalar.properties.generalCategory != .control {
            length += scalar.utf8.count
            guard length <= keptUserAgentBytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}

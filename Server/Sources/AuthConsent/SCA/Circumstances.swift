package import AuthFoundation
package import WalletAuthWire

extension OperationEvidenceClaims.Circumstances {
    /// The number of bytes kept of a `User-Agent`, so that a document has room for the maximum number of steps.
    static let keptUserAgentBytes = 256

    /// The part of a request's origin that evidence keeps.
    package init(_ origin: RequestOrigin) {
        self.init(
            address: origin.address, userAgent: origin.userAgent.map { Self.beginning(of: $0) },
            traceID: origin.traceID)
    }

    /// The kept part of a `User-Agent`: whole characters, without those that JSON writes as six.
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

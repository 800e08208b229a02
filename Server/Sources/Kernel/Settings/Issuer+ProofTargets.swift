internal import WalletAuthWire

extension Issuer {
    /// The targets that DPoP proofs for the endpoints must name, by path.
    var proofTargets: [String: HTTPTarget] {
        Endpoints.all.reduce(into: [:]) { targets, endpoint in
            targets[endpoint.path] = try? HTTPTarget(url(path: endpoint.path))
        }
    }
}

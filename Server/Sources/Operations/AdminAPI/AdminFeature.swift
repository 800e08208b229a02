internal import Kernel
package import Web

/// The administration over HTTP, if it is configured.
package enum AdminFeature {
    /// - Parameter server: with the flows of targets above, whose commands are offered as well.
    /// - Throws: an error if the options of a command cannot be described.
    package static func routes(_ edge: Edge, _ server: AuthorizationServer) throws -> [Route] {
        guard server.context.settings.adminAPI else { return [] }
        return try AdminEndpoints(administration: server.administration, faults: edge.faults).routes
    }
}

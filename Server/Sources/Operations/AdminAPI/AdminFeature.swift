internal import Kernel
internal import SignIn
package import Web

/// The administration over HTTP and the operators' console, as far as they are configured.
package enum AdminFeature {
    package static let pages: [any PageValues.Type] = [ConsoleValues.self]
    package static let pieces = ConsoleValues.pieces

    /// - Parameter server: with the flows of targets above, whose commands are offered as well.
    /// - Throws: an error if the options of a command cannot be described.
    package static func routes(_ edge: Edge, _ server: AuthorizationServer) throws -> [Route] {
        let settings = server.context.settings
        // A caller's calls are counted together, wherever they come from.
        let calls = AdminCalls(administration: server.administration)
        var routes: [Route] = []
        if settings.adminAPI { routes += try AdminEndpoints(calls: calls, faults: edge.faults).routes }
        if settings.adminConsole {
            routes += try ConsoleEndpoints(
                calls: calls, accountPages: server.signIn.accountPages,
                authorize: AuthorizeEndpoint(edge, server.signIn.authorization)
            ).routes
        }
        return routes
    }
}

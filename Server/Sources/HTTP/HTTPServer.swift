import HTTPTypes
package import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
internal import Kernel
package import Logging
import NIOCore
import Operations
import ServiceLifecycle
internal import SignIn
import WalletAuthWire
internal import Web

/// The server over HTTP/1.1 and, with TLS, HTTP/2.
package enum HTTPServer {
    /// Builds the server. Run it in a `ServiceGroup`: a graceful shutdown stops accepting connections and finishes
    /// requests in progress.
    /// - Parameters:
    ///   - drain: begun by the caller some time before the shutdown, for proxies that check `/health/ready`.
    ///   - logger: gets one line per request and every failure, but never a query, a body or a secret.
    ///   - onReady: called with the bound port once connections are accepted.
    /// - Throws: the error of a broken page template or of unusable TLS files.
    package static func make(
        features: Features, configuration: HTTPConfiguration, drain: Drain = Drain(), logger: Logger,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let responder = try makeResponder(
            features: features, configuration: configuration, drain: drain, logger: logger)
        // Behind a proxy, clients meet the proxy's certificate.
        let host = configuration.trustedProxies.isEmpty ? features.server.context.settings.issuer.host : nil
        let certificates = try configuration.tls.map {
            try CertificateFiles(files: $0, host: host, interval: configuration.tlsReloadInterval, logger: logger)
        }
        return Application(
            responder: responder,
            server: try listener(configuration, certificates, drain),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.address.host, port: configuration.address.port),
                backlog: 1024,
                availableConnectionsDelegate: .maximum(configuration.limits.maxConnections, logger: logger)),
            services: certificates.map { [$0] } ?? [],
            onServerRunning: { channel in
                await onReady(channel.localAddress?.port ?? configuration.address.port)
            },
            logger: logger)
    }

    /// Builds the middleware in its order and the route table. Each path also answers methods it does not have.
    private static func makeResponder(
        features: Features, configuration: HTTPConfiguration, drain: Drain, logger: Logger
    ) throws -> IssuerPath<RouterResponder<ServerRequestContext>> {
        let server = features.server
        let issuer = server.context.settings.issuer
        let environment = server.context.settings.environment
        let edge = Edge(
            pages: Pages(
                issuer: issuer, templates: try Features.templates(),
                outbox: environment == .sandbox ? PageEndpoints.outboxPath : nil),
            proofs: server.context.proofs, environment: environment, logger: logger)
        let faults = edge.faults
        let served = try routes(features, edge, drain)
        let metrics = RequestMetrics(
            routes: (served.map { ($0.method, $0.path) } + [(.get, MetricsEndpoint.path)]).map {
                RequestMetrics.RouteLabel(method: $0.0.rawValue, template: $0.1)
            })
        let table =
            served + features.sandboxRoutes(edge) + [
                Route(
                    .get, MetricsEndpoint.path, .plain,
                    MetricsEndpoint(
                        metrics: metrics, access: configuration.metrics, server: server,
                        hosts: LocalHosts(issuer: issuer)
                    ).get)
            ]

        let router = Router(context: ServerRequestContext.self)
        router.add(
            middleware: Observation(
                clients: ClientAddress(
                    trustedProxies: configuration.trustedProxies,
                    endsTLSElsewhere: configuration.tls == nil && !issuer.isInsecure),
                metrics: metrics, logger: logger))
        router.add(middleware: ContentlessAnswers())
        router.add(middleware: SecurityHeaders(strictTransport: !issuer.isInsecure))
        router.add(middleware: Faults(answers: faults))
        router.add(middleware: ExactPaths())
        let limits = RequestLimits(maxBodyBytes: configuration.limits.maxBodyBytes, requiresTLS: !issuer.isInsecure)
        let answers = CallerAnswers(faults: faults, pins: PINAnswers(edge))
        add(table, to: router) { route in
            RouteResponder(
                route: route, limits: limits, callers: server.callers, answers: answers,
                clocks: server.context.clocks, faults: faults)
        } otherwise: { methods, route in
            OtherMethodResponder(
                methods: methods, errorFormat: route.errorFormat, origins: route.origins, faults: faults)
        }
        return IssuerPath(issuer, paths: table.map(\.path), base: router.buildResponder())
    }

    /// Every route except the one of the metrics, which counts the requests of the others.
    static func routes(_ features: Features, _ edge: Edge, _ drain: Drain = Drain()) throws -> [Route] {
        let server = features.server
        let described =
            try MetadataEndpoints(discovery: server.discovery, issuer: edge.pages.issuer).routes
            + features.routes(edge)
            + HealthEndpoints(clocks: server.context.clocks, writes: server.context.writes, drain: drain).routes
            + PageEndpoints(
                pages: edge.pages, messages: server.messages, hosts: LocalHosts(issuer: edge.pages.issuer)
            ).routes
        return described + OpenAPIEndpoint(document: OpenAPIDocument(of: described, edge)).routes
    }

    private static func add(
        _ table: [Route], to router: Router<ServerRequestContext>, _ responder: (Route) -> RouteResponder,
        otherwise other: ([HTTPRequest.Method], Route) -> OtherMethodResponder
    ) {
        for (path, routes) in Dictionary(grouping: table, by: \.path) {
            var methods: [HTTPRequest.Method] = []
            for route in routes {
                let responder = responder(route)
                router.on(RouterPath(path), method: route.method, responder: responder)
                methods.append(route.method)
                guard route.method == .get else { continue }
                router.on(RouterPath(path), method: .head, responder: responder)
                methods.append(.head)
            }
            guard let first = routes.first else { continue }
            let other = other(methods, first)
            for method in Route.knownMethods where !methods.contains(method) {
                router.on(RouterPath(path), method: method, responder: other)
            }
        }
    }

    private static func listener(
        _ configuration: HTTPConfiguration, _ certificates: CertificateFiles?, _ drain: Drain
    ) throws -> HTTPServerBuilder {
        let limits = configuration.limits
        let quota = PeerQuota(limit: limits.maxConnectionsPerPeer, unlimited: configuration.trustedProxies)
        let idleTimeout = TimeAmount(limits.idleTimeout)
        let stream = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                HTTP1Handlers(maxBodyBytes: limits.maxBodyBytes),
                HeadTextGuard(),
                ConnectionGuard(
                    deadline: TimeAmount(limits.bodyDeadline), maxBodyBytes: max(1 << 20, limits.maxBodyBytes * 4),
                    drain: drain),
            ],
            idleTimeout: idleTimeout,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.maxHeaderBytes, maxHeaderListSize: limits.maxHeaderBytes,
                maxHeaderFieldCount: limits.maxHeaderFields))
        guard let certificates else {
            return HTTPServerBuilder { responder in
                let connection = HTTP1Channel(responder: responder, configuration: stream)
                return LimitedListener(
                    base: EventLoopListener(base: connection), quota: quota, idleTimeout: idleTimeout)
            }
        }
        let tls = certificates.configuration()
        return HTTPServerBuilder { responder in
            let upgrade = try HTTP2UpgradeChannel(
                tlsConfiguration: tls,
                configuration: HTTP2ChannelConfiguration(
                    idleTimeout: limits.idleTimeout, gracefulCloseTimeout: .seconds(8), streamConfiguration: stream),
                responder: responder)
            return LimitedListener(
                base: TLSListener(base: upgrade, handshakeDeadline: TimeAmount(limits.handshakeDeadline)), quota: quota,
                idleTimeout: idleTimeout)
        }
    }
}

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

/// The server over HTTP/1.1 and, with TLS, HTTP/2, at one or more listeners.
package struct HTTPServer: Sendable {
    private let configuration: HTTPConfiguration
    private let drain: Drain
    private let logger: Logger
    private let server: AuthorizationServer
    private let edge: Edge
    /// What each listener answers.
    private let tables: [Listener: [Route]]
    private let metrics: RequestMetrics
    private let certificates: CertificateFiles?

    /// - Parameter drain: begun by the caller some time before the shutdown, for proxies that check `/health/ready`.
    /// - Throws: the error of a broken page template or of unusable TLS files.
    package init(
        features: Features, configuration: HTTPConfiguration, drain: Drain = Drain(), logger: Logger
    ) throws {
        self.configuration = configuration
        self.drain = drain
        self.logger = logger
        server = features.server
        let issuer = server.context.settings.issuer
        let environment = server.context.settings.environment
        edge = Edge(
            pages: Pages(
                issuer: issuer, templates: try Features.templates(),
                outbox: environment == .sandbox ? PageEndpoints.outboxPath : nil),
            proofs: server.context.proofs, environment: environment, logger: logger)
        // Behind a proxy, clients meet the proxy's certificate.
        let own = Set([issuer.host, server.context.settings.administration.host])
        let hosts = configuration.trustedProxies.isEmpty ? own.sorted() : []
        certificates = try configuration.tls.map {
            try CertificateFiles(files: $0, hosts: hosts, interval: configuration.tlsReloadInterval, logger: logger)
        }
        var tables = try Self.tables(features, edge, configuration, drain)
        metrics = RequestMetrics(
            routes: (tables.values.joined().map { ($0.method, $0.path) } + [(.get, MetricsEndpoint.path)]).map {
                RequestMetrics.RouteLabel(method: $0.0.rawValue, template: $0.1)
            })
        tables[.everyone]? += features.sandboxRoutes(edge)
        let hasOwnMetrics = configuration.metricsListener != nil
        let endpoint = MetricsEndpoint(
            metrics: metrics, access: configuration.metricsAccess, server: server,
            hosts: LocalHosts(issuer: issuer))
        tables[hasOwnMetrics ? .metrics : .everyone, default: []]
            .append(Route(.get, MetricsEndpoint.path, .plain, endpoint.get))
        self.tables = tables
    }

    /// The listeners that are configured.
    package var listeners: [Listener] { Listener.allCases.filter { configuration.address(of: $0) != nil } }

    /// Builds one of the listeners. Run it in a `ServiceGroup`: a graceful shutdown stops accepting connections and finishes
    /// requests in progress.
    /// - Parameters:
    ///   - listener: one of ``listeners``.
    ///   - onReady: called with the bound port once connections are accepted.
    package func application(
        _ listener: Listener = .everyone, onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let address = configuration.address(of: listener) ?? configuration.address
        // One of them reloads the files for all.
        var services: [any Service] = []
        if listener == .everyone, let certificates { services.append(certificates) }
        return Application(
            responder: responder(tables[listener] ?? []),
            server: try Self.builder(configuration, certificates, drain),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                backlog: 1024,
                availableConnectionsDelegate: .maximum(configuration.limits.maxConnections, logger: logger)),
            services: services,
            onServerRunning: { channel in
                await onReady(channel.localAddress?.port ?? address.port)
            },
            logger: logger)
    }

    /// The middleware in its order and a route table. Each path also answers methods it does not have.
    private func responder(_ table: [Route]) -> IssuerPath<RouterResponder<ServerRequestContext>> {
        let issuer = edge.pages.issuer
        let faults = edge.faults
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
        Self.add(table, to: router) { route in
            RouteResponder(
                route: route, limits: limits, callers: server.callers, answers: answers,
                clocks: server.context.clocks, faults: faults)
        } otherwise: { methods, route in
            OtherMethodResponder(
                methods: methods, errorFormat: route.errorFormat, origins: route.origins, faults: faults)
        }
        return IssuerPath(issuer, paths: table.map(\.path), base: router.buildResponder())
    }

    /// Every route except the one of the metrics, which counts the requests of the others, if all have one listener.
    static func routes(_ features: Features, _ edge: Edge) throws -> [Route] {
        let configuration = HTTPConfiguration(address: ListenAddress(host: "127.0.0.1", port: 0))
        return try tables(features, edge, configuration, Drain())[.everyone] ?? []
    }

    /// The routes of the listeners, without those of the sandbox and the metrics.
    private static func tables(
        _ features: Features, _ edge: Edge, _ configuration: HTTPConfiguration, _ drain: Drain
    ) throws -> [Listener: [Route]] {
        let server = features.server
        let issuer = edge.pages.issuer
        let health = HealthEndpoints(
            clocks: server.context.clocks, writes: server.context.writes, drain: drain
        ).routes
        let files = PageEndpoints(pages: edge.pages, messages: server.messages, hosts: LocalHosts(issuer: issuer))
        let own = try features.operatorRoutes(edge)
        let (signIn, hasOwn) = (features.routes(edge), configuration.operators != nil)
        let described =
            MetadataEndpoints(discovery: server.discovery, issuer: issuer).routes + signIn
            + (hasOwn ? [] : own) + health + files.routes
        let document = OpenAPIDocument(of: described, at: issuer, edge)
        var tables = [Listener.everyone: described + OpenAPIEndpoint(document: document).routes]
        if hasOwn {
            let base = server.context.settings.administration
            // Its link has the issuer's host, and a proxy may lead all of `/admin` to this listener.
            let welcome = signIn.filter { $0.path == Endpoints.operatorWelcomePage.path }
            let document = OpenAPIDocument(of: own + health, at: base, edge)
            tables[.operators] =
                own + welcome + health + files.assets + OpenAPIEndpoint(document: document).routes
        }
        return tables
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

    private static func builder(
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

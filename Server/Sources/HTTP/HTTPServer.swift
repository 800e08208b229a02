import Apple
import AppleStandIn
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
internal import Kernel
package import Logging
import Loyalty
import NIOCore
package import Operations
import ServiceLifecycle
import Transactions
import WalletAuthWire

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
        server: AuthorizationServer, configuration: HTTPConfiguration, drain: Drain = Drain(), logger: Logger,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let responder = try makeResponder(server: server, configuration: configuration, drain: drain, logger: logger)
        let certificates = try configuration.tls.map {
            try CertificateFiles(files: $0, interval: configuration.tlsReloadInterval, logger: logger)
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
        server: AuthorizationServer, configuration: HTTPConfiguration, drain: Drain, logger: Logger
    ) throws -> IssuerPath<RouterResponder<ServerRequestContext>> {
        let issuer = server.context.settings.issuer
        let pages = try Pages(issuer: issuer)
        let faults = FaultAnswers(pages: pages, logger: logger)
        let routes = makeRoutes(server: server, pages: pages, faults: faults, drain: drain)
        let metrics = RequestMetrics(
            routes: (routes.table.map { ($0.method, $0.path) } + [(.get, MetricsEndpoint.path)]).map {
                RequestMetrics.RouteLabel(method: $0.0.rawValue, template: $0.1)
            })
        let table =
            routes.table + makeSandboxRoutes(server: server, pages: pages) + [
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
        let devices = DeviceAnswers(faults: faults)
        let callers = CallerAnswers(
            server: server, pins: PINAnswers(server: server, devices: devices, faults: faults))
        add(table, to: router, faults, callers, limits)
        return IssuerPath(issuer, paths: table.map(\.path), base: router.buildResponder())
    }

    /// Creates every endpoint, once.
    static func makeRoutes(
        server: AuthorizationServer, pages: Pages, faults: FaultAnswers, drain: Drain = Drain()
    ) -> Routes {
        let authorize = AuthorizeEndpoint(
            server: server, pages: pages, cookies: CookieJar(issuer: server.context.settings.issuer))
        let devices = DeviceAnswers(faults: faults)
        let factors = AccountFactorAnswers(faults: faults)
        let transactions = TransactionFlows(context: server.context)
        let transactionAnswers = TransactionAnswers(
            server: server, pins: PINAnswers(server: server, devices: devices, faults: faults))
        let deviceTransactions = DeviceTransactionEndpoints(transactions: transactions, answers: transactionAnswers)
        return Routes(
            issuer: server.context.settings.issuer,
            metadata: MetadataEndpoints(server: server),
            authorize: authorize,
            authenticationDetails: AuthenticationDetailsEndpoint(server: server, faults: faults),
            authorizeChallenge: AuthorizeChallengeEndpoint(server: server),
            accountCreation: AccountCreationEndpoint(server: server),
            appleNotifications: AppleNotificationEndpoint(
                notifications: AppleFlows(context: server.context).notifications, faults: faults),
            loginNonces: LoginNonceEndpoint(server: server, faults: faults),
            token: TokenEndpoint(server: server),
            revocation: RevocationEndpoint(server: server),
            introspection: IntrospectionEndpoint(server: server),
            userInfo: UserInfoEndpoint(server: server),
            devices: DeviceEndpoints(server: server, answers: devices),
            factors: AccountFactorEndpoints(server: server, answers: factors),
            identities: AccountIdentityEndpoints(server: server, answers: factors),
            providerReturn: ProviderReturnEndpoint(server: server, authorize: authorize),
            accountPage: AccountPageEndpoint(server: server, authorize: authorize),
            pins: PINEndpoints(server: server, transactions: transactions, devices: devices, faults: faults),
            deviceTokens: DeviceTokenEndpoints(server: server, devices: devices),
            walletOperations: WalletOperationEndpoints(server: server, faults: faults),
            scaEvents: SCAEventEndpoints(server: server, faults: faults),
            consentPage: ConsentPageEndpoint(server: server, authorize: authorize),
            loyalty: LoyaltyEndpoints(
                loyalty: LoyaltyFlows(context: server.context),
                isSandbox: server.context.settings.environment == .sandbox),
            transactions: BackendTransactionEndpoints(
                transactions: transactions, devices: deviceTransactions, answers: transactionAnswers),
            transactionPage: TransactionPageEndpoint(pages: pages),
            deviceTransactions: deviceTransactions,
            health: HealthEndpoints(server: server, drain: drain),
            pages: PageEndpoints(
                pages: pages, server: server, hosts: LocalHosts(issuer: server.context.settings.issuer)))
    }

    /// The routes of the stand-in for Apple. In production there are none, whatever the configuration.
    private static func makeSandboxRoutes(server: AuthorizationServer, pages: Pages) -> [Route] {
        let context = server.context
        guard context.settings.environment == .sandbox else { return [] }
        let issuer = context.settings.issuer
        let standIn = AppleStandIn(
            base: issuer.url(path: AppleStandInEndpoints.root), clock: context.clock, random: context.random)
        return AppleStandInEndpoints(
            standIn: standIn, server: server, pages: pages, hosts: LocalHosts(issuer: issuer)
        ).routes
    }

    private static func add(
        _ table: [Route], to router: Router<ServerRequestContext>, _ faults: FaultAnswers, _ callers: CallerAnswers,
        _ limits: RequestLimits
    ) {
        for (path, routes) in Dictionary(grouping: table, by: \.path) {
            var methods: [HTTPRequest.Method] = []
            for route in routes {
                let responder = RouteResponder(route: route, limits: limits, callers: callers, faults: faults)
                router.on(RouterPath(path), method: route.method, responder: responder)
                methods.append(route.method)
                guard route.method == .get else { continue }
                router.on(RouterPath(path), method: .head, responder: responder)
                methods.append(.head)
            }
            guard let first = routes.first else { continue }
            let other = OtherMethodResponder(
                methods: methods, errorFormat: first.errorFormat, origins: first.origins, faults: faults)
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

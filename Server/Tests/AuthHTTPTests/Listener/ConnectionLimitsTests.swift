import Core
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import HTTP

/// Connections without a network, whose time passes as the test says.
@Suite(
    "Limits of a connection", .threat("Connection floods and request smuggling"),
    .covers("limits of a peer by IPv4 address"))
struct ConnectionLimitsTests {
    /// A connection that matters only for its limits.
    private struct Connection: ServerChildChannelValue {
        let channel: any Channel
    }

    private struct Listener: ServerChildChannel {
        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeSucceededFuture(Connection(channel: channel))
        }

        func handle(value: Connection, logger: Logger) async {}
    }

    private let idleTimeout = TimeAmount.seconds(60)

    private func connect(
        from address: String = "192.0.2.1", _ quota: PeerQuota = PeerQuota(limit: 4, unlimited: [])
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.connect(to: try SocketAddress(ipAddress: address, port: 4711), promise: nil)
        let listener = LimitedListener(base: Listener(), quota: quota, idleTimeout: idleTimeout)
        _ = listener.setup(channel: channel, logger: Logger(label: "test"))
        return channel
    }

    private func close(_ channel: EmbeddedChannel) {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    @Test("attack: one IPv6 customer's /48 holds no more connections than a few peers may")
    func site() throws {
        let quota = PeerQuota(limit: 4, unlimited: [])
        let connections = try (0..<40).map { try connect(from: "2001:db8:1:\($0)::1", quota) }
        #expect(connections.map { $0.isActive } == (0..<40).map { $0 < 16 })
        let elsewhere = try connect(from: "2001:db8:2::1", quota)
        #expect(elsewhere.isActive)
        for connection in connections { close(connection) }
        let next = try (0..<20).map { try connect(from: "2001:db8:1:\($0)::1", quota) }
        #expect(next.map { $0.isActive } == (0..<20).map { $0 < 16 })
        for connection in next + [elsewhere] { close(connection) }
    }

    @Test("attack: a home that holds all connections of its /48 leaves four to each other /56")
    func neighbors() throws {
        let quota = PeerQuota(limit: 4, unlimited: [])
        let connections = try (0..<16).map { try connect(from: "2001:db8:1:\($0)::1", quota) }
        for home in ["a", "b"] {
            let neighbors = try (0..<6).map { try connect(from: "2001:db8:1:\(home)0\($0)::1", quota) }
            #expect(neighbors.map { $0.isActive } == (0..<6).map { $0 < 4 })
            for connection in neighbors { close(connection) }
            let again = try connect(from: "2001:db8:1:\(home)00::1", quota)
            #expect(again.isActive)
            close(again)
        }
        for connection in connections { close(connection) }
    }

    @Test("A /64 and an IPv4 address hold as many connections as a peer may, and a trusted proxy any number")
    func peers() throws {
        let proxy = try #require(AddressRange("192.0.2.9"))
        let quota = PeerQuota(limit: 4, unlimited: [proxy])
        var open: [Int] = []
        for address in ["2001:db8:1:2::", "192.0.2.1", "192.0.2.9"] {
            let connections = try (0..<8).map {
                try connect(from: address.hasSuffix(":") ? "\(address)\($0)" : address, quota)
            }
            open.append(connections.count { $0.isActive })
            for connection in connections { close(connection) }
        }
        #expect(open == [4, 4, 8])
    }

    private func setWritable(_ isWritable: Bool, _ channel: EmbeddedChannel) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test("A reader that reads its responses before the idle timeout keeps its connection, however often it pauses")
    func slowReader() throws {
        let channel = try connect()
        for _ in 0..<3 {
            setWritable(false, channel)
            channel.embeddedEventLoop.advanceTime(by: idleTimeout - .seconds(1))
            setWritable(true, channel)
            channel.embeddedEventLoop.advanceTime(by: 3 * idleTimeout)
        }
        #expect(channel.isActive)
        setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: idleTimeout)
        #expect(!channel.isActive)
        close(channel)
    }

    private func negotiate(_ name: String, _ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: name))
    }

    @Test("A connection of HTTP/2 ends when it has had no request for twice the idle timeout, and not before")
    func unused() throws {
        let channel = try connect()
        let limits = try channel.pipeline.syncOperations.handler(type: ConnectionLimits.self)
        let loop = channel.embeddedEventLoop
        negotiate("h2", channel)
        loop.advanceTime(by: idleTimeout)
        // One that takes as long as a long poll, and longer.
        #expect(limits.openStream())
        loop.advanceTime(by: 5 * idleTimeout)
        #expect(channel.isActive)
        limits.closeStream(at: loop.now)
        loop.advanceTime(by: 2 * idleTimeout - .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        close(channel)
    }

    @Test("The first request on a connection of HTTP/2 has the connection's place, each further one another")
    func streams() throws {
        let quota = PeerQuota(limit: 4, unlimited: [])
        let channels = try (0..<2).map { _ in try connect(quota) }
        let limits = try channels.map { try $0.pipeline.syncOperations.handler(type: ConnectionLimits.self) }
        let admitted = (0..<4).map { limits[$0 % 2].openStream() }
        #expect(admitted == [true, true, true, true])
        #expect(limits.map { $0.openStream() } == [false, false])
        let refused = try connect(quota)
        #expect(!refused.isActive)
        limits[0].closeStream(at: .now())
        #expect(limits[1].openStream())
        #expect(!limits[0].openStream())
        for channel in channels + [refused] { close(channel) }
    }
}

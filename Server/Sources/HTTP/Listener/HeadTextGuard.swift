import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import WalletAuthWire

/// Refuses a request whose target or fields have long runs of combining marks with 400, before anything compares them.
///
/// Bodies are checked where they are parsed.
final class HeadTextGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private var hasRefused = false
    private var owesAnswer = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasRefused { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isAcceptable(head) {
            hasRefused = true
            if context.channel.isStream {
                owesAnswer = true
            } else {
                context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            return
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        guard owesAnswer else { return }
        owesAnswer = false
        answer(context)
    }

    /// Answers on a stream of HTTP/2, where Hummingbird answers no error of the parser.
    private func answer(_ context: ChannelHandlerContext) {
        let head = HTTPResponse(status: .badRequest, headerFields: [.contentLength: "0"])
        let (channel, written) = (context.channel, context.eventLoop.makePromise(of: Void.self))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        // If the request has not ended, the stream is still open.
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        // A peer that leaves no room for the answer holds no stream by that: none of its refused ones counts in its quota.
        context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }

    private static func isAcceptable(_ head: HTTPRequest) -> Bool {
        StreamSafeText.includes(decoded(head.path ?? "")) && StreamSafeText.includes(head.authority ?? "")
            && head.headerFields.allSatisfy { StreamSafeText.includes($0.value) }
    }

    /// A target without percent-encoding. Its parts are decoded one by one later, so an escape that does not decode must not hide
    /// those of another part.
    private static func decoded(_ target: String) -> String {
        guard target.utf8.contains(0x25) else { return target }
        let bytes = Array(target.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25, index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

@available(*, unavailable)
extension HeadTextGuard: Sendable {}

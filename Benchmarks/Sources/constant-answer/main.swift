import Foundation
import Hummingbird
import Logging
import NIOCore

/// The upper limit of any server on this HTTP stack: reads the request's body and answers with a constant.
///
/// `constant-answer FILE` answers every POST with the bytes of FILE, prints its port on one line and serves until it is
/// stopped. The difference to the token endpoint's time is the endpoint's own work; the rest is the stack's.
guard CommandLine.arguments.count == 2, let body = FileManager.default.contents(atPath: CommandLine.arguments[1]) else {
    FileHandle.standardError.write(Data("usage: constant-answer FILE\n".utf8))
    exit(64)
}

var logger = Logger(label: "constant-answer")
logger.logLevel = .error
let answer = ByteBuffer(bytes: body)
let router = Router()
router.post("oauth2/token") { request, _ in
    // Reading the body counts, since no endpoint can avoid it.
    _ = try await request.body.collect(upTo: 65_536)
    return Response(
        status: .ok,
        headers: [.contentType: "application/json", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: answer))
}
let application = Application(
    router: router,
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        print(channel.localAddress?.port ?? 0)
        fflush(nil)
    },
    logger: logger)
try await application.runService()

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// The upper limit of any client on this HTTP stack: posts a constant over one connection and waits for each answer.
///
/// `constant-post URL CERTIFICATE FILE STREAMS COUNT` posts the bytes of FILE as often as COUNT, as many as STREAMS at once, and
/// prints the seconds that it took. CERTIFICATE is the one of the service, which it trusts.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 5, let streams = Int(arguments[4]), let count = Int(arguments[5]), streams > 0,
    count >= streams, let body = FileManager.default.contents(atPath: arguments[3])
else {
    FileHandle.standardError.write(Data("usage: constant-post URL CERTIFICATE FILE STREAMS COUNT\n".utf8))
    exit(64)
}

struct UnexpectedAnswer: Error {
    let status: UInt
}

let url = arguments[1]
var tls = TLSConfiguration.makeClientConfiguration()
tls.trustRoots = .file(arguments[2])
let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: tls))
let constant = ByteBuffer(bytes: body)

@Sendable func post() async throws {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.body = .bytes(constant)
    let answer = try await client.execute(request, timeout: .seconds(30))
    _ = try await answer.body.collect(upTo: 65_536)
    guard answer.status == .ok else { throw UnexpectedAnswer(status: answer.status.code) }
}

// Connecting does not count.
try await post()
let took = try await ContinuousClock().measure {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            if number >= streams { try await group.next() }
            group.addTask { try await post() }
        }
        try await group.waitForAll()
    }
}
print(took / .seconds(1))
try await client.shutdown().get()

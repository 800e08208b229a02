package import HTTPTypes
package import WalletAuthWire

/// The answer of an endpoint.
package struct EndpointResponse: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: [UInt8]

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON response, written straight into one buffer.
    package static func json(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Self {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return .bytes(status, type: "application/json", writer.bytes)
    }

    package static func bytes(_ status: HTTPResponse.Status = .ok, type: String, _ bytes: [UInt8]) -> Self {
        Self(status: status, headers: [.contentType: type], body: bytes)
    }

    package static func html(_ status: HTTPResponse.Status = .ok, _ text: String) -> Self {
        .bytes(status, type: "text/html; charset=utf-8", Array(text.utf8))
    }
}

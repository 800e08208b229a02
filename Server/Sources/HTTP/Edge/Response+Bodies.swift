import HTTPTypes
import Hummingbird
import WalletAuthWire

extension Response {
    /// A JSON response, written straight into one buffer.
    static func json(
        _ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return .bytes(status, type: "application/json", writer.bytes)
    }

    static func bytes(_ status: HTTPResponse.Status = .ok, type: String, _ bytes: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func html(_ status: HTTPResponse.Status = .ok, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

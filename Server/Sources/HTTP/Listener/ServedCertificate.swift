import NIOCore
package import NIOSSL

/// What clients compare in the server's own certificate, before anything else in its chain.
package struct ServedCertificate: Sendable {
    /// The hosts it names: DNS names, and addresses. Clients ignore the common name.
    package let names: [String]
    /// Whether it was issued by its own subject, so that no authority vouches for it.
    package let isSelfSigned: Bool

    /// - Parameter certificate: the first of the chain.
    package init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            return switch name.nameType {
            case .dnsName: String(decoding: bytes, as: UTF8.self).lowercased()
            case .ipAddress: try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress
            default: nil
            }
        }
        isSelfSigned = (try? certificate.toDERBytes()).map(Self.isSelfIssued) ?? false
    }

    /// Whether it is for a host (RFC 9525 §6.3): the same name, or a wildcard for its first label.
    /// - Parameter host: of a URL; an IPv6 address has its brackets.
    package func covers(_ host: String) -> Bool { Self.covers(host, names) }

    static func covers(_ host: String, _ names: [String]) -> Bool {
        let host = host.lowercased()
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = try? SocketAddress(ipAddress: bare, port: 0) {
            return address.ipAddress.map(names.contains) ?? false
        }
        let parent = host.drop { $0 != "." }
        return names.contains(host) || (!parent.isEmpty && names.contains("*" + parent))
    }

    /// Whether issuer and subject are the same bytes: `Certificate` and `TBSCertificate` of RFC 5280 §4.1.
    private static func isSelfIssued(_ der: [UInt8]) -> Bool {
        var document = DERElements(der[...])
        var certificate = DERElements(document.next()?.content ?? [])
        var fields = DERElements(certificate.next()?.content ?? [])
        var field = fields.next()
        // The version, which version 1 leaves out.
        if field?.tag == 0xA0 { field = fields.next() }
        // After the serial number: signature, issuer, validity, subject.
        guard field != nil, fields.next() != nil, let issuer = fields.next(), fields.next() != nil,
            let subject = fields.next()
        else { return false }
        return issuer.content == subject.content
    }
}

/// The elements of DER (X.690 §8.1), one after the other.
private struct DERElements {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next element; nil at the end and where the bytes are no DER.
    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }
}

internal import SwiftASN1
internal import X509

/// What Android says about a key: the extension 1.3.6.1.4.1.11129.2.1.17 of its certificate, as far as it matters here.
struct AndroidKeyDescription: Sendable {
    /// Where a key lies, or the part of the phone that attests it.
    enum SecurityLevel: Int64, Sendable {
        case software
        case trustedEnvironment
        case strongBox
    }

    /// How the phone was started.
    struct RootOfTrust: Sendable {
        let isLocked: Bool
        /// Whether the whole of its system is its maker's.
        let isVerified: Bool
    }

    /// The apps that may use the key. They share it if there are several.
    struct Application: Sendable {
        let packages: Set<String>
        let signatureDigests: Set<[UInt8]>
    }

    static let oid: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

    let attestationLevel: SecurityLevel
    let keyLevel: SecurityLevel
    let challenge: [UInt8]
    let application: Application?
    /// What secure hardware enforces.
    let hardware: AndroidAuthorizations

    /// - Parameter value: the extension's value.
    init(_ value: ArraySlice<UInt8>) throws {
        self = try DER.sequence(DER.parse(value), identifier: .sequence) { nodes in
            // The two versions change nothing that is read here: tags only ever got more.
            _ = try Int64(derEncoded: &nodes)
            let attestationLevel = try Self.level(&nodes)
            _ = try Int64(derEncoded: &nodes)
            let keyLevel = try Self.level(&nodes)
            let challenge = try ASN1OctetString(derEncoded: &nodes)
            _ = try ASN1OctetString(derEncoded: &nodes)
            let software = try AndroidAuthorizations(Self.next(&nodes))
            let hardware = try AndroidAuthorizations(Self.next(&nodes))
            // The system names the apps, and not the hardware, which does not know them.
            return AndroidKeyDescription(
                attestationLevel: attestationLevel, keyLevel: keyLevel, challenge: Array(challenge.bytes),
                application: try software.application.map(Application.init), hardware: hardware)
        }
    }

    private init(
        attestationLevel: SecurityLevel, keyLevel: SecurityLevel, challenge: [UInt8], application: Application?,
        hardware: AndroidAuthorizations
    ) {
        self.attestationLevel = attestationLevel
        self.keyLevel = keyLevel
        self.challenge = challenge
        self.application = application
        self.hardware = hardware
    }

    private static func next(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = nodes.next() else { throw AttestationFault.malformed }
        return node
    }

    private static func level(_ nodes: inout ASN1NodeCollection.Iterator) throws -> SecurityLevel {
        let number = try Int64(derEncoded: try next(&nodes), withIdentifier: .enumerated)
        guard let level = SecurityLevel(rawValue: number) else { throw AttestationFault.malformed }
        return level
    }
}

extension AndroidKeyDescription.Application {
    /// - Parameter encoded: an `AttestationApplicationId`: the packages with their versions, and the digests of their certificates.
    init(_ encoded: [UInt8]) throws {
        (packages, signatureDigests) = try DER.sequence(DER.parse(encoded), identifier: .sequence) { nodes in
            var lists: [[ASN1Node]] = []
            while let node = nodes.next() { lists.append(try node.elements(of: .set)) }
            guard lists.count == 2 else { throw AttestationFault.malformed }
            let packages = try lists[0].map { package -> String in
                guard let name = try package.elements(of: .sequence).first,
                    let text = String(validating: try ASN1OctetString(derEncoded: name).bytes, as: UTF8.self)
                else { throw AttestationFault.malformed }
                return text
            }
            let digests = try lists[1].map { Array(try ASN1OctetString(derEncoded: $0).bytes) }
            return (Set(packages), Set(digests))
        }
    }
}

/// An `AuthorizationList`: what is enforced for a key, each member under a tag of its own. Unknown tags are ignored.
struct AndroidAuthorizations: Sendable {
    private(set) var purposes: Set<Int64> = []
    private(set) var algorithm: Int64?
    private(set) var curve: Int64?
    /// Whether the key signs without asking for anyone.
    private(set) var needsNoOne = false
    /// The ways in which the holder is recognized, as bits.
    private(set) var holderChecks: Int64?
    /// How long the key signs after one check, in seconds; `nil` if each signature takes one.
    private(set) var checkLifetime: Int64?
    private(set) var origin: Int64?
    private(set) var rootOfTrust: AndroidKeyDescription.RootOfTrust?
    private(set) var application: [UInt8]?

    init(_ list: ASN1Node) throws {
        for member in try list.elements(of: .sequence) {
            guard member.identifier.tagClass == .contextSpecific, case .constructed(let content) = member.content else {
                throw AttestationFault.malformed
            }
            let nodes = Array(content)
            guard nodes.count == 1 else { throw AttestationFault.malformed }
            try read(nodes[0], tag: member.identifier.tagNumber)
        }
    }

    private mutating func read(_ node: ASN1Node, tag: UInt) throws {
        switch tag {
        case 1: purposes = Set(try node.elements(of: .set).map { try Int64(derEncoded: $0) })
        case 2: algorithm = try Int64(derEncoded: node)
        case 10: curve = try Int64(derEncoded: node)
        case 503: needsNoOne = true
        case 504: holderChecks = try Int64(derEncoded: node)
        case 505: checkLifetime = try Int64(derEncoded: node)
        case 702: origin = try Int64(derEncoded: node)
        case 704: rootOfTrust = try AndroidKeyDescription.RootOfTrust(node)
        case 709: application = Array(try ASN1OctetString(derEncoded: node).bytes)
        default: break
        }
    }
}

extension AndroidKeyDescription.RootOfTrust {
    /// - Parameter node: the key of the start, whether the phone is locked, the state of the start, and perhaps a hash.
    init(_ node: ASN1Node) throws {
        let elements = try node.elements(of: .sequence)
        guard elements.count >= 3 else { throw AttestationFault.malformed }
        isLocked = try Bool(derEncoded: elements[1])
        // Verified is 0; the others are self-signed, unverified and failed.
        isVerified = try Int64(derEncoded: elements[2], withIdentifier: .enumerated) == 0
    }
}

extension ASN1Node {
    /// The elements of a sequence, or of a set in whatever order.
    fileprivate func elements(of identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw AttestationFault.malformed
        }
        return Array(nodes)
    }
}

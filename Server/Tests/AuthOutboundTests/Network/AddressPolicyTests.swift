import Core
import Testing

@testable import Outbound

@Suite("Which addresses may be connected to", .threat("A forged or misused provider identity"))
struct AddressPolicyTests {
    @Test(
        "SSRF: an address that is not public is refused, in any spelling",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1", "64:ff9b::7f00:1",
            "64:ff9b::808:808", "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
            "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        ])
    func special(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(!AddressPolicy().permits(address))
    }

    @Test(
        "A public address is permitted",
        arguments: [
            "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "192.167.1.1", "2606:4700::1111", "2a00::1",
        ])
    func common(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(AddressPolicy().permits(address))
    }

    @Test(
        "SSRF: the addresses at which clouds serve credentials are refused, whatever network the operator permits",
        .threat("Server-side request forgery"),
        arguments: [
            "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
            "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "fe80::a9fe:a9fe",
            "::ffff:100.100.100.200",
        ])
    func metadata(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        let all = ["0.0.0.0/0", "::/0", "100.64.0.0/10", "fc00::/7", "169.254.0.0/16"].compactMap { AddressRange($0) }
        #expect(!AddressPolicy(exceptions: all).permits(address))
        let neighbor = try #require(NetworkAddress("100.100.100.201"))
        #expect(AddressPolicy(exceptions: all).permits(neighbor))
    }

    @Test("An exception opens its network and no other")
    func exceptions() throws {
        let range = try #require(AddressRange("10.1.0.0/16"))
        let policy = AddressPolicy(exceptions: [range])
        let inside = try #require(NetworkAddress("::ffff:10.1.2.3"))
        let outside = try #require(NetworkAddress("10.2.0.1"))
        #expect(policy.permits(inside))
        #expect(!policy.permits(outside))
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        #expect(AddressPolicy.loopback.permits(loopback))
        #expect(!AddressPolicy.loopback.permits(outside))
    }
}

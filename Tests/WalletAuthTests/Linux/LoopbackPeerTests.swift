#if os(Linux)
    import Foundation
    import Testing

    @testable import WalletAuth
    @testable import WalletAuthLoopback

    @Suite("Who is at the other end of a loopback connection")
    struct LoopbackPeerTests {
        /// 127.0.0.1 and ::1, in words as the kernel keeps them: in the order of the network.
        private static let home = UInt32(0x7F00_0001).bigEndian
        private static let home6 = [0, 0, 0, UInt32(1).bigEndian]

        private let peer = LoopbackPeer(own: (Self.home, 0xB226), listeners: (Self.home, 0xA2AD))

        private func line(_ own: String, _ listeners: String, user: String = "1000", inode: String = "2287764")
            -> String
        {
            "  12: \(own) \(listeners) 01 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0000000047f83874 20"
        }

        private static func text(_ words: [UInt32], _ port: String) -> String {
            words.map { word in
                let digits = String(word, radix: 16, uppercase: true)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined() + ":" + port
        }

        private let client = Self.text([Self.home], "B226")
        private let listener = Self.text([Self.home], "A2AD")

        @Test("is the user whose socket leads from there to here, and not the one whose socket leads back")
        func direction() {
            #expect(peer.owner(in: line(client, listener)) == 1000)
            #expect(peer.owner(in: line(listener, client)) == nil)
            #expect(peer.owner(in: line(client, Self.text([Self.home], "A2AE"))) == nil)
            #expect(peer.owner(in: line(Self.text([Self.home], "B227"), listener)) == nil)
        }

        @Test(
            "attack: a connection closed at once leaves a socket that the kernel shows as root's: it has no owner"
        )
        func closed() {
            #expect(peer.owner(in: line(client, listener, user: "0", inode: "0")) == nil)
            #expect(peer.owner(in: line(client, listener, user: "0")) == 0)
        }

        @Test("is found among the sockets of IPv6 too, by either kind of address")
        func version6() {
            let mapped = [0, 0, UInt32(0xFFFF).bigEndian, Self.home]
            #expect(peer.owner(in: line(Self.text(mapped, "B226"), Self.text(mapped, "A2AD"))) == 1000)
            let other = LoopbackPeer(own: (Self.home6, 0xB226), listeners: (Self.home6, 0xA2AD))
            #expect(other.owner(in: line(Self.text(Self.home6, "B226"), Self.text(Self.home6, "A2AD"))) == 1000)
            #expect(other.owner(in: line(client, listener)) == nil)
        }

        @Test(
            "has no owner by a line that is none of the table's",
            arguments: ["", "  sl  local_address rem_address   st", "0: 0100007F:B226 0100007F:A2AD 01"])
        func malformed(line: String) {
            #expect(peer.owner(in: line) == nil)
        }
    }

    /// Another user of this machine, as whom root can run a program.
    enum OtherUser {
        private static let setpriv = "/usr/bin/setpriv"
        private static let curl = "/usr/bin/curl"

        static var isThere: Bool {
            geteuid() == 0 && [setpriv, curl].allSatisfy(FileManager.default.isExecutableFile(atPath:))
        }

        /// Asks for a page.
        /// - Returns: the status.
        static func get(_ url: String) async throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: setpriv)
            process.arguments = [
                "--reuid=65534", "--regid=65534", "--clear-groups", curl, "--silent", "--noproxy", "*", "--output",
                "/dev/null", "--write-out", "%{http_code}", url,
            ]
            let output = Pipe()
            process.standardOutput = output
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in ended.resume() }
                do { try process.run() } catch {
                    process.terminationHandler = nil
                    ended.resume(throwing: error)
                }
            }
            // A few bytes, which fit into the pipe: no one waits for them to be read.
            return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Testing

    @testable import WalletAuth
    @testable import WalletAuthLoopback

    /// Over real sockets: what a browser, a port scan or a hostile page would send.
    @Suite("The loopback redirect listener")
    struct LoopbackUserAgentTests {
        /// A sign-in that waits for its redirect.
        struct Waiting {
            let port: Int
            let session: any UserAgentSession
            let outcome: Task<UserAgentOutcome, any Error>

            func get(_ target: String, host: String? = nil) async throws -> String {
                try await RawClient(port: port).exchange(
                    "GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n")
            }

            /// The right answer, which shows that the listener still waits.
            func finish() async throws -> URL? {
                _ = try await get("/callback?code=c&state=s1")
                return try await taken()
            }

            /// The callback that was taken; nil for any other outcome.
            func taken() async throws -> URL? {
                guard case .callback(let url) = try await outcome.value else { return nil }
                return url
            }
        }

        func wait(
            redirectURI: String = "http://127.0.0.1/callback", state: String? = "s1", timeout: Duration = .seconds(300)
        ) async throws -> Waiting {
            let opened = AsyncStream.makeStream(of: URL.self)
            let agent = LoopbackUserAgent(timeout: timeout) { opened.continuation.yield($0) }
            let session = try await agent.begin(redirectURI: try #require(URL(string: redirectURI)))
            let page = "https://auth.example.com/authorize?client_id=c" + (state.map { "&state=\($0)" } ?? "")
            let url = try #require(URL(string: page))
            let outcome = Task { try await session.present(url) }
            for await shown in opened.stream {
                #expect(shown == url)
                break
            }
            return Waiting(port: try #require(session.redirectURI.port), session: session, outcome: outcome)
        }

        @Test("takes the callback, tells the person to close the window, and listens no more")
        func callback() async throws {
            let waiting = try await wait()
            #expect(waiting.session.redirectURI.absoluteString == "http://127.0.0.1:\(waiting.port)/callback")
            let answer = try await waiting.get("/callback?code=abc%2B1&state=s1&iss=https%3A%2F%2Fauth.example.com")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("close this window"))
            #expect(answer.contains("Continue in the program that opened it."))
            #expect(answer.contains("Referrer-Policy: no-referrer") && answer.contains("Cache-Control: no-store"))
            #expect(!answer.contains("abc"))
            let url = "\(waiting.session.redirectURI)?code=abc%2B1&state=s1&iss=https%3A%2F%2Fauth.example.com"
            #expect(try await waiting.outcome.value == .callback(try #require(URL(string: url))))
            await waiting.session.close()
        }

        @Test("says without a desktop what a program can do instead of opening the page")
        func noDesktop() async throws {
            let agent = LoopbackUserAgent(opener: { _ in throw UserAgentFailure(.unavailable, reason: "no desktop") })
            let session = try await agent.begin(redirectURI: try #require(URL(string: "http://127.0.0.1/callback")))
            let page = try #require(URL(string: "https://auth.example.com/authorize?state=s1"))
            let failure = await #expect(throws: UserAgentFailure.self) { try await session.present(page) }
            #expect(failure?.kind == .unavailable)
            #expect(failure?.reason.hasPrefix("no desktop; the opener of a LoopbackUserAgent may print") == true)
            await session.close()
        }

        @Test("prints the page's address where no browser opens, and what to correct if the page shows an error")
        func printed() throws {
            let page = try #require(URL(string: "https://auth.example.com/authorize?state=s1"))
            for (environment, reason) in [
                ([:], "there is no desktop"), (["DISPLAY": ":0", "PATH": "/nowhere"], "xdg-open is not installed"),
            ] {
                var said: [String] = []
                SystemBrowser.openOrPrint(page, in: environment) { said.append($0) }
                #expect(said.count == 2)
                #expect(said.first?.contains(reason) == true, "\(said)")
                let address = "Open this page on this machine: \(page.absoluteString)"
                #expect(said.first?.hasSuffix(address) == true, "\(said)")
                #expect(said.last?.contains("correct the client id, the redirect URI or the scopes") == true, "\(said)")
            }
        }

        @Test("takes a refusal as well, and says that the request was not completed")
        func refusal() async throws {
            let waiting = try await wait()
            #expect(try await waiting.get("/callback?error=access_denied&state=s1").contains("was not completed"))
            #expect(try await waiting.taken()?.query == "error=access_denied&state=s1")
        }

        @Test(
            "answers what is not the callback with an error, and goes on waiting",
            arguments: [
                ("/favicon.ico", 404), ("/", 404), ("/callback/", 404), ("/callbackx?code=c&state=s1", 404),
                ("/Callback?code=c&state=s1", 404), ("/x/../callback?code=c&state=s1", 404),
                ("/%63allback?code=c&state=s1", 404), ("/callback", 400), ("/callback?state=s1", 400),
                ("/callback?code=c", 400), ("/callback?code=c&state=forged", 400), ("/callback?code=&state=s1", 400),
                ("/callback?code=c&code=d&state=s1", 400), ("/callback?code=c&state=s1&state=forged", 400),
                ("/callback?code=%ZZ&state=s1", 400), ("//evil/callback?code=c&state=s1", 404),
                ("http://evil/callback?code=c&state=s1", 400),
            ])
        func junk(target: String, status: Int) async throws {
            let waiting = try await wait()
            #expect(try await waiting.get(target).hasPrefix("HTTP/1.1 \(status) "))
            #expect(try await waiting.finish()?.query == "code=c&state=s1")
        }

        @Test(
            "refuses a callback under another host's name: DNS rebinding", arguments: ["evil.example", "localhost", ""])
        func rebinding(host: String) async throws {
            let waiting = try await wait()
            #expect(try await waiting.get("/callback?code=c&state=s1", host: host).hasPrefix("HTTP/1.1 421 "))
            #expect(
                try await waiting.get("/callback?code=c&state=s1", host: "127.0.0.1:1").hasPrefix("HTTP/1.1 421 "))
            #expect(try await waiting.finish() != nil)
        }

        @Test(
            "attack: another user of the machine finishes the sign-in as themselves and delivers its response: it is refused",
            .threat("Silent sign-in to a local listener"),
            .enabled(if: OtherUser.isThere, "takes root, who may act as another user, setpriv and curl"))
        func anotherUser() async throws {
            let waiting = try await wait()
            let status = try await OtherUser.get("http://127.0.0.1:\(waiting.port)/callback?code=theirs&state=s1")
            #expect(status == "403")
            #expect(try await waiting.finish()?.query == "code=c&state=s1")
        }

        @Test(
            "tells, when the time is over, that an answer came and was refused for who brought it",
            .enabled(if: OtherUser.isThere, "takes root, who may act as another user, setpriv and curl"))
        func turnedAway() async throws {
            let socket = try LoopbackSocket(.version4, port: 0)
            let callback = "http://127.0.0.1:\(socket.port)/callback"
            let expectation = LoopbackExpectation(
                redirectURI: try #require(URL(string: callback)),
                authorizationURL: try #require(URL(string: "https://auth.example.com/authorize?client_id=c&state=s1")))
            var ends: [Int32] = [-1, -1]
            try SystemCallFailure.check("pipe") { pipe(&ends) }
            let (stop, stopper) = (OpenFile(ends[0]), OpenFile(ends[1]))
            let (failures, failure) = AsyncStream.makeStream(of: (any Error)?.self)
            Thread.detachNewThread {
                var conversation = LoopbackConversation(
                    socket: socket, stop: stop, expectation: expectation, pages: LoopbackPages())
                func failureOfWait(until deadline: ContinuousClock.Instant) -> (any Error)? {
                    do { _ = try conversation.run(until: deadline) } catch { return error }
                    return nil
                }
                // Until the other user has brought the answer, however long that takes. Then the time is over.
                let interruption = failureOfWait(until: ContinuousClock.now + .seconds(3600))
                var byte = UInt8(0)
                let isStopped = interruption is CancellationError && read(stop.descriptor, &byte, 1) == 1
                failure.yield(isStopped ? failureOfWait(until: ContinuousClock.now) : interruption)
            }
            let status = try await OtherUser.get(callback + "?code=theirs&state=s1")
            #expect(status == "403")
            try withExtendedLifetime(stop) { try stopper.writeAll([1]) }
            for await error in failures {
                let told = try #require(error as? UserAgentFailure)
                #expect(told.kind == .timedOut)
                #expect(told.reason.contains("was refused"))
                break
            }
        }

        @Test("takes the answer from a browser that makes sockets of IPv6 for every address")
        func socketOfIPv6() async throws {
            let waiting = try await wait()
            let answer = try await RawClient(port: waiting.port, version6: "::ffff:127.0.0.1").exchange(
                "GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: 127.0.0.1:\(waiting.port)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            _ = try await waiting.outcome.value
        }

        @Test(
            "survives what is no HTTP: garbage, other methods, doubled hosts, endless heads",
            arguments: [
                ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n", 400), ("GET /callback?code=c&state=s1\r\n\r\n", 400),
                ("POST /callback?code=c&state=s1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 405),
                ("HEAD /callback?code=c&state=s1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 405),
                ("GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", 400),
                ("GET /callback?code=c&state=s1 HTTP/1.1\r\n\r\n", 421),
                ("GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: HOST\r\nno colon\r\n\r\n", 400),
                ("GET /callback?x=" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\n", 431),
            ])
        func notHTTP(request: String, status: Int) async throws {
            let waiting = try await wait()
            let text = request.replacingOccurrences(of: "HOST", with: "127.0.0.1:\(waiting.port)")
            #expect(try await RawClient(port: waiting.port).exchange(text).hasPrefix("HTTP/1.1 \(status) "))
            #expect(try await waiting.finish() != nil)
        }

        @Test("is not held up by fifty connections that send nothing")
        func idleConnections() async throws {
            let waiting = try await wait()
            let idle = try (0..<50).map { _ in try RawClient(port: waiting.port) }
            #expect(try await waiting.finish() != nil)
            withExtendedLifetime(idle) {}
        }

        @Test("takes a callback that arrives byte by byte")
        func slowBrowser() async throws {
            let waiting = try await wait()
            let client = try RawClient(port: waiting.port)
            for character in "GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: 127.0.0.1:\(waiting.port)\r\n\r\n" {
                client.send(String(character))
                // The listener's own thread may read it now. A task that yields would come back after the other tests.
                sched_yield()
            }
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 200 "))
            #expect(try await waiting.outcome.value != .opened)
        }

        @Test("takes exactly one of many callbacks that arrive at once")
        func manyCallbacks() async throws {
            let waiting = try await wait()
            let answers = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let answer = try? await waiting.get("/callback?code=c\(number)&state=s1")
                        return answer?.hasPrefix("HTTP/1.1 200 ") ?? false
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answers == 1)
            _ = try await waiting.outcome.value
        }

        @Test(
            "takes the return from a page on which a person agreed to an operation, and none for an answer to a sign-in"
        )
        func consentReturn() async throws {
            let waiting = try await wait(state: nil)
            #expect(try await waiting.get("/callback?ticket=t").hasPrefix("HTTP/1.1 400 "))
            _ = try await waiting.get("/callback?event_id=e&wallet_operation_id=o")
            #expect(try await waiting.taken()?.query == "event_id=e&wallet_operation_id=o")
            let signIn = try await wait()
            #expect(try await signIn.get("/callback?event_id=e&state=s1").hasPrefix("HTTP/1.1 400 "))
            #expect(try await signIn.finish()?.query == "code=c&state=s1")
        }

        @Test("takes a callback without knowing its state, where the page's URL shows none (a pushed request)")
        func unknownState() async throws {
            let waiting = try await wait(state: nil)
            _ = try await waiting.get("/callback?code=c&state=whatever")
            #expect(try await waiting.taken()?.query == "code=c&state=whatever")
        }

        @Test("gives up when the person takes too long")
        func timeout() async throws {
            let waiting = try await wait(timeout: .milliseconds(100))
            await #expect {
                try await waiting.outcome.value
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .timedOut
            }
        }

        @Test("frees its port when the task is cancelled, and when it is closed")
        func cancellation() async throws {
            let first = try await wait()
            first.outcome.cancel()
            await #expect(throws: CancellationError.self) { try await first.outcome.value }
            let second = try await wait(again: first.port)
            await second.session.close()
            await #expect(throws: CancellationError.self) { try await second.outcome.value }
            let third = try await wait(again: first.port)
            #expect(try await third.finish()?.query == "code=c&state=s1")
        }

        /// Waits at a port that was used before. Another test may have got it meanwhile: then once it is free again.
        private func wait(again port: Int) async throws -> Waiting {
            var waiting: Waiting?
            try await eventually("port \(port) to be free") {
                waiting = try? await wait(redirectURI: "http://127.0.0.1:\(port)/callback")
                return waiting != nil
            }
            return try #require(waiting)
        }

        @Test(
            "refuses a redirect URI that does not lead to this machine for certain",
            arguments: [
                "http://localhost/callback", "https://127.0.0.1/callback", "http://127.0.0.2/callback",
                "com.example.app:/callback", "http://127.0.0.1/callback#f", "http://127.0.0.1.evil.example/callback",
            ])
        func notLoopback(uri: String) async throws {
            let url = try #require(URL(string: uri))
            await #expect {
                _ = try await LoopbackUserAgent { _ in }.begin(redirectURI: url)
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .unavailable
            }
        }

        @Test("Ports without a browser name the product that has one")
        func noBrowser() async throws {
            let url = try #require(URL(string: "http://127.0.0.1/callback"))
            await #expect {
                _ = try await Wallet.Ports.linux(clientID: "com.example.wallet").userAgent.begin(redirectURI: url)
            } throws: {
                ($0 as? UserAgentFailure)?.reason.contains("WalletAuthLoopback") == true
            }
        }

        @Test("listens at the port that the redirect URI names, and says so when it is taken")
        func fixedPort() async throws {
            let first = try await wait()
            let url = try #require(URL(string: "http://127.0.0.1:\(first.port)/callback"))
            await #expect {
                _ = try await LoopbackUserAgent { _ in }.begin(redirectURI: url)
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .unavailable
            }
            _ = try await first.finish()
            await first.session.close()
        }

        @Test(
            "opens no page but one by http or https: nothing else reaches xdg-open",
            arguments: ["file:///etc/passwd", "-x"])
        func strangePages(page: String) async throws {
            let agent = LoopbackUserAgent { _ in Issue.record("opened") }
            let session = try await agent.begin(redirectURI: try #require(URL(string: "http://127.0.0.1/callback")))
            let url = try #require(URL(string: page))
            await #expect(throws: UserAgentFailure.self) { try await session.present(url) }
        }

        @Test(
            "speaks the browser's language, and English where it speaks none of these",
            arguments: [
                ("de-AT,de;q=0.9,en;q=0.5", "de", "Sie können dieses Fenster schließen"),
                ("fr", "fr", "Vous pouvez fermer cette fenêtre"), ("es-MX", "es", "Puede cerrar esta ventana"),
                ("en;q=0.1, bg", "bg", "Можете да затворите този прозорец"),
                ("ja,zh;q=0.5", "en", "You can close this window"), ("\"><script>", "en", "You can close this window"),
            ])
        func languages(field: String, language: String, heading: String) async throws {
            let waiting = try await wait()
            let answer = try await RawClient(port: waiting.port).exchange(
                "GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: 127.0.0.1:\(waiting.port)\r\n"
                    + "Accept-Language: \(field)\r\n\r\n")
            #expect(answer.contains("<html lang=\"\(language)\">") && answer.contains("<h1>\(heading)</h1>"))
            #expect(answer.contains("Content-Language: \(language)\r\n") && !answer.contains("<script"))
            _ = try await waiting.outcome.value
        }
    }
#endif

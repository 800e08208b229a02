import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

/// A form arrives twice by a double click, or after Back to a page that the browser kept.
@Suite("Sending the form before a code twice", .covers("a form in a second tab, a double click or a reload fails"))
struct ReloadedFormTests {
    private static var signIn: SignInPage.Action {
        get throws { .signIn(username: "ada", password: try Password("correct horse battery")) }
    }

    @Test("The second factor's code is not sent again, and the first one signs in")
    func secondFactor() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let form = try await browser.open(try await server.publicClient().request()).page()
        let asked = try await browser.submit(form, Self.signIn).page()
        server.clock.advance(by: .minutes(1))
        let reloaded = try await browser.submit(form, Self.signIn).page()
        #expect(try await server.codesSent() == 1)
        guard case .secondFactor(let first) = asked.step, case .secondFactor(let second) = reloaded.step else {
            Issue.record("no second factor: \(reloaded.step)")
            return
        }
        #expect(second.isCodeSent)
        #expect(second.destination == first.destination)
        _ = try await browser.submit(reloaded, .answerFactor(Password(server.sentCode()))).code()
    }

    @Test("Once the code has expired, reloading sends another, and another page's sign-in always does")
    func expired() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        let form = try await browser.open(client.request()).page()
        _ = try await browser.submit(form, Self.signIn).page()
        server.clock.advance(by: .minutes(5) + .seconds(1))
        _ = try await browser.submit(form, Self.signIn).page()
        #expect(try await server.codesSent() == 2)
        _ = try await browser.signIn(client.request()).page()
        #expect(try await server.codesSent() == 3)
    }

    @Test("A form that is posted twice at the same moment sends one code")
    func race() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let form = try await browser.open(try await server.publicClient().request()).page()
        let (cookies, action) = (browser.cookies, try Self.signIn)
        let submission = PageSubmission(request: form.request, csrf: form.csrf, action: action)
        let pages = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let answer = try await server.flows.signIn.authorization.submit(
                        submission, cookies: cookies, origin: TestServer.origin)
                    guard case .page = answer.outcome else { return false }
                    return true
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(pages == 8)
        #expect(try await server.codesSent() == 1)
    }

    @Test("attack: reloading brings no new tries")
    func tries() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let form = try await browser.open(try await server.publicClient().request()).page()
        var page = try await browser.submit(form, Self.signIn).page()
        let wrong = try await server.wrongCode()
        for _ in 1..<OpenFactors.mostTries {
            page = try await browser.submit(page, .answerFactor(Password(wrong))).page()
            #expect(page.notice == .wrongAnswer)
        }
        page = try await browser.submit(form, Self.signIn).page()
        page = try await browser.submit(page, .answerFactor(Password(wrong))).page()
        #expect(page.notice == .factorHeld(retryAfter: 60))
    }

    @Test("The code that confirms an address is not sent again")
    func emailCode() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let browser = TestBrowser(server)
        let form = try await browser.open(try await server.bearerClient().request()).page()
        _ = try await browser.submit(form, Self.signIn).page()
        server.clock.advance(by: .seconds(61))
        let reloaded = try await browser.submit(form, Self.signIn).page()
        #expect(reloaded.step == .emailCode(destination: "a…@example.com"))
        #expect(reloaded.notice == nil)
        #expect(try await server.messages().count { $0.kind == "email_code" } == 1)
        _ = try await browser.submit(reloaded, .checkEmailCode(server.emailedCode())).code()
    }

    @Test("A recovery's code is not sent again, for a name that exists or not")
    func recovery() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let form = try await browser.open(try await server.bearerClient().request()).page()
        for name in ["ada", "nobody"] {
            let asked = try await browser.submit(form, .recover(username: name)).page()
            server.clock.advance(by: .minutes(2))
            let reloaded = try await browser.submit(form, .recover(username: name)).page()
            #expect(reloaded.step == asked.step)
            #expect(reloaded.notice == asked.notice)
        }
        let rows = try await server.rows(of: "recoveries")
        #expect(rows == 2)
        #expect(try await server.recoveryCodesSent() == 1)
        let again = try await browser.submit(form, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await server.recoveryCode())
        #expect(try await browser.submit(again, .checkRecoveryCode(code)).page().step == .recoveredPassword)
    }
}

import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

@Suite struct Notices {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func two() async throws -> (Member, Member) {
        let server = try await PostgreSQLServer.shared()
        return (try await Member(of: scratch, on: server), try await Member(of: scratch, on: server))
    }

    @Test("A notice arrives at the other process at once, and not at its sender")
    func arrival() async throws {
        let (first, second) = try await two()
        var atFirst = first.group.notices().makeAsyncIterator()
        var atSecond = second.group.notices().makeAsyncIterator()
        var delays: [Duration] = []
        for number in 0..<50 {
            let began = ContinuousClock.now
            first.group.announce(.row(Sample.id(number)))
            #expect(await atSecond.next() == .row(Sample.id(number)))
            second.group.announce(.client("client \(number)\n\u{0}é"))
            // The first that arrives here is the other's.
            #expect(await atFirst.next() == .client("client \(number)\n\u{0}é"))
            delays.append(ContinuousClock.now - began)
        }
        // A sign of life comes every two seconds. Single rounds may meet a busy machine.
        #expect(delays.sorted()[delays.count / 2] < .seconds(1), "\(delays)")
        for notice in [ChangeNotice.keys, .provider, .outbox, .everything] {
            first.group.announce(notice)
            #expect(await atSecond.next() == notice)
        }
        // A stream ends with the database.
        await second.close()
        #expect(await atSecond.next() == nil)
        var late = second.group.notices().makeAsyncIterator()
        #expect(await late.next() == nil)
        await first.close()
    }

    @Test("A thousand notices in one burst all arrive, and so do those of a process that ends at once")
    func burst() async throws {
        let (first, second) = try await two()
        var notices = second.group.notices().makeAsyncIterator()
        let all = Set((0..<1000).map { ChangeNotice.row(Sample.id($0)) })
        for notice in all { first.group.announce(notice) }
        first.group.announce(.keys)
        await first.close()
        var arrived: Set<ChangeNotice> = []
        while let notice = await notices.next(), notice != .keys { #expect(arrived.insert(notice).inserted) }
        #expect(arrived == all)
        await second.close()
    }

    @Test("attack: another role floods the channel: signs of life, questions and notices go on")
    func flood() async throws {
        let (first, second) = try await two()
        let server = try await PostgreSQLServer.shared()
        var notices = second.group.notices().makeAsyncIterator()
        // One transaction, so that all of them arrive at once. None of them means anything.
        let channel = "'walletauth_' || to_hex(\(PostgreSQLServer.key(of: scratch)))"
        try await server.run(
            "SELECT count(pg_notify(\(channel), 'x' || n || repeat('y', 1000))) FROM generate_series(1, 20000) n")
        #expect(await second.group.leads())
        #expect(try await !second.group.isAlone())
        first.group.announce(.keys)
        // If the flood is faster than this process, it is reported as everything.
        while let notice = await notices.next(), notice != .keys { #expect(notice == .everything) }
        #expect(second.events.names.isEmpty, "the membership is kept")
        await first.close()
        await second.close()
    }

    @Test("Messages that come before an answer are not kept without limit either")
    func floodBeforeAnswer() async throws {
        let server = try await PostgreSQLServer.shared()
        let options = PostgreSQLOptions.patient(connections: 1)
        let string = try ConnectionString(server.string(), connectTimeout: options.connectTimeout)
        let connection = try Connecting(string: string, options: options).open()
        let channel = "flood_" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        // A session hears its own messages before the answer is complete.
        func send(_ count: Int) throws {
            _ = try connection.exchange(
                [.run("SELECT count(pg_notify('\(channel)', n::text)) FROM generate_series(1, \(count)) n")],
                within: .seconds(300))
            while try connection.readNotices() {}
        }
        _ = try connection.exchange([.run("LISTEN \(channel)")], within: .seconds(300))
        try send(20 * NoticeBuffer.limit)
        #expect(connection.takeNotices() == nil)
        try send(3)
        #expect(connection.takeNotices()?.map(\.payload) == ["1", "2", "3"])
    }

    @Test("The buffer of messages keeps no duplicates, and nothing once there are too many")
    func buffer() {
        func notice(_ number: Int) -> NoticeBuffer.Notice {
            NoticeBuffer.Notice(backend: 1, channel: "c", payload: "\(number)")
        }
        var buffer = NoticeBuffer()
        for _ in 0..<3 { for number in 0..<NoticeBuffer.limit { buffer.add(notice(number)) } }
        #expect(buffer.takeAll() == (0..<NoticeBuffer.limit).map(notice))
        #expect(buffer.takeAll() == [])
        for number in 0...NoticeBuffer.limit { buffer.add(notice(number)) }
        #expect(buffer.takeAll() == nil)
        #expect(buffer.takeAll() == [])
    }

    @Test("After a lost connection, every listener hears of everything, and notices of that time are sent later")
    func reconnection() async throws {
        let server = try await PostgreSQLServer.start()
        let first = try await Member(of: scratch, on: server)
        let second = try await Member(of: scratch, on: server)
        let listening = [first.group.notices(), second.group.notices(), second.group.notices()]
        try await server.stop()
        for member in [first, second] { try await member.events.wait(for: "lost") }
        first.group.announce(.keys)
        try await server.startAgain()
        for stream in listening {
            var notices = stream.makeAsyncIterator()
            #expect(await notices.next() == .everything)
        }
        for member in [first, second] { try await member.events.wait(for: "regained") }
        var notices = second.group.notices().makeAsyncIterator()
        first.group.announce(.outbox)
        while let notice = await notices.next(), notice != .outbox { #expect(notice == .keys) }
        await first.close()
        await second.close()
    }

    @Test("A payload that is malformed, or of a newer version, is ignored to that extent")
    func malformed() async throws {
        let server = try await PostgreSQLServer.shared()
        let member = try await Member(of: scratch, on: server)
        var notices = member.group.notices().makeAsyncIterator()
        let row = Sample.id(7)
        for payload in [
            "", "\n\n", "r", "r\(row)x", "c", "c6", "c6g", "cff", "kk", "**", "?", "{\"row\": 1}", "é",
            "x-newer\nr\(row)\nk\u{1}",
        ] {
            try await server.run(
                "SELECT pg_notify('walletauth_' || to_hex(\(PostgreSQLServer.key(of: scratch))), $$\(payload)$$)")
        }
        #expect(await notices.next() == .row(row))
        try await server.run("SELECT pg_notify('walletauth_' || to_hex(\(PostgreSQLServer.key(of: scratch))), '*')")
        #expect(await notices.next() == .everything)
        await member.close()
    }

    @Test("Notices fit into few payloads, and one that is too long for any becomes everything")
    func payloads() {
        let rows = (0..<1000).map { ChangeNotice.row(Sample.id($0)) } + [.client("a"), .keys, .provider, .outbox]
        let texts = NoticePayload.texts(of: rows)
        #expect(texts.allSatisfy { $0.utf8.count < 8000 } && texts.count == 5)
        #expect(texts.flatMap { NoticePayload.notices(in: $0) } == rows)
        #expect(NoticePayload.texts(of: rows + [.everything]) == ["*"])
        #expect(NoticePayload.texts(of: [.client(String(repeating: "x", count: 5000))]) == ["*"])
        #expect(NoticePayload.texts(of: []).isEmpty)
        // Received in one turn.
        #expect(NoticePayload.notices(in: texts + texts) == rows)
        #expect(NoticePayload.notices(in: ["k", "*\no"]) == [.everything])
        let many = (0...NoticeStreams.limit).map { ChangeNotice.row(Sample.id($0)) }
        #expect(NoticePayload.notices(in: NoticePayload.texts(of: many)) == [.everything])
    }

    @Test("The queue merges duplicates, and one that overflows sends everything")
    func queue() {
        let queue = OutgoingNotices()
        #expect(queue.add(.keys))
        #expect(!queue.add(.keys))
        #expect(queue.takeAll() == [.keys])
        for number in 0...OutgoingNotices.limit { _ = queue.add(.row(Sample.id(number))) }
        #expect(!queue.add(.keys))
        #expect(queue.takeAll() == [.everything])
        queue.putBack([.keys])
        #expect(!queue.add(.everything))
        #expect(queue.takeAll() == [.everything])
    }

    @Test("A listener that does not keep up hears of everything")
    func slowListener() async {
        let streams = NoticeStreams()
        let stream = streams.stream()
        streams.yield((0...NoticeStreams.limit).map { .row(Sample.id($0)) })
        streams.finish()
        var notices: [ChangeNotice] = []
        for await notice in stream { notices.append(notice) }
        #expect(notices.count == NoticeStreams.limit)
        #expect(notices.last == .everything)
    }
}

import Core
import Testing
import WalletAuthWire

@testable import Transactions

@Suite("The states of a transaction", .covers("the states of a transaction"))
struct TransactionStateTests {
    typealias State = TransactionState

    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static let expiry = start + .minutes(5)
    private static let phone = device("phone")
    private static let tablet = device("tablet")

    private static func device(_ name: String) -> DeviceID {
        do { return try DeviceID(name) } catch { fatalError("\(error)") }
    }

    /// Every state, with the phone as the device that claimed the transaction.
    private static let phases: [State.Phase] = [
        .created, .claimed(by: phone), .confirmed(by: phone), .signed(by: phone, with: .pin, at: start),
        .rejected(by: phone, .wrongData, at: start), .failed(by: phone, at: start),
        .cancelled(claimedBy: nil, .backend, at: start), .cancelled(claimedBy: phone, .deviceRemoved, at: start),
    ]

    private static func state(_ phase: State.Phase, requiring factor: RequiredSecondFactor = .any) -> State {
        State(phase: phase, expiresAt: expiry, requiredSecondFactor: factor)
    }

    /// A step, by name, with the outcome that each of ``phases`` has to have.
    private struct Step: Sendable {
        let name: String
        let take: @Sendable (State, Timestamp) -> State.Transition
        let outcomes: [State.Transition]
    }

    private static func next(_ phase: State.Phase) -> State.Transition { .next(state(phase)) }

    private static let ends: [State.Transition] = [
        .over(.signed), .over(.rejected), .over(.failed), .over(.cancelled), .over(.cancelled),
    ]

    private static let steps: [Step] = [
        Step(
            name: "claim by the phone", take: { $0.claiming(by: phone, now: $1) },
            outcomes: [next(.claimed(by: phone)), .repeated, .repeated] + ends),
        Step(
            name: "claim by the tablet", take: { $0.claiming(by: tablet, now: $1) },
            outcomes: [next(.claimed(by: tablet)), .othersClaim, .othersClaim] + ends),
        Step(
            name: "confirm on the phone", take: { $0.confirming(by: phone, now: $1) },
            outcomes: [.notYetPossible, next(.confirmed(by: phone)), .repeated] + ends),
        Step(
            name: "confirm on the tablet", take: { $0.confirming(by: tablet, now: $1) },
            outcomes: [.notYetPossible, .othersClaim, .othersClaim] + ends),
        Step(
            name: "reject on the phone", take: { $0.rejecting(by: phone, .other, now: $1) },
            outcomes: [
                .notYetPossible, next(.rejected(by: phone, .other, at: start)),
                next(.rejected(by: phone, .other, at: start)),
            ] + ends),
        Step(
            name: "reject on the phone, as before", take: { $0.rejecting(by: phone, .wrongData, now: $1) },
            outcomes: [
                .notYetPossible, next(.rejected(by: phone, .wrongData, at: start)),
                next(.rejected(by: phone, .wrongData, at: start)), .over(.signed), .repeated, .over(.failed),
                .over(.cancelled), .over(.cancelled),
            ]),
        Step(
            name: "reject on the tablet", take: { $0.rejecting(by: tablet, .wrongData, now: $1) },
            outcomes: [.notYetPossible, .othersClaim, .othersClaim] + ends),
        Step(
            name: "sign on the phone", take: { $0.signing(by: phone, with: .biometric, now: $1) },
            outcomes: [.notYetPossible, .notYetPossible, next(.signed(by: phone, with: .biometric, at: start))] + ends),
        Step(
            name: "sign on the tablet", take: { $0.signing(by: tablet, with: .pin, now: $1) },
            outcomes: [.notYetPossible, .othersClaim, .othersClaim] + ends),
        Step(
            name: "fail on the phone", take: { $0.failing(on: phone, now: $1) },
            outcomes: [
                .notYetPossible, next(.failed(by: phone, at: start)), next(.failed(by: phone, at: start)),
                .over(.signed), .over(.rejected), .repeated, .over(.cancelled), .over(.cancelled),
            ]),
        Step(
            name: "fail on the tablet", take: { $0.failing(on: tablet, now: $1) },
            outcomes: [.notYetPossible, .othersClaim, .othersClaim] + ends),
        Step(
            name: "cancel", take: { $0.cancelling(.backend, now: $1) },
            outcomes: [
                next(.cancelled(claimedBy: nil, .backend, at: start)),
                next(.cancelled(claimedBy: phone, .backend, at: start)),
                next(.cancelled(claimedBy: phone, .backend, at: start)), .over(.signed), .over(.rejected),
                .over(.failed), .repeated, .repeated,
            ]),
    ]

    @Test("Each step leads from each state to where the diagram says, or is refused with its reason")
    func matrix() {
        for step in Self.steps {
            #expect(step.outcomes.count == Self.phases.count)
            for (phase, outcome) in zip(Self.phases, step.outcomes) {
                #expect(step.take(Self.state(phase), Self.start) == outcome, "\(step.name), from \(phase)")
            }
        }
    }

    @Test("From its expiry on, every step on an open transaction is refused as expired, whatever else holds")
    func expiry() {
        let open = Self.phases.prefix(3)
        for step in Self.steps {
            for phase in open {
                #expect(step.take(Self.state(phase), Self.expiry) == .over(.expired), "\(step.name), from \(phase)")
            }
        }
        #expect(
            Self.state(.confirmed(by: Self.phone), requiring: .biometric)
                .signing(by: Self.tablet, with: .pin, now: Self.expiry) == .over(.expired))
    }

    @Test("A final state stays what it is after the expiry")
    func finality() {
        for (phase, status) in zip(
            Self.phases.dropFirst(3),
            [.signed, .rejected, .failed, .cancelled, .cancelled]
                as [TransactionStatus])
        {
            #expect(Self.state(phase).status(at: Self.expiry + .days(1)) == status)
            #expect(Self.state(phase).endedAt == Self.start)
        }
    }

    @Test("Just before its expiry a transaction is open, and at its expiry it is expired")
    func boundary() {
        let before = Timestamp(milliseconds: Self.expiry.milliseconds - 1)
        for (phase, status) in zip(Self.phases.prefix(3), [.created, .claimed, .confirmed] as [TransactionStatus]) {
            #expect(Self.state(phase).status(at: before) == status)
            #expect(Self.state(phase).status(at: Self.expiry) == .expired)
            #expect(Self.state(phase).endedAt == nil)
        }
    }

    @Test(
        "A transaction is signed only by a factor that it asks for",
        arguments: [
            (RequiredSecondFactor.pin, TransactionFactor.biometric), (.biometric, .pin),
        ])
    func factors(required: RequiredSecondFactor, other: TransactionFactor) {
        let state = Self.state(.confirmed(by: Self.phone), requiring: required)
        #expect(state.signing(by: Self.phone, with: other, now: Self.start) == .factorNotAllowed)
        for factor in required.allowed {
            var signed = state
            signed.phase = .signed(by: Self.phone, with: factor, at: Self.start)
            #expect(state.signing(by: Self.phone, with: factor, now: Self.start) == .next(signed))
        }
    }

    @Test("The device that claimed a transaction is known in every state from then on")
    func device() {
        let devices = Self.phases.map { Self.state($0).device }
        #expect(devices == [nil, Self.phone, Self.phone, Self.phone, Self.phone, Self.phone, nil, Self.phone])
    }
}

public import WalletAuthWire

/// A task of several steps, some of which need the person's input. Iterate over it to receive its updates.
///
/// ```swift
/// for await update in try wallet.flows.start(with: scanned) {
///     switch update.state {
///     case .processing: showProgress()
///     case .waitForInput(.chooseAccount(let choice)): choice.choose(await pick(choice.accounts))
///     case .waitForInput(.confirmTransaction(let question)):
///         if await agrees(to: question.details) { question.confirm() } else { question.reject(.unexpected) }
///     case .waitForInput(.verifySecondFactor(let question)): question.pin(await typedPIN(question))
///     case .done(let signed): show(signed)
///     case .rejected: showRejected()
///     case .failed(let error): show(error)
///     }
/// }
/// ```
///
/// The last update is ``FlowUpdate/State/done(_:)``, ``FlowUpdate/State/rejected(_:)`` or
/// ``FlowUpdate/State/failed(_:)``. Leaving the loop earlier, or cancelling its task, cancels the flow, even if the app
/// keeps a reference to it. Only one loop can read a flow.
public final class Flow: AsyncSequence, Sendable {
    /// The kinds of flow.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Signs a transaction.
        case signTransaction = "SIGN_TRANSACTION"
        /// Signs in a browser on another device, in a module with another vendor's names. By this SDK's own,
        /// ``Wallet/Transactions/scanSignIn(_:account:)`` is no flow.
        case login = "LOGIN"
    }

    /// The kind of flow.
    public let kind: Kind
    private let updates: AsyncStream<FlowUpdate>
    private let work: Work

    init(
        _ kind: Kind, at place: FlowPlace, during operation: WalletError.Operation,
        _ run: @escaping @Sendable (FlowSteps) async throws -> FlowUpdate.State
    ) {
        let (updates, continuation) = AsyncStream.makeStream(of: FlowUpdate.self)
        let steps = FlowSteps(kind: kind, updates: continuation)
        let task = Task {
            let end: FlowUpdate.State
            do { end = try await run(steps) } catch let error as WalletError { end = .failed(error) } catch {
                end = .failed(
                    WalletError(
                        .cancelledByPerson, .cancelledByPerson, during: operation, reason: "the flow was cancelled"))
            }
            // First of all: the app may begin the next flow as soon as it reads the end of this one.
            place.leave()
            steps.tell(end)
            continuation.finish()
        }
        let work = Work(place: place, task: task)
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            work.cancel()
        }
        self.kind = kind
        self.updates = updates
        self.work = work
    }

    /// Cancels the flow. Another one may begin at once. The last update of this one is ``FlowUpdate/State/failed(_:)``
    /// with `cancelled_by_person`, unless the signature was already on its way.
    ///
    /// The server is not told: a scanned transaction stays open until it expires. Harmless once the flow has ended.
    public func cancel() { work.cancel() }

    /// The flow's updates.
    public func makeAsyncIterator() -> Iterator {
        Iterator(updates: updates.makeAsyncIterator(), reading: Reading(work: work))
    }

    /// Reads the updates of a ``Flow``. Releasing the iterator cancels the flow.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncStream<FlowUpdate>.Iterator
        fileprivate let reading: Reading

        /// Returns the next update, or nil after the last.
        public mutating func next() async -> FlowUpdate? {
            let update = await updates.next()
            // Keeps `reading` alive until the last update is read; the optimizer would release it earlier.
            return withExtendedLifetime(reading) { update }
        }

        /// Returns the next update, or nil after the last.
        /// - Parameter actor: the actor that reads.
        @available(macOS 15, iOS 18, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FlowUpdate? {
            let update = await updates.next(isolation: actor)
            return withExtendedLifetime(reading) { update }
        }
    }

    /// The running task, and its hold on the wallet's single flow.
    fileprivate struct Work: Sendable {
        let place: FlowPlace
        let task: Task<Void, Never>

        /// Harmless once it has ended.
        func cancel() {
            place.leave()
            task.cancel()
        }
    }

    /// A loop that reads the updates. If the app keeps the flow, the stream alone would not notice the loop's end.
    fileprivate final class Reading: Sendable {
        private let work: Work

        init(work: Work) { self.work = work }

        deinit { work.cancel() }
    }
}

/// An update of a ``Flow``.
public struct FlowUpdate: Sendable {
    /// The states of a flow.
    public enum State: Sendable {
        /// The flow is working and needs no input.
        case processing
        /// The flow waits for the person.
        case waitForInput(UserInteraction)
        /// The transaction is signed.
        case done(SignedTransaction)
        /// The person rejected the transaction, and the server knows.
        case rejected(RejectionReason)
        /// The flow ended without a signature, or without the answer that confirms one.
        case failed(WalletError)
    }

    /// The kind of flow.
    public let kind: Flow.Kind
    /// The state of the flow.
    public let state: State
}

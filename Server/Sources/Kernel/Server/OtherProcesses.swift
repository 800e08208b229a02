package import Core
internal import Logging
internal import Store
internal import WalletAuthWire

extension Database {
    /// Whether a write must rewrite the row of a state unchanged before it decides on it: the state has just expired, and a write in
    /// progress may contain a step that came in time. A single writer finishes before the next begins. With several, touching the row
    /// makes a write that is changing it finish first, or begin again.
    package func mustTouch(_ state: some Expiring, at now: Timestamp) -> Bool {
        group != nil && state.hasJustExpired(at: now)
    }

    /// Whether this process does the periodic work that one process does for all.
    package func leads() async -> Bool { await group?.leads() ?? true }
}

/// What this process does because others use the same database. With an engine for one process, it does nothing.
///
/// A flow cannot forget to notify the others: what remembers something also announces its change (``ClientDirectory``,
/// ``KeyRotation``, ``CommittedChanges``, ``OutboxActivity``, ``ProviderDocuments``).
extension ServerContext {
    /// Applies the notices of other processes until the task is cancelled or the database is closed. Returns at once if no other
    /// process can use the database.
    /// - Parameter keysGoodFor: how often the keys are reloaded without a notice.
    package func followOtherProcesses(keysGoodFor: Duration = .minutes(1)) async {
        guard let group = database.group else { return }
        let notices = group.notices()
        // Several notices about keys in a row are one read, and no other notice waits for it.
        let (reloads, reload) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await _ in reloads { await self.reloadKeys() } }
            tasks.addTask {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: keysGoodFor) } catch { return }
                    reload.yield()
                }
            }
            // Apart from the reads, which a commit that hangs must not delay.
            tasks.addTask {
                await self.recordMasterKeys(of: group)
                // A rotation of the master key knows of this process from here on, or was over before and is noticed now.
                reload.yield()
                while !Task.isCancelled {
                    do { try await Task.sleep(for: keysGoodFor) } catch { return }
                    await self.recordMasterKeys(of: group)
                }
            }
            // Something may have changed between the start of this process and now.
            await apply(.everything, reload)
            for await notice in notices { await apply(notice, reload) }
            tasks.cancelAll()
        }
        // Otherwise a rotation of the master key would be refused for some minutes. The end of this process does not wait for it.
        Task { try? await database.write { try ServingProcess.remove(group.name, on: $0) } }
    }

    private func recordMasterKeys(of group: any ProcessGroup) async {
        let (keys, now) = (keyRotation.masterKeys.all.map(\.id), clock.now())
        do {
            try await database.write { try ServingProcess.record(group.name, keys, now: now, on: $0) }
        } catch {
            // It is recorded again within a minute, which is soon enough.
            logger.warning("this server's master keys could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    private func apply(_ notice: ChangeNotice, _ reload: AsyncStream<Void>.Continuation) async {
        switch notice {
        case .row(let id): changes.wake(id)
        case .client(let id): if let id = try? ClientID(id) { clients.drop(id) }
        case .keys: reload.yield()
        case .provider: await forgetProviders()
        case .outbox:
            outbox.signal.checkNow()
            webhooks.signal.checkNow()
        case .everything:
            clients.dropAll()
            reload.yield()
            await forgetProviders()
            outbox.signal.checkNow()
            webhooks.signal.checkNow()
            changes.wakeAll()
        }
    }

    private func forgetProviders() async {
        vendors.forgetProviders()
        formerSystems.forget()
        await providers.drop()
    }

    private func reloadKeys() async {
        // By a wrong time, keys that still open would be forgotten. An operator may just have confirmed the time elsewhere.
        guard await clocks.compare().allowsRequests else { return }
        do {
            try await keyRing.reload(now: clock.now())
        } catch let fault as MasterKeyFault {
            logger.error(
                "this server lacks the master key: it goes on with the keys it has read, and cannot be restarted without it",
                metadata: ["reason": "\(fault)"])
        } catch {
            // They are reloaded again within a minute. Until then no process seals with a key that this one lacks.
            logger.warning("the keys could not be reloaded", metadata: ["error": "\(error)"])
        }
    }
}

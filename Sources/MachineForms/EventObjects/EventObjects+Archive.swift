import StateMachines

/// A machine of states and events in encodable form. It contains names only, since blocks are code.
public struct EventObjectsArchive: Hashable, Sendable, Codable {
  public struct Event: Hashable, Sendable, Codable {
    public let name: String
    /// `nil` for any state.
    public let sources: [String]?
    public let destination: String
  }

  public let states: [String]
  public let events: [Event]
  /// The current state, or the initial one of an inactive machine.
  public let state: String
  public let isActive: Bool
}

/// An archive whose states or events differ from those of the definition.
public struct ArchiveMismatch: Error, Hashable, Sendable {}

extension EventObjects.Machine {
  /// The states, the events, the current state, and whether the machine is active.
  public var archive: EventObjectsArchive {
    EventObjectsArchive(
      states: definition.states.map(\.name), events: definition.archivedEvents, state: definition.states[place].name,
      isActive: isActive)
  }

  /// Restores a machine without blocks.
  ///
  /// - Throws: ``DefinitionFailure`` if the archive's names do not form a valid definition.
  public init(_ archive: EventObjectsArchive) throws(DefinitionFailure) {
    let definition = try EventObjects.Definition(
      states: archive.states.map { EventObjects.State($0) },
      events: archive.events.map { EventObjects.Event($0.name, from: $0.sources, to: $0.destination) },
      initial: archive.state)
    self.init(definition, at: definition.initialPlace, isActive: archive.isActive)
  }

  /// Restores a machine with the blocks of a definition.
  ///
  /// - Throws: ``ArchiveMismatch`` unless the archive has the definition's states and events in the same order.
  public init(_ archive: EventObjectsArchive, of definition: EventObjects.Definition) throws(ArchiveMismatch) {
    guard archive.states == definition.states.map(\.name), archive.events == definition.archivedEvents,
      let place = definition.statePlace(archive.state)
    else { throw ArchiveMismatch() }
    self.init(definition, at: place, isActive: archive.isActive)
  }
}

extension EventObjects.Definition {
  fileprivate var archivedEvents: [EventObjectsArchive.Event] {
    events.map { .init(name: $0.name, sources: $0.sources, destination: $0.destination) }
  }
}

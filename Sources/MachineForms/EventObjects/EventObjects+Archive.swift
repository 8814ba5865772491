import StateMachines

/// A machine of states and events, written out: names only, for blocks are code.
public struct EventObjectsArchive: Hashable, Sendable, Codable {
  public struct Event: Hashable, Sendable, Codable {
    public let name: String
    /// `nil` for any state.
    public let sources: [String]?
    public let destination: String
  }

  public let states: [String]
  public let events: [Event]
  /// The current state, or the one to be activated in.
  public let state: String
  public let isActive: Bool
}

/// An archive of other states or events than those of the definition that is to read it.
public struct ArchiveMismatch: Error, Hashable, Sendable {}

extension EventObjects.Machine {
  /// States, events, the current state and whether the machine is active.
  public var archive: EventObjectsArchive {
    EventObjectsArchive(
      states: definition.states.map(\.name), events: definition.archivedEvents, state: definition.states[place].name,
      isActive: isActive)
  }

  /// A machine as it was archived, without blocks.
  ///
  /// - Throws: What would be wrong with a definition of the archive's names.
  public init(_ archive: EventObjectsArchive) throws(DefinitionFailure) {
    let definition = try EventObjects.Definition(
      states: archive.states.map { EventObjects.State($0) },
      events: archive.events.map { EventObjects.Event($0.name, from: $0.sources, to: $0.destination) },
      initial: archive.state)
    self.init(definition, at: definition.initialPlace, isActive: archive.isActive)
  }

  /// A machine as it was archived, with the blocks of a definition.
  ///
  /// - Throws: ``ArchiveMismatch`` unless states and events are those of the definition, in its order.
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

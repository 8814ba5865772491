/// What a kind's document says, beside what its machines do.
package struct KindDocumentation: Sendable {
  /// The moves, which trying may not find.
  package let moves: @Sendable () -> [DocumentedMove]
  /// The regions of parallel states, in which several states are active at the same time.
  package let regions: @Sendable () -> [DocumentedRegion]
  /// The document as it is drawn.
  package let picture: @Sendable () -> DocumentPicture

  package init(
    moves: @escaping @Sendable () -> [DocumentedMove], regions: @escaping @Sendable () -> [DocumentedRegion],
    picture: @escaping @Sendable () -> DocumentPicture
  ) {
    self.moves = moves
    self.regions = regions
    self.picture = picture
  }
}

/// A move that a kind's document says, by the places of states, events and timers in the kind's lists.
package struct DocumentedMove: Hashable, Sendable {
  package let from: Int
  /// `nil` if a timer brings it.
  package let event: Int?
  package let timer: Int?
  package let to: Int
  /// Whether the arrow that waits for the event or timer has no guard.
  package let isSure: Bool
  /// Numbers for the document's arrows that it takes: the one that waits, in this state, and those that follow at once.
  package let arrows: [Int]

  package init(from: Int, event: Int?, timer: Int?, to: Int, isSure: Bool, arrows: [Int]) {
    self.from = from
    self.event = event
    self.timer = timer
    self.to = to
    self.isSure = isSure
    self.arrows = arrows
  }
}

/// A region of a document's parallel state, by the places of its atomic states in the kind's list.
package struct DocumentedRegion: Sendable {
  package let name: String
  package let states: [Int]

  package init(name: String, states: [Int]) {
    self.name = name
    self.states = states
  }
}

/// The boxes and arrows of a document, in its order.
package struct DocumentPicture: Sendable {
  package struct Box: Sendable {
    /// The id, by which states of machines name it.
    package var name: String
    package var title: String
    /// What the document says of it, a line for each text.
    package var texts: [String]
    /// The box around it, and which of its regions it is in.
    package var parent: Int?
    package var region: Int
    /// The regions that it has: none for a state without states in it.
    package var regions: Int
    package var isInitial: Bool
    package var isFinal: Bool
    package var isChoice: Bool
    /// Whether a machine can come to rest in it.
    package var canRest: Bool

    package init(
      name: String, title: String, texts: [String], parent: Int?, region: Int, regions: Int, isInitial: Bool,
      isFinal: Bool, isChoice: Bool, canRest: Bool
    ) {
      self.name = name
      self.title = title
      self.texts = texts
      self.parent = parent
      self.region = region
      self.regions = regions
      self.isInitial = isInitial
      self.isFinal = isFinal
      self.isChoice = isChoice
      self.canRest = canRest
    }
  }

  package struct Arrow: Sendable {
    package var from: Int
    package var to: Int
    /// As the document has it.
    package var trigger: String
    package var condition: String
    package var actions: String
    /// The names of the events and timers that it waits for; none for one that is taken at once.
    package var names: [String]
    /// Whether it is handled within its box.
    package var isWithin: Bool

    package init(
      from: Int, to: Int, trigger: String, condition: String, actions: String, names: [String], isWithin: Bool
    ) {
      self.from = from
      self.to = to
      self.trigger = trigger
      self.condition = condition
      self.actions = actions
      self.names = names
      self.isWithin = isWithin
    }
  }

  package var boxes: [Box] = []
  package var arrows: [Arrow] = []

  package init() {}
}

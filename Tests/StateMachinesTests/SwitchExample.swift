import MachineForms
import StateMachines

/// A photo that is loaded from an address.
enum Photo: SwitchState {
  case none, fetching(url: String), shown(bytes: Int)
  enum Event { case asked(url: String), arrived(bytes: Int), removed }

  static var initial: Photo { .none }

  func next(with event: Event) -> Photo {
    switch (self, event) {
    case (.none, .asked(let url)), (.shown, .asked(let url)): .fetching(url: url)
    case (.fetching, .arrived(let bytes)): .shown(bytes: bytes)
    case (_, .removed): .none
    case (.none, .arrived), (.fetching, .asked), (.shown, .arrived): self
    }
  }
}

/// The same rule as a machine that a world can run.
struct PhotoFrame: LegacyMachine {
  var state: Photo
  init(initial: Photo.Name?, _ step: Step<Self>) {
    switch initial ?? .none {
    case .none: state = .none
    case .fetching: state = .fetching(url: "")
    case .shown: state = .shown(bytes: 0)
    }
  }

  mutating func react(to input: Input<Photo.Event, NoNames>, _ step: Step<Self>) -> Reaction<Photo> {
    switch input {
    case .event(let event): state.reaction(to: event)
    }
  }
}

extension Photo: StateWithData {
  enum Name: NamedCases { case none, fetching, shown }

  var name: Name {
    switch self {
    case .none: .none
    case .fetching: .fetching
    case .shown: .shown
    }
  }
}

extension PhotoFrame {
  static let kind = Kind(
    PhotoFrame.self, "photoFrame", "a photo that is loaded from an address",
    states: [.none: "empty", .fetching: "on its way", .shown: "to be seen"],
    events: [
      .event(Photo.Event.asked, .text("url"), about: "somebody wants to see it"),
      .event(Photo.Event.arrived, .count("bytes"), about: "it is here"),
      .event(.removed, "nobody wants to see it"),
    ])
}

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
struct PhotoFrame: Machine {
  typealias Event = Photo.Event

  var state = Photo.initial

  mutating func start(in name: Photo.Name, _ step: Step<Self>) -> Photo {
    switch name {
    case .none: .none
    case .fetching: .fetching(url: "")
    case .shown: .shown(bytes: 0)
    }
  }
}

extension Photo.Event: MachineEvent {}

extension Photo: StateWithData {
  enum Name: NamedCases { case none, fetching, shown }
}

extension PhotoFrame {
  static let kind = Kind(
    PhotoFrame.self, "photoFrame", "a photo that is loaded from an address",
    states: {
      switch $0 {
      case .none: "empty"
      case .fetching: "on its way"
      case .shown: "to be seen"
      }
    },
    events: [
      .event(Photo.Event.asked, .text("url"), about: "somebody wants to see it"),
      .event(Photo.Event.arrived, .count("bytes"), about: "it is here"),
      .event(.removed, "nobody wants to see it"),
    ])
}
